"""Counts for each of many groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from trajmeter.kernels import Int64Array

__all__ = ["GroupCounts"]


class GroupCounts:
    """Counts for every group, several for each.

    Args:
        width: Number of counts per group.
    """

    def __init__(self, width: int) -> None:
        self._table = np.zeros((0, width), np.int64)

    def add(self, counts: Int64Array, numbers: Int64Array) -> None:
        """Add to the counts of some groups.

        Args:
            counts: A row for each of these groups.
            numbers: The groups; each occurs once.
        """
        needed = int(numbers.max(initial=-1)) + 1
        held, width = self._table.shape
        if needed > held:
            grown = np.zeros((max(needed, held + held // 2), width), np.int64)
            grown[:held] = self._table
            self._table = grown
        if needed == len(numbers) and (numbers[1:] > numbers[:-1]).all():  # all of them, from 0
            self._table[:needed] += counts
        else:
            self._table[numbers] += counts

    def merge(self, other: GroupCounts, numbers: Int64Array) -> None:
        """Add the counts of another table; its group i is group ``numbers[i]`` here."""
        theirs = other._table[: len(numbers)]
        self.add(theirs, numbers[: len(theirs)])

    def state(self) -> Int64Array:
        """The counts, for :meth:`restore`."""
        return self._table

    def restore(self, state: Int64Array) -> None:
        """Replace the counts with those of a state."""
        self._table = state

    def column(self, index: int, groups: Int64Array) -> Int64Array:
        """One count of each of some groups."""
        if groups.max(initial=-1) < len(self._table):
            own: Int64Array = self._table[:, index].take(groups)
            return own
        counts = np.zeros(len(groups), np.int64)
        held = groups < len(self._table)
        counts[held] = self._table[groups[held], index]
        return counts

    def counts(self, group: int | None) -> list[int]:
        """Counts for one group, or for all together."""
        if group is not None and group >= len(self._table):
            return [0] * self._table.shape[1]
        counts = self._table.sum(axis=0) if group is None else self._table[group]
        as_list: list[int] = counts.tolist()
        return as_list
