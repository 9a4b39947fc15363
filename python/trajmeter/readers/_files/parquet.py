"""Reads Parquet files one row group at a time, with any columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

import pyarrow as pa
from pyarrow.parquet import ParquetFile

from trajmeter.errors import ReadError
from trajmeter.readers._files.ranges import RowRange
from trajmeter.remote import arrow_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pydantic import JsonValue

__all__ = [
    "Rows",
    "first_row",
    "open_beginning",
    "open_parquet",
    "row_groups",
    "values_as_they_are",
]

_PART_BYTES = 1 << 16
"""Bytes of a column to read at a time if only the first rows are wanted."""

Rows: TypeAlias = "tuple[int, pa.RecordBatch | ReadError]"
"""Number of the first row, and the rows or the error that lost the rest of their row group."""


def open_parquet(
    file: BinaryIO,
    opened: ParquetFile | None = None,
    coded: Collection[str] = (),
    **options: Any,  # noqa: ANN401 - of pyarrow
) -> ParquetFile:
    """Open a Parquet file.

    Args:
        file: The file.
        opened: The same file, if it is already open.
        coded: Text columns to read as dictionaries.
        **options: Further options of pyarrow.

    Raises:
        ReadError: The footer is missing or corrupt.
    """
    try:
        return ParquetFile(
            arrow_file(file),
            metadata=None if opened is None else opened.metadata,
            read_dictionary=[*coded],
            **options,
            page_checksum_verification=True,
        )
    except (pa.ArrowException, OSError) as error:
        raise ReadError(f"invalid Parquet: {error}") from error
    except UnicodeDecodeError as error:
        raise ReadError(
            f"invalid Parquet: the name of a column is not UTF-8: {error.object!r}"
        ) from error


def open_beginning(file: BinaryIO, opened: ParquetFile) -> ParquetFile:
    """Open a file of which only the first rows are wanted.

    A large row group is read column by column and in parts, unless the file is remote: its columns
    are then read in one request, not in one or several each.

    Args:
        file: The file.
        opened: The same file, which is already open.

    Raises:
        ReadError: The file cannot be opened again.
    """
    metadata = opened.metadata
    is_large = (
        metadata.num_row_groups > 0
        and metadata.row_group(0).total_byte_size > _PART_BYTES * metadata.num_columns
    )
    if is_large and arrow_file(file) is file:
        return open_parquet(file, opened, pre_buffer=False, buffer_size=_PART_BYTES)
    return open_parquet(file, opened, pre_buffer=True)  # not the default of older pyarrow


def row_groups(
    content: ParquetFile,
    *,
    rows: int,
    columns: list[str] | None = None,
    within: RowRange | None = None,
) -> Iterator[Rows]:
    """Yield the row groups of a file in order.

    Args:
        content: The file.
        rows: Maximum number of rows in a batch.
        columns: Names of the columns to read; all by default.
        within: Rows to read; all by default.
    """
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


def first_row(file: BinaryIO, opened: ParquetFile) -> dict[str, JsonValue] | None:
    """Return the first row of an open file unconverted; ``None`` if no row can be read."""
    try:
        content = open_beginning(file, opened)
    except ReadError:
        return None
    for _, rows in row_groups(content, rows=1):
        if not isinstance(rows, ReadError):
            (value,) = values_as_they_are(rows)
            return value if isinstance(value, dict) else None
    return None


def values_as_they_are(batch: pa.RecordBatch) -> list[JsonValue | ReadError]:
    """Convert rows to JSON records, with values unchanged."""
    try:
        return [*batch.to_pylist()]
    except (ValueError, OverflowError) as error:  # text that is not UTF-8, or a time out of range
        if batch.num_rows == 1:
            return [ReadError(str(error))]
        return [
            value for row in range(len(batch)) for value in values_as_they_are(batch.slice(row, 1))
        ]
