"""The JSON records in a file: JSON lines, a JSON document or Parquet, by its first bytes.

The order of the checks matters. A Git LFS pointer in place of the data is the commonest reason for
"malformed JSON" in public trajectory repositories. Archives and Parquet are recognised by their
magic bytes. Anything else is JSON: one record per line, or one document.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from trajmeter import json_input
from trajmeter.errors import ExtraMissingError, ReadError
from trajmeter.readers._files.compression import LONGEST, CutOffError
from trajmeter.readers._files.content import is_compressed, open_content, state_of
from trajmeter.readers._files.lines import lift_limit
from trajmeter.readers._files.ranges import LineRange, RowRange, open_range
from trajmeter.records import ReadProblem
from trajmeter.records.source import Source, source_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.readers._files.ranges import Range

__all__ = [
    "CHANGED",
    "LONGEST_BANNER",
    "PARQUET_MAGIC",
    "Entry",
    "NotJsonError",
    "begins_as_json",
    "entries",
    "holds_lists",
    "holds_only_lists",
    "holds_parquet",
    "is_json_lines",
    "is_list_document",
    "is_parquet",
    "read_line",
    "values_in",
    "values_of",
]

PARQUET_MAGIC = b"PAR1"
"""The first bytes of a Parquet file."""

CHANGED = "the file changed while it was read; some of its rows may be missing, or cut"
"""Message for a file that changed while it was being read; rows already read are kept."""

LONGEST_BANNER = 20
"""Number of lines that may precede the first record, as a program prints them when it starts."""

_OPENING = re.compile(
    rb"""[\s\xef\xbb\xbf]*
    (?: \{ | \[\s* (?: [\[{"\]] | -?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*[,\]] | -?Infinity | NaN
                     | null | true | false | $ ))""",
    re.VERBOSE,
)
"""The beginning of an object or a list, and not of text such as ``[INFO] starting``."""
_SHOWN = 40
_PART = 1 << 16
"""Bytes of a line to examine at a time."""


class NotJsonError(ReadError):
    """A file is in no known container of records."""


class Entry(NamedTuple):
    """A record of a file, as JSON."""

    source: Source
    """Position of the record in the file."""
    value: JsonValue | ReadError
    """The record, or the error if it cannot be read; the source of an error that is not about one
    record has no line or record number."""


def entries(
    path: Path,
    *,
    may_be_own: bool = True,
    within: Range | None = None,
    longest: int = json_input.LONGEST_LINE,
) -> Iterator[Entry]:
    """Yield the records of a file.

    Lines and Parquet rows are read as they are requested. A JSON document is read whole: it is a
    list of records, an object that maps ids to records, or one record.

    Args:
        path: The file.
        may_be_own: Whether Parquet columns may be those of trajectories, where a null means the
            field's default.
        within: Lines or rows to read; all by default.
        longest: Maximum length in bytes of a JSON line.

    Raises:
        ExtraMissingError: The file is Parquet or remote and pyarrow is not installed, or it is
            compressed and no installed library can decompress it.
    """
    name = str(path)
    try:
        lines = within if isinstance(within, LineRange) else None
        with open_range(path, lines) if lines else open_content(path) as file:
            begun = state_of(file)
            if lines is not None:
                yield from _lines(name, file, longest, first=lines.first)
            elif isinstance(within, RowRange):
                yield from _parquet(name, file, may_be_own=may_be_own, within=within)
            else:
                yield from _recognise(name, file, longest, may_be_own=may_be_own)
            if state_of(file) != begun:
                yield Entry(source_at(name), ReadError(CHANGED))
    except OSError as error:
        yield Entry(source_at(name), ReadError(error.strerror or str(error)))
    except ReadError as error:
        yield Entry(source_at(name), error)


def values_in(
    path: Path, report: Callable[[ReadProblem], None]
) -> Iterator[tuple[Source, JsonValue]]:
    """Yield the readable values of a file, each with its position, and report the others."""
    return values_of(entries(path, may_be_own=False), report)


def values_of(
    found: Iterable[Entry], report: Callable[[ReadProblem], None]
) -> Iterator[tuple[Source, JsonValue]]:
    """Yield the readable values of entries, each with its position, and report the others."""
    for source, value in found:
        if isinstance(value, ReadError):
            report(
                ReadProblem(
                    file=source.file, line=source.line, record=source.record, message=str(value)
                )
            )
        else:
            yield source, value


def is_json_lines(path: Path, longest: int = json_input.LONGEST_LINE) -> bool:
    """Whether :func:`entries` reads a file as JSON lines; false if it cannot be read."""
    try:
        with open_content(path) as file:
            json_input.refuse_archive(file)
            if is_parquet(file):  # which may contain lines of JSON
                return False
            head = _first_lines(file, longest)
    except (OSError, ReadError):
        return False
    return _has_json(head) and not _is_document(head)


def holds_lists(path: Path) -> bool:
    """Whether :func:`entries` reads a file as JSON lines whose first line is a list."""
    try:
        with open_content(path) as file:
            head = _first_lines(file, json_input.LONGEST_LINE)
    except (OSError, ReadError):
        return False
    return bool(head) and json_input.first_byte(head[0].content) == b"[" and not _is_document(head)


def holds_only_lists(path: Path) -> bool:
    """Whether every line of such a file begins with a list, up to where it is unreadable."""
    if not holds_lists(path):
        return False
    is_blank = True
    try:
        with open_content(path) as file:
            lift_limit(file)
            while part := file.readline(_PART):
                if is_blank:
                    first = json_input.first_byte(part)
                    if first not in (b"", b"["):
                        return False
                    is_blank = not first
                is_blank = is_blank or part.endswith(b"\n")
    except OSError:  # reported when the file is read
        pass
    return True


def is_list_document(file: BinaryIO) -> bool:
    """Whether :func:`entries` will read a file as one JSON list; seeks back."""
    start = file.read(_SHOWN)
    file.seek(0)
    if json_input.first_byte(start) != b"[":
        return False
    head = _first_lines(file, json_input.LONGEST_LINE)
    file.seek(0)
    return bool(head) and json_input.first_byte(head[0].content) == b"[" and _is_document(head)


def is_parquet(file: BinaryIO) -> bool:
    """Whether :func:`entries` reads a file as Parquet; seeks back to its beginning."""
    start = file.read(len(PARQUET_MAGIC))
    file.seek(0)
    return start == PARQUET_MAGIC


def holds_parquet(path: Path) -> bool:
    """Whether a file is read as Parquet; false if it cannot be read."""
    try:
        with open_content(path) as file:
            return is_parquet(file)
    except (OSError, ReadError):
        return False


def read_line(name: str, number: int, line: bytes) -> Entry:
    """Parse the record on one line of JSON."""
    value: JsonValue | ReadError
    try:
        value = json_input.parse(line)
    except ReadError as error:
        value = error
    return Entry(source_at(name, line=number), value)


def _recognise(name: str, file: BinaryIO, longest: int, *, may_be_own: bool) -> Iterator[Entry]:
    json_input.refuse_archive(file)
    if is_parquet(file):
        if is_compressed(file):
            raise ReadError("Parquet that is compressed as a whole; decompress it first")
        return _parquet(name, file, may_be_own=may_be_own)
    head = _first_lines(file, longest)
    file.seek(0)
    if not head:
        raise NotJsonError("the file is empty, expected JSON records")
    if head[0].content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise NotJsonError("the file is in UTF-16, expected UTF-8; convert it first")
    if not _has_json(head):
        begin = head[0].content[:_SHOWN].decode(errors="replace")
        raise NotJsonError(f"expected JSON, JSON lines or Parquet; the file begins {begin!r}")
    return _document(name, file) if _is_document(head) else _lines(name, file, longest)


def _first_lines(file: BinaryIO, longest: int) -> list[json_input.Line]:
    """Return the first two lines, three if the first ends within a list, or fewer if no more.

    If a program printed other text before its records, the second is the first record.
    """
    lift_limit(file)
    found: list[json_input.Line] = []
    try:
        lines = json_input.lines(file, longest)
        found.extend(islice(lines, 2))
        if not _has_json(found):
            found[1:] = islice(filter(_is_record, islice(lines, LONGEST_BANNER - 2)), 1)
        elif json_input.ends_before_item(found[0].content):
            found.extend(islice(lines, 1))
    except CutOffError:
        if not found:
            raise
    return found


def _is_record(line: json_input.Line) -> bool:
    if isinstance(line, json_input.LongLine) or not line.content.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(json_input.parse(line.content), dict)
    except ReadError:
        return False


def _has_json(head: list[json_input.Line]) -> bool:
    return any(begins_as_json(line.content) for line in head)


def begins_as_json(content: bytes) -> bool:
    """Whether content begins like an object or a list of JSON."""
    return _OPENING.match(content) is not None


def _is_document(head: list[json_input.Line]) -> bool:
    """Whether a file with these first lines is one JSON document, not JSON lines."""
    first = head[0].content
    opening = json_input.first_byte(first) if begins_as_json(first) else b""
    others = [line.content for line in head[1:]]
    if opening == b"{" and others and json_input.are_records(first, *others):
        return False
    if isinstance(head[0], json_input.LongLine):
        return False
    if opening == b"[" and len(head) == 1:  # whether or not it is valid
        return True
    try:
        value = json_input.parse(head[0].content)
    except ReadError:
        # A document over several lines: a broken first record would be followed by another.
        return opening == b"[" or (opening == b"{" and len(head) > 1)
    return len(head) == 1 and (isinstance(value, list) or _is_keyed(value))


def _is_keyed(value: JsonValue) -> bool:
    """Whether this object maps ids to records, as in SWE-bench predictions.

    Some may be broken if others are under their own id; else these are parts of one record.
    """
    if not isinstance(value, dict):
        return False
    ids = {
        key: item["instance_id"]
        for key, item in value.items()
        if isinstance(item, dict) and "instance_id" in item
    }
    is_whole = bool(ids) and len(ids) == len(value)
    return is_whole or any(key == own for key, own in ids.items())


def _document(name: str, file: BinaryIO) -> Iterator[Entry]:
    content = file.read(LONGEST + 1)
    if len(content) > LONGEST and is_compressed(file):
        raise ReadError(f"it decompresses to more than {LONGEST >> 20:,} MiB; decompress it first")
    value = json_input.parse(content + file.read())
    if isinstance(value, dict) and _is_keyed(value):
        for key, item in value.items():
            yield Entry(source_at(name, record=key), item)
        return
    if not isinstance(value, list):
        yield Entry(source_at(name), value)
        return
    for index, item in enumerate(value):
        yield Entry(source_at(name, record=f"[{index}]"), item)


def _lines(name: str, file: BinaryIO, longest: int, first: int = 1) -> Iterator[Entry]:
    lift_limit(file)
    try:
        for line in json_input.lines(file, longest):
            number = first + line.number - 1
            if isinstance(line, json_input.LongLine):
                yield Entry(source_at(name, line=number), json_input.too_long(longest))
            else:
                yield read_line(name, number, line.content)
    except CutOffError as error:
        yield Entry(source_at(name, line=error.line), ReadError(str(error)))


def _parquet(
    name: str, file: BinaryIO, *, may_be_own: bool, within: RowRange | None = None
) -> Iterator[Entry]:
    try:
        import pyarrow.parquet  # noqa: F401 - checks that it is installed
    except ImportError as error:
        raise ExtraMissingError(
            f"{name} is a Parquet file, which needs pyarrow: pip install 'trajmeter[data]'"
        ) from error
    from trajmeter.readers._columns.parquet import parquet_values

    for row, value in parquet_values(file, may_be_own=may_be_own, within=within):
        place = source_at(name) if row is None else source_at(name, record=f"[{row}]")
        yield Entry(place, value)
