"""Trajectory columns that a file lacks, and the defaults of those that have one.

Absent columns are null in every row, and created once for all batches.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from trajmeter.schemas import trajectory_schema
from trajmeter.shapes import trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa

__all__ = ["absent_columns", "with_defaults"]

_ROWS = (64, 1 << 14)
"""Rows to create at a time, enough for a small file and most batches: creating nested columns takes
longer than slicing them."""


def absent_columns(rows: int) -> list[pa.Array[Any]]:
    """Every column of :func:`trajmeter.schemas.trajectory_schema`, all null.

    Args:
        rows: Number of rows.
    """
    enough = _enough(rows)
    if enough is None:
        return _nulls(rows)
    return [column.slice(0, rows) for column in _made(enough)]


def with_defaults(rows: pa.RecordBatch, wanted: Collection[str]) -> pa.RecordBatch:
    """Replace null by the default of its column, as rows of records have it.

    Args:
        rows: Rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
        wanted: Names of the columns to fill; the others remain null.
    """
    from trajmeter.arrays import call_function

    columns = [*rows.columns]
    for index, default in _defaults().items():
        column = columns[index]
        if not column.null_count or rows.schema.names[index] not in wanted:
            continue
        if column.null_count == len(column):  # Arrow takes 6 ms to fill 10,000 maps
            columns[index] = _only_default(index, len(column))
        else:
            columns[index] = call_function("coalesce", [column, default])
    return rows.from_arrays(columns, schema=rows.schema)


@cache
def _defaults() -> dict[int, pa.Scalar[Any]]:
    """Defaults by the index of their column; that of free values is null in rows of records too."""
    from trajmeter.nested_arrays import value_array  # pa.scalar would import pandas

    members = zip(trajectory_shape().members, trajectory_schema(), strict=True)
    return {
        index: value_array(
            [[*value] if isinstance(value := member.default, dict) else value], kind.type
        )[0]
        for index, (member, kind) in enumerate(members)
        if member.default is not None and member.shape.kind != "json"
    }


def _only_default(index: int, rows: int) -> pa.Array[Any]:
    """The column of this index with its default in every row."""
    enough = _enough(rows)
    if enough is None:
        return _repeated(index, rows)
    return _made_repeated(index, enough).slice(0, rows)


@cache
def _made_repeated(index: int, rows: int) -> pa.Array[Any]:
    return _repeated(index, rows)


def _repeated(index: int, rows: int) -> pa.Array[Any]:
    import pyarrow as pa

    default: Any = _defaults()[index]
    column: pa.Array[Any] = pa.repeat(default, rows)
    return column


def _enough(rows: int) -> int | None:
    """Number of rows to create and keep for so many; ``None`` if they are too many to keep."""
    return next((most for most in _ROWS if rows <= most), None)


@cache
def _made(rows: int) -> list[pa.Array[Any]]:
    return _nulls(rows)


def _nulls(rows: int) -> list[pa.Array[Any]]:
    import pyarrow as pa

    return [pa.nulls(rows, field.type) for field in trajectory_schema()]
