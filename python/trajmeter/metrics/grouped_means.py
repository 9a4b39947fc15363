"""Means of all groups of attempts, from exact sums."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.metrics._result import Mean
from trajmeter.records.record import frozen
from trajmeter.statistics.counted_sums import CountedColumn, count_columns
from trajmeter.statistics.exact_sums import ExactSums
from trajmeter.statistics.group_counts import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.metrics.scored_columns import GroupedRows, Numbers

__all__ = ["GroupedMeans", "MeanInput"]


class MeanInput(NamedTuple):
    """The input of a mean."""

    values: Numbers
    """The value of each attempt that has one."""
    counted: BoolArray
    """Which attempts could have one."""


class GroupedMeans:
    """Several means per group, from exact sums, so order does not matter.

    Args:
        width: Number of means per group.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._sums = ExactSums(width)
        self._scored, self._total = GroupCounts(width), GroupCounts(width)

    def add(self, means: Sequence[MeanInput], groups: GroupedRows) -> None:
        """Count the values of some attempts.

        Args:
            means: Values of each mean.
            groups: Group of each attempt.
        """
        rows, numbers = groups
        columns = [
            CountedColumn(each.values.values, each.values.present & each.counted, each.values.rest)
            for each in means
        ]
        count_columns(columns, rows, numbers, counts=self._scored, sums=self._sums)
        # Most means count the same rows, so each mask is counted once.
        masks = {id(each.counted): each.counted for each in means}
        found = {
            key: np.bincount(rows[mask], minlength=len(numbers)) for key, mask in masks.items()
        }
        self._total.add(np.stack([found[id(each.counted)] for each in means], axis=1), numbers)

    def merge(self, other: GroupedMeans, numbers: Int64Array) -> None:
        """Add the counts of another; its group i is group ``numbers[i]`` here."""
        self._sums.merge(other._sums, numbers)
        self._scored.merge(other._scored, numbers)
        self._total.merge(other._total, numbers)

    def state(self) -> dict[str, Any]:
        """The counts, for :meth:`restore`."""
        return {
            "sums": self._sums.state(),
            "scored": self._scored.state(),
            "total": self._total.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the counts with those of a state."""
        self._sums.restore(state["sums"])
        self._scored.restore(state["scored"])
        self._total.restore(state["total"])

    def means(self, group: int | None) -> list[Mean]:
        """The means of one group, or of all together."""
        sums = self._sums.totals(group)
        counts = zip(self._scored.counts(group), self._total.counts(group), strict=True)
        values = (
            {
                "value": float(sums.mean(index, scored)) if scored else None,
                "scored": scored,
                "total": total,
            }
            for index, (scored, total) in enumerate(counts)
        )
        return [frozen(Mean, each) for each in values]
