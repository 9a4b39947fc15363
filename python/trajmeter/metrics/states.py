"""Scores each state once: rows that agree in everything a score depends on share it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import numbers, present, ragged, taken
from trajmeter.arrays.text import coded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from trajmeter.arrays import Array
    from trajmeter.kernels import Int64Array
    from trajmeter.records import Task

__all__ = ["States", "TaskCodes", "coded_lists", "coded_tasks", "distinct", "merged"]


class States(NamedTuple):
    """Rows grouped by equal values."""

    first: Int64Array
    """A row of each state."""
    codes: Int64Array
    """State of each row."""


def distinct(*columns: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> States:
    """Group rows that agree in all of these columns."""
    first, codes = np.zeros(0, np.int64), np.zeros(len(columns[0]), np.int64)
    for column in columns:
        _, ranks = np.unique(column, return_inverse=True)
        together = codes * (ranks.max(initial=0) + 1) + ranks
        _, first, codes = np.unique(together, return_index=True, return_inverse=True)
    return States(first, codes)


def merged(
    parts: Sequence[tuple[Int64Array, Mapping[str, Array]]],
) -> dict[str, Array]:
    """Merge columns for disjoint sets of rows into columns for all rows.

    Args:
        parts: Positions of rows, and their columns; every row occurs in one part.
    """
    filled = [part for part in parts if len(part[0])] or list(parts[:1])
    if len(filled) == 1:
        return dict(filled[0][1])
    place = np.argsort(np.concatenate([rows for rows, _ in filled]), kind="stable")
    names = filled[0][1]
    return {
        name: taken(pa.concat_arrays([columns[name] for _, columns in filled]), numbers(place))
        for name in names
    }


def coded_lists(column: Array) -> Int64Array:
    """Number the lists of a text column; equal lists share a number, null is -1."""
    values, offsets = ragged(column)
    memory = coded(values).codes.tobytes()
    places: dict[bytes, int] = {}
    width = np.dtype(np.int64).itemsize
    codes = [
        places.setdefault(memory[start:stop], len(places))
        for start, stop in pairwise((offsets * width).tolist())
    ]
    return np.where(present(column), np.array(codes, np.int64), -1)


class TaskCodes(NamedTuple):
    """The distinct tasks of rows."""

    tasks: list[Task | None]
    """The distinct tasks, in the order of first occurrence."""
    codes: Int64Array
    """Task of each row."""


def coded_tasks(tasks: Sequence[Task | None]) -> TaskCodes:
    """Number the tasks of rows; equal tasks are the same object."""
    place: dict[int, int] = {}
    codes = [place.setdefault(id(task), len(place)) for task in tasks]
    array = np.array(codes, np.int64)
    _, first = np.unique(array, return_index=True)
    return TaskCodes([tasks[at] for at in first.tolist()], array)
