"""The pairing of two sides with the greatest total weight, by shortest augmenting paths.

Rows are added one by one. If the best column of a row is taken, the cheapest chain of changes that
ends at a free column is found: Dijkstra's search over reduced costs, which potentials keep at 0 or
more. With m and n on the two sides, m the smaller, that takes O(m m n) time. Whole numbers are
added without rounding. Many similar calls lead to long chains of changes that cost nothing; these
are found as bits of integers, with the same pairing.

Reference: R. Jonker and A. Volgenant, "A shortest augmenting path algorithm for dense and sparse
linear assignment problems", Computing 38 (1987).
"""

from __future__ import annotations

from math import inf, isnan
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import ValueDomainError
from trajmeter.kernels._python.assignment_whole import assign_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels._arrays import Float64Array, Int64Array

__all__ = ["assign"]

_LIMIT = 1e100
"""Greatest weight either way: sums of weights up to here stay far from infinity."""

_MANY, _REPEATED = 64, 8
"""From this many calls on, and this many for each distinct weight, chains are long enough for the
search by bits, which is 8 times faster for 300 calls, and 100 times for 2,000."""

_EXACT = 2.0**53
"""Whole numbers below this are added as doubles without rounding."""


def assign(weights: Float64Array, rows: int, columns: int, *, full: bool) -> Int64Array:
    """Pair rows with columns, each with at most one, to maximize the sum of the pairs' weights.

    Weights are exact if they are integers whose sums stay within 2**53; otherwise they are rounded
    as doubles. If there are several best pairings, both backends choose the same one.

    Args:
        weights: Weight of row i with column j, at ``i * columns + j``.
        rows: Number of rows.
        columns: Number of columns.
        full: Whether every row or every column, whichever are fewer, has to be paired. Otherwise
            only pairs that weigh more than 0 are made.

    Returns:
        For each row its column, or -1.

    Raises:
        ValueDomainError: A weight is NaN, or beyond 1e100 either way; the first one is named.

    Example:
        >>> import numpy as np
        >>> assign(np.array([7.0, 6.0, 8.0, 2.0]), 2, 2, full=False).tolist()
        [1, 0]
    """
    listed: list[float] = weights.tolist()
    for index, weight in enumerate(listed):
        if not -_LIMIT <= weight <= _LIMIT:
            shown = "NaN" if isnan(weight) else weight
            raise ValueDomainError(
                f"weight {index} is {shown}, expected a number from -1e+100 to 1e+100"
            )
    pair = assign_whole if _have_long_chains(listed, rows, columns) else _assign
    # Leaving two unpaired is worth 0, like pairing them at a weight of 0.
    costs = [-weight if full or weight > 0 else 0.0 for weight in listed]
    if rows <= columns:
        chosen = pair([costs[row * columns : (row + 1) * columns] for row in range(rows)])
    else:
        chosen = [-1] * rows
        for column, row in enumerate(pair([costs[column::columns] for column in range(columns)])):
            chosen[row] = column
    if not full:
        chosen = [
            column if column >= 0 and listed[row * columns + column] > 0 else -1
            for row, column in enumerate(chosen)
        ]
    return np.array(chosen, np.int64)


def _have_long_chains(weights: Sequence[float], rows: int, columns: int) -> bool:
    """Whether a few distinct weights are repeated many times, and their sums are exact."""
    side = min(rows, columns)
    if side < _MANY or len(set(weights)) * _REPEATED > side:
        return False
    largest = max(map(abs, weights)) * (rows + columns) * 4
    return largest < _EXACT and all(map(float.is_integer, weights))


def _assign(costs: Sequence[Sequence[float]]) -> list[int]:
    """Column of each row, at the least total cost; there are at least as many columns as rows."""
    columns = len(costs[0]) if costs else 0
    row_potential = [0.0] * len(costs)
    column_potential = [0.0] * columns
    row_of = [-1] * columns
    column_of = [-1] * len(costs)
    for entering in range(len(costs)):
        distance = [inf] * columns
        came_from = [-1] * columns
        open_columns = list(range(columns))
        reached: list[int] = []
        row, travelled = entering, 0.0
        while True:
            # Walk on from this row; the nearest open column, the first of equals, is next.
            offset = travelled - row_potential[row]
            row_costs = costs[row]
            nearest, at = inf, -1
            for index, column in enumerate(open_columns):
                known = distance[column]
                through = offset + row_costs[column] - column_potential[column]
                if through < known:
                    distance[column] = known = through
                    came_from[column] = row
                if known < nearest:
                    nearest, at = known, index
            column = open_columns.pop(at)
            travelled = nearest
            if row_of[column] < 0:
                break
            reached.append(column)
            row = row_of[column]
        row_potential[entering] += travelled
        for done in reached:
            row_potential[row_of[done]] += travelled - distance[done]
            column_potential[done] -= travelled - distance[done]
        while True:  # give the free column away along the chain
            row = came_from[column]
            row_of[column] = row
            column_of[row], column = column, column_of[row]
            if row == entering:
                break
    return column_of
