"""Parquet files, row group by row group: as values of records, and as columns of trajectories.

A file holds trajectories in columns if it says so in its metadata, or if its rows would be read as
Trajectory records: it has a column ``task_id``, and none by which another format knows its records.
Its columns are brought to the types of ours, as those of batches are, and a null stands for the
default. Other columns, and rows of other formats, are read as they are.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow.parquet import ParquetFile

from trajmeter.arrays import nulls
from trajmeter.conforming import conform, faulty, holds_pairs
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.readers._ranges import RowRange
from trajmeter.readers._recognition import format_of
from trajmeter.readers._registry import record_formats
from trajmeter.records import Trajectory
from trajmeter.remote import arrow_file
from trajmeter.schemas import trajectory_schema, trajectory_values

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from pydantic import JsonValue

    from trajmeter.readers._choice import Choice

__all__ = [
    "Rows",
    "holds_own",
    "others_than_ours",
    "own_rows",
    "own_values",
    "parquet_values",
    "stretches",
    "values_as_they_are",
    "with_sources",
]

_RECORDS = 64
"""Rows of which values are alive at a time."""
_BATCH_ROWS = 10_000
_BATCH_BYTES = 32 << 20
_RESULTS = ("tool_calls.result", "turns.tool_calls.result")
"""Columns that may be larger than all others, and are read only where they are wanted."""

Rows: TypeAlias = "tuple[int, pa.RecordBatch | ReadError]"
"""Number of the first row, and the rows, or why they and the rest of their row group are lost."""


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
    content = _open(file)
    is_own = may_be_own and holds_own(content.schema_arrow, partial(_first_row, content))
    for first, rows in _row_groups(content, rows=_RECORDS, within=within):
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
        content = _open(file)
    except ReadError:
        return None
    schema = content.schema_arrow
    if (
        choice.chosen is not None
        or not holds_own(content.schema_arrow, partial(_first_row, content))
        or ("extra" in columns and others_than_ours(schema))
    ):
        return None
    try:
        conform(pa.RecordBatch.from_pylist([], schema=schema))
    except ConfigurationError:
        return None
    paths = _leaves(schema)
    wanted = {*columns}
    if not _says_so(schema):
        wanted = {_with_calls(name) for name in columns}
    left_out = [name for name in _RESULTS if not _is_within(name, columns)]
    chosen = [
        index
        for index, path in enumerate(paths)
        if _is_within(path, wanted) and not _is_within(path, left_out)
    ]
    found = {paths[index].partition(".")[0] for index in chosen}
    if ({name.partition(".")[0] for name in wanted} & set(schema.names)) - found:
        return None  # of lists, only a member that the file lacks is wanted
    described = content.schema
    size = sum(
        content.metadata.row_group(group).total_byte_size for group in range(content.num_row_groups)
    )
    rows = _BATCH_BYTES * max(content.metadata.num_rows, 1) // max(size, 1)
    return _row_groups(
        content,
        rows=max(_RECORDS, min(rows, _BATCH_ROWS)),
        columns=[described.column(index).path for index in chosen],
        within=within,
    )


def stretches(batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch | None]]:
    """Cut rows into those that are valid records, in our columns, and single ones that may not be.

    Yields:
        The number of the first row, and the rows; ``None`` for one that may be invalid.
    """
    try:
        batch.validate(full=True)
        whole = conform(batch)
    except (ConfigurationError, pa.ArrowInvalid):
        if batch.num_rows == 1:
            yield 0, None
            return
        middle = batch.num_rows // 2
        yield from stretches(batch.slice(0, middle))
        for start, rows in stretches(batch.slice(middle)):
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


def with_sources(rows: pa.RecordBatch, file: str, records: Sequence[str]) -> pa.RecordBatch:
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
        "file": pa.repeat(file, rows.num_rows),
        "line": nulls(rows.num_rows, pa.int64()),
        "record": pa.array(records, pa.string()),
    }
    made = pa.StructArray.from_arrays(
        [places[field.name] for field in source.type], fields=list(source.type)
    )
    is_whole = source.null_count == rows.num_rows  # as it is in most files
    named = made if is_whole else pc.coalesce(source, made)
    return rows.set_column(index, rows.schema.field(index), named)


def own_values(batch: pa.RecordBatch) -> list[JsonValue | ReadError]:
    """Rows in columns of trajectories as the record takes them."""
    try:
        rows = conform(batch).to_pylist()
        others = batch.select(others_than_ours(batch.schema)).to_pylist()
    except (ConfigurationError, ValueError) as error:
        if batch.num_rows == 1:
            return [ReadError(str(error))]
        return [value for row in range(len(batch)) for value in own_values(batch.slice(row, 1))]
    return [_own_value(row, more) for row, more in zip(rows, others, strict=True)]


def _open(file: BinaryIO) -> ParquetFile:
    """Open a file.

    Raises:
        ReadError: Its footer is missing or corrupt.
    """
    try:
        return ParquetFile(arrow_file(file), page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise ReadError(f"invalid Parquet: {error}") from error


def _own_value(row: dict[str, JsonValue], others: dict[str, JsonValue]) -> JsonValue | ReadError:
    try:
        values = trajectory_values(row)
    except ReadError as error:
        return error
    return {**values, **{name: value for name, value in others.items() if value is not None}}


def values_as_they_are(batch: pa.RecordBatch) -> list[JsonValue | ReadError]:
    """Rows as records in JSON."""
    try:
        return [*batch.to_pylist()]
    except ValueError as error:  # text that is not UTF-8
        if batch.num_rows == 1:
            return [ReadError(str(error))]
        return [
            value for row in range(len(batch)) for value in values_as_they_are(batch.slice(row, 1))
        ]


def holds_own(schema: pa.Schema, first_row: Callable[[], dict[str, JsonValue] | None]) -> bool:
    """Whether columns are those of trajectories.

    Args:
        schema: The columns.
        first_row: Gives the first row as it is, if there is one.
    """
    if _says_so(schema):
        return True
    names = dict.fromkeys(schema.names)
    if len(names) < len(schema.names) or "task_id" not in names:
        return False
    candidates = record_formats(Trajectory, names)
    if len(candidates) == 1:
        return True
    try:
        known = format_of(first_row() or names, candidates)
    except ReadError:
        return False
    return known is not None and known.name == "trajectory-records"


def _first_row(content: ParquetFile) -> dict[str, JsonValue] | None:
    """The first row as it is; ``None`` where there is none that can be read."""
    for _, rows in _row_groups(content, rows=1):
        if not isinstance(rows, ReadError):
            (value,) = values_as_they_are(rows)
            return value if isinstance(value, dict) else None
    return None


def _says_so(schema: pa.Schema) -> bool:
    """Whether a file says that its columns are those of trajectories."""
    mark = trajectory_schema().metadata or {}
    return mark.items() <= (schema.metadata or {}).items()


def others_than_ours(schema: pa.Schema) -> list[str]:
    """Columns that trajectories do not have."""
    return [name for name in schema.names if name not in Trajectory.model_fields]


def _row_groups(
    content: ParquetFile,
    *,
    rows: int,
    columns: list[str] | None = None,
    within: RowRange | None = None,
) -> Iterator[Rows]:
    first = 0
    wanted = within or RowRange(0, content.metadata.num_rows)
    for group in range(content.num_row_groups):
        end = first + content.metadata.row_group(group).num_rows
        if end <= wanted.first or first >= wanted.stop:
            first = end
            continue
        try:
            for batch in content.iter_batches(rows, row_groups=[group], columns=columns):
                begin = min(max(wanted.first - first, 0), batch.num_rows)
                part = batch.slice(begin, max(wanted.stop - first - begin, 0))
                if part.num_rows:
                    yield first + begin, part
                first += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            yield (
                first,
                ReadError(
                    f"row group {group} cannot be read, rows [{first}] to [{end - 1}]: {error}"
                ),
            )
        first = end


def _leaves(schema: pa.Schema) -> list[str]:
    """Columns of a file as trajectories name them, those within records behind a dot."""

    def below(path: str, arrow_type: pa.DataType) -> Iterator[str]:
        if pa.types.is_map(arrow_type):
            yield path
            yield from below(path, arrow_type.item_type)
        elif pa.types.is_struct(arrow_type):
            for field in arrow_type.fields:
                yield from below(f"{path}.{field.name}", field.type)
        elif hasattr(arrow_type, "value_field"):  # a list of any kind
            item = arrow_type.value_field.type
            # Keys and values are a mapping, and nothing in it has a name of its own.
            within = [each.type for each in item] if holds_pairs(arrow_type) else [item]
            for each in within:
                yield from below(path, each)
        else:
            yield path

    return [leaf for field in schema for leaf in below(field.name, field.type)]


def _with_calls(name: str) -> str:
    """A column, or the calls that it is of: they may have names and arguments in other places."""
    head, calls, _ = name.partition("tool_calls.")
    return f"{head}tool_calls" if calls else name


def _is_within(path: str, wanted: Collection[str]) -> bool:
    return any(f"{path}.".startswith(f"{name}.") for name in wanted)
