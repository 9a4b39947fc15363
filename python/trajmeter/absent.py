"""Trajectory columns that a file lacks: null in every row, and created once for all batches."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from trajmeter.schemas import trajectory_schema

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["absent_columns"]

_ROWS = (64, 1 << 14)
"""Rows to create at a time, enough for a small file and most batches: creating nested columns takes
longer than slicing them."""


def absent_columns(rows: int) -> list[pa.Array[Any]]:
    """Every column of :func:`trajmeter.schemas.trajectory_schema`, all null.

    Args:
        rows: Number of rows.
    """
    enough = next((most for most in _ROWS if rows <= most), None)
    if enough is None:
        return _nulls(rows)
    return [column.slice(0, rows) for column in _made(enough)]


@cache
def _made(rows: int) -> list[pa.Array[Any]]:
    return _nulls(rows)


def _nulls(rows: int) -> list[pa.Array[Any]]:
    import pyarrow as pa

    return [pa.nulls(rows, field.type) for field in trajectory_schema()]
