"""Which format a record, a file or a folder is of: the one with the strongest evidence."""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._containers import entries
from trajmeter.readers._content import open_content
from trajmeter.readers._formats import Evidence, FileFormat, RecordFormat
from trajmeter.readers._registry import file_formats, record_formats

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.readers._formats import Format, RecordT

__all__ = ["beginning", "file_format", "format_of"]

_HEAD = 1 << 16
"""Formats of whole files are recognised by this much of a file's beginning."""
_LINES = 20
"""Lines of its JSON lines that are looked at."""


def format_of(
    record: Mapping[str, JsonValue], candidates: Iterable[RecordFormat[RecordT]]
) -> RecordFormat[RecordT] | None:
    """The format of a record; ``None`` if none of the candidates recognises it.

    Raises:
        ReadError: The evidence for two formats, which read it differently, is equal.
    """
    strongest = _strongest_for(record, candidates)
    for other in strongest[1:]:
        if other.read is not strongest[0].read:
            raise _ambiguous(strongest[0], other)
    return strongest[0] if strongest else None


def file_format(path: Path, makes: type[RecordT]) -> FileFormat[RecordT] | None:
    """The format that reads a folder or a file as a whole; ``None`` if none does.

    Raises:
        ReadError: The evidence for two formats is equal.
    """
    is_folder = path.is_dir()
    head = b""
    if not is_folder:
        try:
            with open_content(path) as file:
                head = file.read(_HEAD)
        except OSError:  # reported when the file is read for records
            return None
    found = {known: _evidence(known, path, head) for known in file_formats(makes)}
    evidence = max(found.values(), default=0)
    if not evidence:
        return None
    known, *others = (each for each, claimed in found.items() if claimed == evidence)
    if others:
        raise _ambiguous(known, others[0])
    if evidence >= Evidence.CERTAIN or is_folder:
        return known
    claimed, rival = _claim_on_first_record(path, record_formats(makes))
    if rival is not None and claimed == evidence:
        raise _ambiguous(known, rival)
    return known if claimed < evidence else None


@lru_cache(maxsize=2)
def beginning(head: bytes) -> tuple[JsonValue, ...]:
    r"""The JSON values that content begins with: one for each line of JSON lines, or the document.

    At most 20 lines are read. What the end cuts off is left out, within the last value too: an
    object then has the keys that came before. Content that is not JSON gives nothing. Others get
    the same values, so that they must not be changed.

    Example:
        >>> beginning(b'{"type": "system"}\n{"type": "user", "message": {"role": "user", "con')
        ({'type': 'system'}, {'type': 'user', 'message': {'role': 'user'}})
        >>> beginning(b'[{"role": "user", "content": [')
        ([{'role': 'user', 'content': []}],)
    """
    if json_input.first_byte(head) not in (b"{", b"["):
        return ()
    values: list[JsonValue] = []
    lines = (line for line in head.splitlines() if json_input.first_byte(line))
    for line in islice(lines, _LINES):
        try:
            values.append(json_input.parse(line))
        except ReadError:
            values += _cut_off(line if values else head)
            break
    return tuple(values)


def _cut_off(content: bytes) -> list[JsonValue]:
    """The value that content begins with, without what is cut off; none of broken JSON."""
    try:
        return [from_json(content.lstrip(json_input.BLANK), allow_partial=True)]
    except ValueError:
        return []


def _strongest_for(
    record: Mapping[str, JsonValue], candidates: Iterable[RecordFormat[RecordT]]
) -> list[RecordFormat[RecordT]]:
    """The formats for which the evidence in a record is strongest."""
    found = {known: known.evidence_in(record) or 0 for known in candidates}
    evidence = max(found.values(), default=0)
    return [known for known, each in found.items() if evidence and each == evidence]


def _claim_on_first_record(
    path: Path, candidates: Iterable[RecordFormat[RecordT]]
) -> tuple[int, RecordFormat[RecordT] | None]:
    """The strongest evidence in the first record of a file, and a format that it is for."""
    first = next(entries(path), None)
    record = first.value if first else None
    if not isinstance(record, dict) or not (found := _strongest_for(record, candidates)):
        return 0, None
    return found[0].evidence_in(record) or 0, found[0]


def _evidence(known: FileFormat[RecordT], path: Path, head: bytes) -> int:
    """The evidence for a format; none where a folder in a path cannot be looked into."""
    try:
        return known.recognises(path, head) or 0
    except OSError:  # reported with the files of the folder
        return 0


def _ambiguous(one: Format[Any], other: Format[Any]) -> ReadError:
    first, second = sorted((one, other), key=lambda known: known.name)
    return ReadError(
        f"may be {first.description} or {second.description}; choose with "
        f"--input-format {first.name} or --input-format {second.name}"
    )
