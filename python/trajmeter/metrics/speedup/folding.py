"""Folds attempts by agent and task: several attempts at a task count as their mean."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.statistics.exact_sums import ExactSums

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import BoolArray, Float64Array, Int64Array

__all__ = ["FIGURES", "AttemptColumns", "Folded", "fold"]

FIGURES = (
    "task_speedup",
    "success",
    "agent_advantage",
    "agent_advantage_level1",
    "agent_advantage_level2",
    "agent_advantage_level3",
    "agent_advantage_level4",
    "task_cost_usd",
    "trajectory_length",
    "num_benchmarks",
    "num_valid_benchmarks",
)
"""Figures of an attempt that are averaged over the attempts at a task."""

_EXACT = 2.0**53
"""Integers up to this sum are exact in floats."""

_SUCCESS = FIGURES.index("success")


class AttemptColumns(NamedTuple):
    """The data kept for each attempt."""

    group: Int64Array
    """Group of each attempt."""
    agent: Int64Array
    """Number of its agent."""
    task: Int64Array
    """Number of its task."""
    trial: Int64Array
    """Number of its trial; -1 if the metric raised."""
    resolved: BoolArray
    """Whether the trial is resolved."""
    is_counted: BoolArray
    """Whether the attempt counts, because no other agent's record replaces it."""
    values: Float64Array
    """Figures, shape (attempts, figures); 0 if missing."""
    present: BoolArray
    """Whether each figure is present, in the same shape."""

    @classmethod
    def joined(cls, parts: Sequence[AttemptColumns]) -> AttemptColumns:
        """Concatenate the attempts of several parts."""
        parts = [_NO_ATTEMPTS, *parts]
        columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return cls(*columns)

    def some(self, rows: BoolArray) -> AttemptColumns:
        """Select attempts by a mask."""
        columns: list[Any] = [column[rows] for column in self]
        return AttemptColumns(*columns)


_NO_NUMBERS = np.zeros(0, np.int64)
_NO_FLAGS = np.zeros(0, np.bool_)
_NO_ATTEMPTS = AttemptColumns(
    group=_NO_NUMBERS,
    agent=_NO_NUMBERS,
    task=_NO_NUMBERS,
    trial=_NO_NUMBERS,
    resolved=_NO_FLAGS,
    is_counted=_NO_FLAGS,
    values=np.zeros((0, len(FIGURES)), np.float64),
    present=np.zeros((0, len(FIGURES)), np.bool_),
)


class Folded(NamedTuple):
    """Figures of each group, folded by agent and task."""

    tasks: Int64Array
    """Maximum number of tasks attempted by an agent of the group."""
    folds: Int64Array
    """Number of agent-task pairs, or of attempts if each counts by itself."""
    scored: Int64Array
    """Number of them with each figure."""
    sums: ExactSums
    """Sums of their figures."""
    successes: list[Counter[tuple[int, int]]]
    """Number of tasks by (attempts known to have succeeded or not, successes)."""


def fold(attempts: AttemptColumns, groups: int, *, each: bool) -> Folded:
    """Fold attempts by group, agent and task.

    Args:
        attempts: The attempts, in order of arrival.
        groups: Number of groups.
        each: Whether each attempt counts by itself, and successes are counted by trial.
    """
    counted = attempts.some(attempts.is_counted)
    owners = _Pairs.of(counted.group, counted.agent)
    if each:
        cells = np.arange(len(counted.group))
        owner_of, count = owners.codes, len(cells)
    else:
        pairs = _Pairs.of(owners.codes, counted.task)
        cells, owner_of, count = pairs.codes, pairs.left, len(pairs.left)
    group_of = owners.left[owner_of]
    tasks = np.zeros(groups, np.int64)
    np.maximum.at(tasks, owners.left, np.bincount(owner_of, minlength=len(owners.left)))
    scored = np.zeros((groups, len(FIGURES)), np.int64)
    sums = ExactSums(len(FIGURES))
    numbers = np.arange(groups)
    for index in range(len(FIGURES)):
        present = counted.present[:, index]
        means, has_any = _means(counted.values[present, index], cells[present], count)
        scored_groups = group_of[has_any]
        scored[:, index] = np.bincount(scored_groups, minlength=groups)
        sums.add(means[has_any], scored_groups * len(FIGURES) + index, numbers)
    if each:
        successes = _resolved_trials(attempts, groups)
    else:
        judged = counted.present[:, _SUCCESS]
        passed = judged & (counted.values[:, _SUCCESS] > 0)
        successes = _successes(
            group_of,
            np.bincount(cells[judged], minlength=count),
            np.bincount(cells[passed], minlength=count),
            groups,
        )
    folds = np.bincount(group_of, minlength=groups)
    return Folded(tasks, folds, scored, sums, successes)


class _Pairs(NamedTuple):
    """Distinct pairs of numbers."""

    codes: Int64Array
    """Index of each row's pair."""
    left: Int64Array
    """The first number of each pair."""
    right: Int64Array
    """The second number of each pair."""

    @classmethod
    def of(cls, left: Int64Array, right: Int64Array) -> _Pairs:
        """Find the distinct pairs of two columns."""
        width = int(right.max(initial=0)) + 1
        pairs, codes = np.unique(left * width + right, return_inverse=True)
        return cls(codes, pairs // width, pairs % width)


def _means(values: Float64Array, cells: Int64Array, count: int) -> tuple[Float64Array, BoolArray]:
    """Mean of each cell's values, from sums rounded only once, and whether the cell has any."""
    sizes = np.bincount(cells, minlength=count)
    # A sum of two floats is rounded once; sums of small integers are exact.
    is_whole = bool(np.all(values == np.rint(values))) and np.abs(values).sum() < _EXACT
    adds_up = np.full(len(values), is_whole) | (sizes[cells] <= 2)  # noqa: PLR2004 - two floats
    # numpy returns integers if there are no values at all.
    means = np.bincount(cells[adds_up], values[adds_up], count).astype(np.float64)
    if not adds_up.all():
        others = np.flatnonzero(~adds_up)
        others = others[np.argsort(cells[others], kind="stable")]
        owners, rest = cells[others], values[others].tolist()
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        for start, stop in pairwise([*starts.tolist(), len(rest)]):
            means[owners[start]] = fsum(rest[start:stop])
    return means / np.maximum(sizes, 1), sizes > 0


def _resolved_trials(attempts: AttemptColumns, groups: int) -> list[Counter[tuple[int, int]]]:
    """Trials of each task and how many are resolved, according to the last attempt of each."""
    known = attempts.trial >= 0
    tasks = _Pairs.of(attempts.group[known], attempts.task[known])
    trials = _Pairs.of(tasks.codes, attempts.trial[known])
    last = np.zeros(len(trials.left), np.int64)
    last[trials.codes] = np.arange(len(trials.codes))  # the last assignment wins
    resolved = attempts.resolved[known][last]
    return _successes(
        tasks.left,
        np.bincount(trials.left, minlength=len(tasks.left)),
        np.bincount(trials.left[resolved], minlength=len(tasks.left)),
        groups,
    )


def _successes(
    group_of: Int64Array, judged: Int64Array, passed: Int64Array, groups: int
) -> list[Counter[tuple[int, int]]]:
    counts: list[Counter[tuple[int, int]]] = [Counter() for _ in range(groups)]
    kinds = _Pairs.of(judged, passed)
    by_group = _Pairs.of(group_of, kinds.codes)
    times = np.bincount(by_group.codes).tolist()
    owners, kind_of = by_group.left.tolist(), by_group.right.tolist()
    names = list(zip(kinds.left.tolist(), kinds.right.tolist(), strict=True))
    for group, kind, number in zip(owners, kind_of, times, strict=True):
        counts[group][names[kind]] = number
    return counts
