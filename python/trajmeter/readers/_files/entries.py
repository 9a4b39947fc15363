"""The JSON records in a file, each with its position: from JSON lines, a document or Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from trajmeter import json_input
from trajmeter.errors import ExtraMissingError, ReadError
from trajmeter.readers._files.compression import LONGEST, CutOffError
from trajmeter.readers._files.containers import container_of, is_keyed
from trajmeter.readers._files.content import is_compressed, open_content, state_of
from trajmeter.readers._files.lines import lift_limit
from trajmeter.readers._files.problems import problem_at
from trajmeter.readers._files.ranges import LineRange, RowRange, open_range
from trajmeter.records.source import Source, source_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.readers._files.ranges import Range
    from trajmeter.records import ReadProblem

__all__ = ["CHANGED", "Entry", "entries", "read_line", "read_value", "values_in", "values_of"]

CHANGED = "the file changed while it was read; some of its rows may be missing, or cut"
"""Message for a file that changed while it was being read; rows already read are kept."""


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
                yield from _in_container(name, file, longest, may_be_own=may_be_own)
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
            report(problem_at(source, str(value)))
        else:
            yield source, value


def read_line(name: str, number: int, line: bytes) -> Entry:
    """Parse the record on one line of JSON."""
    return read_value(source_at(name, line=number), line)


def read_value(source: Source, content: bytes) -> Entry:
    """Parse a record of JSON."""
    value: JsonValue | ReadError
    try:
        value = json_input.parse(content)
    except ReadError as error:
        value = error
    return Entry(source, value)


def _in_container(name: str, file: BinaryIO, longest: int, *, may_be_own: bool) -> Iterator[Entry]:
    container = container_of(file, longest)
    if container == "parquet":
        return _parquet(name, file, may_be_own=may_be_own)
    return _document(name, file) if container == "document" else _lines(name, file, longest)


def _document(name: str, file: BinaryIO) -> Iterator[Entry]:
    content = file.read(LONGEST + 1)
    if len(content) > LONGEST and is_compressed(file):
        raise ReadError(f"it decompresses to more than {LONGEST >> 20:,} MiB; decompress it first")
    value = json_input.parse(content + file.read())
    if isinstance(value, dict) and is_keyed(value):
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
