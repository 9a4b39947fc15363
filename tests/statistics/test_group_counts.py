"""Counts of groups."""

from __future__ import annotations

import numpy as np

from trajmeter.statistics.group_counts import GroupCounts


def test_counts_of_unknown_groups_are_zero() -> None:
    counts = GroupCounts(2)
    counts.add(np.array([[1, 2], [3, 4]]), np.array([4, 0]))
    assert [counts.counts(group) for group in (0, 1, 4, 9)] == [[3, 4], [0, 0], [1, 2], [0, 0]]
    assert counts.counts(None) == [4, 6]
