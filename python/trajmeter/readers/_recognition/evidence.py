"""Decides the format of a record, file or folder: the one with the strongest evidence."""

from __future__ import annotations

import json
import warnings
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from trajmeter import json_input
from trajmeter.errors import ReadError, format_exception
from trajmeter.escapes import whole_escapes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.readers._recognition.formats import FileFormat, Format, RecordFormat, RecordT

__all__ = [
    "UNEXPECTED",
    "ambiguous",
    "beginning",
    "evidence_in",
    "format_of",
    "is_at_start",
    "is_result",
    "strongest_for",
    "strongest_format",
    "warn_of_recognition",
]

UNEXPECTED = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Exceptions that a format may raise on a record its author did not anticipate."""
_LINES = 20
"""Number of JSON lines that are examined."""


def format_of(
    record: Mapping[str, JsonValue], candidates: Iterable[RecordFormat[RecordT]]
) -> RecordFormat[RecordT] | None:
    """The format of a record; ``None`` if none of the candidates recognises it.

    Raises:
        ReadError: Two formats that would read it differently have equal evidence.
    """
    strongest = strongest_for(record, candidates)
    for other in strongest[1:]:
        if other.read is not strongest[0].read:
            raise ambiguous(strongest[0], other)
    return strongest[0] if strongest else None


@lru_cache(maxsize=2)
def beginning(head: bytes) -> tuple[JsonValue, ...]:
    r"""The JSON values at the beginning of content: those of its lines, or the document.

    At most 20 lines are read; invalid ones are left out. Truncated parts are dropped, also within
    the last value: an object then has the keys read so far. Content that is not JSON yields
    nothing. The values are shared with other callers and must not be modified.

    Example:
        >>> beginning(b'{"type": "system"}\n{"type": "user", "message": {"role": "user", "con')
        ({'type': 'system'}, {'type': 'user', 'message': {'role': 'user'}})
        >>> beginning(b'[{"role": "user", "content": [')
        ([{'role': 'user', 'content': []}],)
        >>> beginning(b'{"type": "sys\n{"type": "user"}\n')
        ({'type': 'user'},)
    """
    if json_input.first_byte(head) not in (b"{", b"["):
        return ()
    values: list[JsonValue] = []
    found = (line for line in head.splitlines() if json_input.first_byte(line))
    lines = [*islice(found, _LINES + 1)]
    are_records = False
    if len(lines) > 1 and json_input.first_byte(lines[0]) == b"{":
        whole = lines[1:3] if lines[2:] else [json_input.first_byte(lines[1])]  # it may be cut off
        are_records = json_input.are_records(lines[0], *whole)
    for number, line in enumerate(lines[:_LINES], start=1):
        try:
            values.append(json_input.parse(line))
        except ReadError:
            if not (values or are_records):
                values += _cut_off(head)
                break
            if number == len(lines):
                values += _cut_off(line)
    return tuple(values)


def _cut_off(content: bytes) -> list[JsonValue]:
    """The first value of truncated content without its incomplete part; none for invalid JSON."""
    try:
        return [from_json(content.lstrip(json_input.BLANK), allow_partial=True)]
    except ValueError:
        whole = whole_escapes(content)
        return _cut_off(whole) if whole != content else []


def strongest_for(
    record: Mapping[str, JsonValue], candidates: Iterable[RecordFormat[RecordT]]
) -> list[RecordFormat[RecordT]]:
    """The formats for which a record is the strongest evidence."""
    found = {known: evidence_in(known, record) for known in candidates}
    evidence = max(found.values(), default=0)
    return [known for known, each in found.items() if evidence and each == evidence]


def evidence_in(known: RecordFormat[RecordT], record: Mapping[str, JsonValue]) -> int:
    """A record's evidence for a format; none, with a report, if the format fails on it."""
    try:
        return known.evidence_in(record) or 0
    except UNEXPECTED as error:
        warn_of_recognition(known, error)
        return 0


def is_result(record: Mapping[str, object]) -> bool:
    """Whether a record is a row of results, which also identifies an attempt."""
    names_backend = record.get("backend") in ("rust", "python")
    return names_backend and any(key.endswith(".outcome") for key in record)


def warn_of_recognition(known: Format[Any], error: BaseException) -> None:
    """Warn that a format, such as a plug-in's, failed while recognising something."""
    warnings.warn(
        f"the format {known.name} failed to recognise a file: {format_exception(error)}",
        RuntimeWarning,
        stacklevel=2,
    )


def ambiguous(one: Format[Any], other: Format[Any]) -> ReadError:
    """Message that two formats have equal evidence, and how to choose one."""
    first, second = sorted((one, other), key=lambda known: known.name)
    return ReadError(
        f"may be {first.description} or {second.description}; choose with "
        f"--input-format {first.name} or --input-format {second.name}"
    )


def strongest_format(
    asked: Collection[FileFormat[RecordT]], path: Path, head: bytes
) -> tuple[FileFormat[RecordT] | None, int]:
    """The format with the strongest evidence, and that evidence.

    Raises:
        ReadError: Two formats have equal evidence.
    """
    found = {known: _evidence(known, path, head) for known in asked}
    evidence = max(found.values(), default=0)
    if not evidence:
        return None, 0
    strongest = [known for known, claimed in found.items() if claimed == evidence]
    if len(strongest) > 1:  # what the file begins with decides
        strongest = [each for each in strongest if is_at_start(each, path, head)] or strongest
    known, *others = strongest
    if others:
        raise ambiguous(known, others[0])
    return known, evidence


def is_at_start(known: FileFormat[RecordT], path: Path, head: bytes) -> bool:
    """Whether the first value of a file alone is evidence for a format."""
    values = beginning(head)
    return not values or _evidence(known, path, json.dumps(values[0]).encode()) > 0


def _evidence(known: FileFormat[RecordT], path: Path, head: bytes) -> int:
    """The evidence for a format; none if a folder in the path is inaccessible."""
    try:
        return known.recognises(path, head) or 0
    except OSError:  # reported with the files of the folder
        return 0
    except UNEXPECTED as error:
        warn_of_recognition(known, error)
        return 0
