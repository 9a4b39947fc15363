"""Parquet files, row group by row group: as values of records, and as columns of trajectories.

A file holds trajectories in columns if it says so in its metadata, or if its rows would be read as
Trajectory records: it has a column ``task_id``, and none by which another format knows its records.
Its columns are brought to the types of ours, as those of batches are, and a null stands for the
default. Other columns, and rows of other formats, are read as they are.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.arrays import (
    Array,
    call_function,
    cast,
    empty_texts,
    nulls,
    numbers,
    present,
    repeated_text,
    text_scalar,
)
from trajmeter.conforming import conform, faulty
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.members import with_member
from trajmeter.readers._columns.parquet_columns import chosen_columns
from trajmeter.readers._files.parquet import first_row, open_parquet, row_groups, values_as_they_are
from trajmeter.readers._recognition.own_columns import holds_own, is_own, others_than_ours, says_so
from trajmeter.schemas import trajectory_values

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pyarrow.parquet import FileMetaData
    from pydantic import JsonValue

    from trajmeter.readers._files.parquet import Rows
    from trajmeter.readers._files.ranges import RowRange
    from trajmeter.readers._recognition.choice import Choice
    from trajmeter.records import Trajectory

__all__ = [
    "own_rows",
    "own_values",
    "parquet_values",
    "read_footer",
    "row_names",
    "stretches",
    "with_sources",
]

_RECORDS = 64
"""Rows of which values are alive at a time."""
_BATCH_ROWS = 10_000
_BATCH_BYTES = 32 << 20

_OPEN, _CLOSE, _BETWEEN = (text_scalar(each) for each in ("[", "]", ""))


def parquet_values(
    file: BinaryIO, *, may_be_own: bool, within: RowRange | None = None
) -> Iterator[tuple[int | None, JsonValue | ReadError]]:
    """Yield every row with its number; without one, why a row group cannot be read.

    Args:
        file: The file.
        may_be_own: Whether its columns may be those of trajectories.
        within: The rows to read; all by default.

    Raises:
        ReadError: The footer is missing or corrupt.
    """
    content = open_parquet(file)
    is_own = may_be_own and holds_own(content.schema_arrow, partial(first_row, content))
    for first, rows in row_groups(content, rows=_RECORDS, within=within):
        if isinstance(rows, ReadError):
            yield None, rows
            continue
        values = own_values(rows) if is_own else values_as_they_are(rows)
        yield from enumerate(values, start=first)


def own_rows(
    file: BinaryIO,
    columns: Collection[str],
    choice: Choice[Trajectory],
    within: RowRange | None = None,
) -> Iterator[Rows] | None:
    """Rows with those of their columns that are wanted, in types of the file's own.

    Args:
        file: The file.
        columns: Names of columns of trajectories, those within records behind a dot.
        choice: By which formats files are read.
        within: The rows to read; all by default.

    Returns:
        The rows, or ``None`` where only :func:`parquet_values` reads all that is wanted, or says
        what is wrong.
    """
    try:
        content = open_parquet(file)
    except ReadError:
        return None
    schema = content.schema_arrow
    try:
        if not is_own(content, choice) or ("extra" in columns and others_than_ours(schema)):
            return None
    except ConfigurationError:
        return None
    chosen = chosen_columns(content, columns, within, may_nest=not says_so(schema))
    if chosen is None:
        return None
    content = open_parquet(file, content, chosen.repeated)
    size = sum(
        content.metadata.row_group(group).total_byte_size for group in range(content.num_row_groups)
    )
    rows = _BATCH_BYTES * max(content.metadata.num_rows, 1) // max(size, 1)
    return row_groups(
        content,
        rows=max(_RECORDS, min(rows, _BATCH_ROWS)),
        columns=chosen.names,
        within=within,
    )


def read_footer(file: BinaryIO, choice: Choice[Trajectory], *, is_named: bool) -> FileMetaData:
    """The footer of a file that is read record by record.

    Args:
        file: The file.
        choice: By which formats files are read.
        is_named: Whether a user named it. What lies in a folder may be any table, and is checked
            only if it says that it holds trajectories; so are results, which patterns find too.

    Raises:
        ReadError: It is missing or corrupt.
        ConfigurationError: The file holds trajectories in columns, and the type of one cannot hold
            what the field is.
    """
    content = open_parquet(file)
    schema = content.schema_arrow
    if (is_named and not _has_text_as_source(schema)) or says_so(schema):
        is_own(content, choice)
    return content.metadata


def _has_text_as_source(schema: pa.Schema) -> bool:
    """Whether rows name their places as results do."""
    return "source" in schema.names and schema.field("source").type == pa.string()


def stretches(
    batch: pa.RecordBatch, presence: Collection[str] = ()
) -> Iterator[tuple[int, pa.RecordBatch | None]]:
    """Cut rows into those that are valid records, in our columns, and single ones that may not be.

    Args:
        batch: The rows.
        presence: Columns of which matters only which values are null; dictionaries of texts become
            empty texts there, rather than a text of each value.

    Yields:
        The number of the first row, and the rows; ``None`` for one that may be invalid.
    """
    try:
        whole = _checked(batch, presence)
    except (ConfigurationError, ValueError, OverflowError):
        if batch.num_rows == 1:
            yield 0, None
            return
        middle = batch.num_rows // 2
        yield from stretches(batch.slice(0, middle), presence)
        for start, rows in stretches(batch.slice(middle), presence):
            yield middle + start, rows
        return
    start = 0
    for suspect in np.flatnonzero(faulty(whole)).tolist():
        if suspect > start:
            yield start, whole.slice(start, suspect - start)
        yield suspect, None
        start = suspect + 1
    if start < whole.num_rows:
        yield start, whole.slice(start)


def _checked(batch: pa.RecordBatch, presence: Collection[str]) -> pa.RecordBatch:
    """Rows in our columns.

    Raises:
        ConfigurationError: A value is not what its field is.
        ValueError: A text is not UTF-8.
        OverflowError: A time is beyond all years.
    """
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid:  # which a text of a dictionary may be that is of another row
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
    """Empty texts in the place of those of a dictionary, which would be written for each value."""
    if not isinstance(column, pa.DictionaryArray):
        return column
    texts = column.dictionary
    is_text = texts.type == pa.string() and not texts.null_count
    return empty_texts(present(column)) if is_text else column


def with_sources(rows: pa.RecordBatch, file: str, records: Array) -> pa.RecordBatch:
    """Name the place of every row that does not say where it comes from.

    Args:
        rows: Rows in columns of ours.
        file: The file.
        records: Name of each row in it.
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
    is_whole = source.null_count == rows.num_rows  # as it is in most files
    named = made if is_whole else pc.coalesce(source, made)
    return rows.set_column(index, rows.schema.field(index), named)


def row_names(first: int, count: int) -> Array:
    """Names of the rows of a file, of which the first has this number."""
    places = cast(numbers(np.arange(first, first + count)), pa.string())
    names: Array = call_function("binary_join_element_wise", [_OPEN, places, _CLOSE, _BETWEEN])
    return names


def own_values(batch: pa.RecordBatch) -> list[JsonValue | ReadError]:
    """Rows in columns of trajectories as the record takes them."""
    try:
        rows = conform(batch).to_pylist()
        others = batch.select(others_than_ours(batch.schema)).to_pylist()
    except (ConfigurationError, ValueError, OverflowError) as error:
        if batch.num_rows == 1:
            return [ReadError(str(error))]
        return [value for row in range(len(batch)) for value in own_values(batch.slice(row, 1))]
    return [_own_value(row, more) for row, more in zip(rows, others, strict=True)]


def _own_value(row: dict[str, JsonValue], others: dict[str, JsonValue]) -> JsonValue | ReadError:
    try:
        values = trajectory_values(row)
    except ReadError as error:
        return error
    return {**values, **{name: value for name, value in others.items() if value is not None}}
