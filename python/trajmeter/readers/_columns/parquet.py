"""Reads Parquet files by row group: as values of records, or as trajectory columns.

A file contains trajectories in columns if its metadata says so, or if its rows would be read as
Trajectory records: it has a column ``task_id`` and no column by which another format recognises its
records. Its columns are cast to Trajmeter's types, like those of batches, and a null means the
default. All other columns, and rows in other formats, are read unconverted.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import Array, call_function, cast, nulls, numbers, present
from trajmeter.arrays.members import with_member
from trajmeter.arrays.text import empty_texts, repeated_text, text_scalar
from trajmeter.conforming.casting import conform
from trajmeter.conforming.checking import faulty
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.readers._columns.parquet_columns import chosen_columns
from trajmeter.readers._columns.whole_rows import WholeRows
from trajmeter.readers._files.parquet import first_row, open_parquet, row_groups, values_as_they_are
from trajmeter.readers._recognition.own_columns import (
    foreign_columns,
    holds_own,
    is_own,
    others_than_ours,
    says_so,
)
from trajmeter.schemas import trajectory_values

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pyarrow.parquet import FileMetaData
    from pydantic import JsonValue

    from trajmeter.readers._files.parquet import Rows
    from trajmeter.readers._files.ranges import RowRange
    from trajmeter.readers._recognition.formats import Format
    from trajmeter.records import Trajectory

__all__ = [
    "OwnRows",
    "named_by_line",
    "own_rows",
    "own_values",
    "parquet_values",
    "read_footer",
    "row_names",
    "stretches",
    "with_sources",
]

_RECORDS = 64
"""Maximum number of rows whose values are held in memory at a time."""
_BATCH_ROWS = 10_000
_BATCH_BYTES = 32 << 20

_OPEN, _CLOSE, _BETWEEN = (text_scalar(each) for each in ("[", "]", ""))


def parquet_values(
    file: BinaryIO, *, may_be_own: bool, within: RowRange | None = None
) -> Iterator[tuple[int | None, JsonValue | ReadError]]:
    """Yield each row with its number, or an error without a number for a lost row group.

    Args:
        file: The file.
        may_be_own: Whether its columns may be those of trajectories.
        within: Rows to read; all by default.

    Raises:
        ReadError: The footer is missing or corrupt.
    """
    content = open_parquet(file)
    is_own = may_be_own and holds_own(content.schema_arrow, partial(first_row, file, content))
    for first, rows in row_groups(content, rows=_RECORDS, within=within):
        if isinstance(rows, ReadError):
            yield None, rows
            continue
        values = own_values(rows) if is_own else values_as_they_are(rows)
        yield from enumerate(values, start=first)


class OwnRows(NamedTuple):
    """Rows of a file of trajectories in columns."""

    rows: Iterator[Rows]
    """The rows with the requested columns, in the file's own types."""
    whole: WholeRows
    """The rows with all columns, for those that must be read as records."""
    foreign: list[str]
    """Columns by which a row that has a value in one of them may be in another format."""


def own_rows(
    file: BinaryIO,
    columns: Collection[str],
    format_of_all: Format[Trajectory] | None,
    within: RowRange | None = None,
) -> OwnRows | None:
    """Open a file of trajectories in columns.

    Args:
        file: The file.
        columns: Names of trajectory columns; nested names use dots.
        format_of_all: Format of all rows, instead of detecting it.
        within: Rows to read; all by default.

    Returns:
        The rows, or ``None`` if only :func:`parquet_values` can read everything requested or report
        what is wrong.
    """
    try:
        content = open_parquet(file)
    except ReadError:
        return None
    schema = content.schema_arrow
    try:
        if not is_own(file, content, format_of_all) or (
            "extra" in columns and others_than_ours(schema)
        ):
            return None
    except ConfigurationError:
        return None
    foreign = foreign_columns(schema)
    chosen = chosen_columns(content, columns, within, foreign, may_nest=not says_so(schema))
    if chosen is None:
        return None
    whole = WholeRows(content)
    content = open_parquet(file, content, chosen.repeated)
    size = sum(
        content.metadata.row_group(group).total_byte_size for group in range(content.num_row_groups)
    )
    rows = _BATCH_BYTES * max(content.metadata.num_rows, 1) // max(size, 1)
    found = row_groups(
        content,
        rows=max(_RECORDS, min(rows, _BATCH_ROWS)),
        columns=chosen.names,
        within=within,
    )
    return OwnRows(found, whole, foreign)


def read_footer(
    file: BinaryIO, format_of_all: Format[Trajectory] | None, *, is_named: bool
) -> FileMetaData:
    """Read the footer of a file that is read record by record.

    Args:
        file: The file.
        format_of_all: Format of all rows, instead of detecting it.
        is_named: Whether the user named the file. A file found in a folder may be any table and is
            checked only if its metadata says that it contains trajectories; so are results, which
            patterns also match.

    Raises:
        ReadError: The footer is missing or corrupt.
        ConfigurationError: The file contains trajectories in columns, and the type of a column does
            not fit its field.
    """
    content = open_parquet(file)
    schema = content.schema_arrow
    if (is_named and not _has_text_as_source(schema)) or says_so(schema):
        is_own(file, content, format_of_all)
    return content.metadata


def _has_text_as_source(schema: pa.Schema) -> bool:
    """Whether rows give their sources as text, as results do."""
    return "source" in schema.names and schema.field("source").type == pa.string()


def stretches(
    batch: pa.RecordBatch, presence: Collection[str] = (), foreign: Collection[str] = ()
) -> Iterator[tuple[int, pa.RecordBatch | None]]:
    """Split rows into valid stretches in Trajmeter's columns, and single rows that may be invalid.

    Rows that may be in another format are not valid.

    Args:
        batch: The rows.
        presence: Columns of which only nulls matter; dictionaries of texts become empty texts
            there, to avoid writing a text for each value.
        foreign: Columns by which a row that has a value in one of them may be in another format.

    Yields:
        The number of the first row, and the rows; ``None`` for a single row that may be invalid.
    """
    try:
        whole = _checked(batch, presence)
    except (ConfigurationError, ValueError, OverflowError):
        if batch.num_rows == 1:
            yield 0, None
            return
        middle = batch.num_rows // 2
        yield from stretches(batch.slice(0, middle), presence, foreign)
        for start, rows in stretches(batch.slice(middle), presence, foreign):
            yield middle + start, rows
        return
    suspects = faulty(whole)
    for name in foreign:
        for index in batch.schema.get_all_field_indices(name):
            suspects |= present(batch.column(index))
    start = 0
    for suspect in np.flatnonzero(suspects).tolist():
        if suspect > start:
            yield start, whole.slice(start, suspect - start)
        yield suspect, None
        start = suspect + 1
    if start < whole.num_rows:
        yield start, whole.slice(start)


def _checked(batch: pa.RecordBatch, presence: Collection[str]) -> pa.RecordBatch:
    """Convert rows to Trajmeter's columns and check them.

    Raises:
        ConfigurationError: A value does not fit its field.
        ValueError: A text is not UTF-8.
        OverflowError: A time is out of range.
    """
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid:  # the invalid dictionary entry may belong to another row
        whole = conform(batch)
        whole.validate(full=True)
        return whole
    for path in presence:
        name, *below = path.split(".")
        if batch.schema.names.count(name) == 1:
            index = batch.schema.names.index(name)
            emptied = with_member(batch.column(index), below, _without_texts)
            batch = batch.set_column(index, name, emptied)
    return conform(batch)


def _without_texts(column: Array) -> Array:
    """Replace dictionary texts by empty ones, to avoid writing a text for each value."""
    if not isinstance(column, pa.DictionaryArray):
        return column
    texts = column.dictionary
    is_text = texts.type == pa.string() and not texts.null_count
    return empty_texts(present(column)) if is_text else column


def with_sources(rows: pa.RecordBatch, file: str, records: Array) -> pa.RecordBatch:
    """Fill in the source of every row that has none.

    Args:
        rows: Rows in Trajmeter's columns.
        file: The file.
        records: Name of each row in the file.
    """
    index = rows.schema.names.index("source")
    source = rows.column(index)
    if not source.null_count:
        return rows
    places = {
        "file": repeated_text(file, rows.num_rows),
        "line": nulls(rows.num_rows, pa.int64()),
        "record": records,
    }
    made = pa.StructArray.from_arrays(
        [places[field.name] for field in source.type], fields=list(source.type)
    )
    is_whole = source.null_count == rows.num_rows  # as in most files
    named = made if is_whole else call_function("coalesce", [source, made])
    return rows.set_column(index, rows.schema.field(index), named)


def row_names(first: int, count: int) -> Array:
    """Names of the rows of a file, starting from this number."""
    return _names(numbers(np.arange(first, first + count)))


def named_by_line(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Turn the line of every row's source into its name in the file."""
    index = rows.schema.names.index("source")
    source: Any = rows.column(index)
    fields = [*source.type]
    columns = dict(zip([field.name for field in fields], source.flatten(), strict=True))
    columns["record"] = _names(columns["line"])
    columns["line"] = nulls(len(source), pa.int64())
    named = pa.StructArray.from_arrays([columns[field.name] for field in fields], fields=fields)
    return rows.set_column(index, rows.schema.field(index), named)


def _names(places: Array) -> Array:
    texts = cast(places, pa.string())
    names: Array = call_function("binary_join_element_wise", [_OPEN, texts, _CLOSE, _BETWEEN])
    return names


def own_values(batch: pa.RecordBatch) -> list[JsonValue | ReadError]:
    """Convert rows of trajectory columns to values for the record class."""
    try:
        rows = conform(batch).to_pylist()
        others = _others(batch).to_pylist()
    except (ConfigurationError, ValueError, OverflowError) as error:
        if batch.num_rows == 1:
            return [ReadError(str(error))]
        return [value for row in range(len(batch)) for value in own_values(batch.slice(row, 1))]
    return [_own_value(row, more) for row, more in zip(rows, others, strict=True)]


def _others(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Columns that are not trajectory columns; of several with one name, the last."""
    indices = {name: index for index, name in enumerate(batch.schema.names)}
    return batch.select([indices[name] for name in dict.fromkeys(others_than_ours(batch.schema))])


def _own_value(row: dict[str, JsonValue], others: dict[str, JsonValue]) -> JsonValue | ReadError:
    try:
        values = trajectory_values(row)
    except ReadError as error:
        return error
    return {**values, **{name: value for name, value in others.items() if value is not None}}
