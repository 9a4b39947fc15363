"""Fills trajectory columns that a file lacks: with nulls, or with the default of the field.

Columns that hold one value are created once and sliced for each batch.
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

_KEPT_LENGTHS = (64, 1 << 14)
"""Lengths of the kept columns, enough for a small file and for most batches: creating nested
columns takes longer than slicing them."""


def absent_columns(rows: int) -> list[pa.Array[Any]]:
    """Every column of :func:`trajmeter.schemas.trajectory_schema`, all null.

    Args:
        rows: Number of rows.
    """
    enough = _enough(rows)
    if enough is None:
        return _nulls(rows)
    return [column.slice(0, rows) for column in _kept_nulls(enough)]


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
def _defaults() -> dict[int, Any]:
    """Default scalars by column index; free values (JSON) have none, in rows of records too."""
    from trajmeter.arrays.nested import value_array  # pa.scalar would import pandas

    members = zip(trajectory_shape().members, trajectory_schema(), strict=True)
    return {
        index: value_array(
            [[*value] if isinstance(value := member.default, dict) else value], kind.type
        )[0]
        for index, (member, kind) in enumerate(members)
        if member.default is not None and member.shape.kind != "json"
    }


def _only_default(index: int, rows: int) -> pa.Array[Any]:
    """The column at this index with its default in every row."""
    enough = _enough(rows)
    if enough is None:
        return _repeated(index, rows)
    return _kept_default(index, enough).slice(0, rows)


@cache
def _kept_default(index: int, rows: int) -> pa.Array[Any]:
    return _repeated(index, rows)


def _repeated(index: int, rows: int) -> pa.Array[Any]:
    import pyarrow as pa

    default: Any = _defaults()[index]
    column: pa.Array[Any] = pa.repeat(default, rows)
    return column


def _enough(rows: int) -> int | None:
    """Length of the kept column to slice for so many rows; ``None`` if none is long enough."""
    return next((most for most in _KEPT_LENGTHS if rows <= most), None)


@cache
def _kept_nulls(rows: int) -> list[pa.Array[Any]]:
    return _nulls(rows)


def _nulls(rows: int) -> list[pa.Array[Any]]:
    import pyarrow as pa

    return [pa.nulls(rows, field.type) for field in trajectory_schema()]
