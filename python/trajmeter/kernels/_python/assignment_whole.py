"""The cheapest pairing for costs that are whole numbers, with columns as bits of integers.

It finds the same pairing as the search of :mod:`trajmeter.kernels._python.assignment`, which
examines every column for every row that it visits. If many calls are alike, such a search visits
hundreds of rows at no cost. Sums of whole numbers are exact, so an edge either costs nothing or
not; the columns that a row reaches at no cost are the bits of an integer, which are kept until a
potential changes. Other edges are measured only once no column is left that is as near.
"""

from __future__ import annotations

from itertools import repeat
from math import inf
from operator import add, eq, sub
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["assign_whole"]

_DIGITS = b"01" + bytes(254)


def assign_whole(costs: Sequence[Sequence[float]]) -> list[int]:
    """Column of each row, at the least total cost; there are at least as many columns as rows.

    Args:
        costs: Whole numbers, small enough to be added up without rounding, row by row.
    """
    pairing = _Pairing(costs)
    for entering in range(len(costs)):
        pairing.enter(entering)
    return pairing.column_of


class _Reached(NamedTuple):
    """A column that a search has reached."""

    column: int
    distance: float
    rows: int
    """Rows visited before."""


class _Pairing:
    """A pairing of the rows added so far."""

    column_of: list[int]
    """Column of each row, or -1."""

    def __init__(self, costs: Sequence[Sequence[float]]) -> None:
        self.column_of = [-1] * len(costs)
        self._costs = costs
        self._columns = len(costs[0]) if costs else 0
        self._row_of = [-1] * self._columns
        self._row_potential = [0.0] * len(costs)
        self._column_potential = [0.0] * self._columns
        self._tight: dict[int, int] = {}
        """The columns that a row reaches at no cost."""

    def enter(self, entering: int) -> None:
        """Pair one more row, by the cheapest chain of changes that ends at a free column."""
        walked, reached = self._search(entering)
        chain = self._chain(walked, reached)
        self._move(entering, reached)
        for row, column in chain:
            self._row_of[column] = row
            self.column_of[row] = column

    def _search(self, entering: int) -> tuple[list[tuple[int, float]], list[_Reached]]:
        """Rows in the order of their visit, with their offsets, and columns, the last one free."""
        distances = [inf] * self._columns
        is_open = (1 << self._columns) - 1
        walked: list[tuple[int, float]] = []
        measured = 0  # the visited rows whose edges are all in the distances
        reached: list[_Reached] = []
        row, travelled, near = entering, 0.0, 0
        while row >= 0:
            walked.append((row, travelled - self._row_potential[row]))
            if row != entering:
                near |= self._at_no_cost(row) & is_open
            if not near:  # nothing is left at this distance
                for other, offset in walked[measured:]:
                    ways = map(add, repeat(offset), self._costs[other])
                    distances = list(map(min, distances, map(sub, ways, self._column_potential)))
                measured = len(walked)
                for each in reached:
                    distances[each.column] = inf
                travelled = min(distances)
                near = _where(distances, travelled)
            bit = near & -near  # the nearest open column, the first of equals
            near, is_open = near ^ bit, is_open ^ bit
            reached.append(_Reached(bit.bit_length() - 1, travelled, len(walked)))
            row = self._row_of[reached[-1].column]
        return walked, reached

    def _at_no_cost(self, row: int) -> int:
        if row not in self._tight:
            ways = map(sub, self._costs[row], self._column_potential)
            self._tight[row] = _where(ways, self._row_potential[row])
        return self._tight[row]

    def _chain(
        self, walked: Sequence[tuple[int, float]], reached: Sequence[_Reached]
    ) -> list[tuple[int, int]]:
        """New pairs, from the free column back to the added row."""
        by_column = {each.column: each for each in reached}
        chain: list[tuple[int, int]] = []
        column = reached[-1].column
        while column >= 0:
            _, distance, rows = by_column[column]
            potential = self._column_potential[column]
            # A column was reached from the first row from which it was as near.
            row = next(
                row
                for row, offset in walked[:rows]
                if offset + self._costs[row][column] - potential == distance
            )
            chain.append((row, column))
            column = self.column_of[row]
        return chain

    def _move(self, entering: int, reached: Sequence[_Reached]) -> None:
        """Change potentials so that no edge has a negative cost."""
        travelled = reached[-1].distance
        self._row_potential[entering] += travelled
        moved = 0
        for column, distance, _ in reached[:-1]:
            if distance < travelled:
                row = self._row_of[column]
                self._row_potential[row] += travelled - distance
                self._column_potential[column] -= travelled - distance
                self._tight.pop(row, None)
                moved |= 1 << column
        if moved:  # away from every row that did not move as far
            self._tight = {row: bits & ~moved for row, bits in self._tight.items()}


def _where(values: Iterable[float], wanted: float) -> int:
    """Positions of a value, as bits."""
    return int(bytes(map(eq, values, repeat(wanted)))[::-1].translate(_DIGITS), 2)
