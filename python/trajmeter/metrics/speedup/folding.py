"""Attempts folded by agent and task: of several attempts at a task, their mean counts."""

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
"""Integers up to here add up without rounding."""

_SUCCESS = FIGURES.index("success")


class AttemptColumns(NamedTuple):
    """What is kept of attempts."""

    group: Int64Array
    """Group of each attempt."""
    agent: Int64Array
    """Its agent, by number."""
    task: Int64Array
    """Its task, by number."""
    trial: Int64Array
    """Its trial, by number; -1 where the metric raised."""
    resolved: BoolArray
    """Whether the trial is resolved."""
    is_counted: BoolArray
    """Whether the attempt is one at its task, not replaced by another agent's record."""
    values: Float64Array
    """A line for each attempt with its figures, 0 where it has none."""
    present: BoolArray
    """Which figures it has."""

    @classmethod
    def joined(cls, parts: Sequence[AttemptColumns]) -> AttemptColumns:
        """The attempts of several parts."""
        columns: list[Any] = [np.concatenate(column) for column in zip(*parts, strict=True)]
        return cls(*columns)

    def some(self, rows: BoolArray) -> AttemptColumns:
        """Some of the attempts."""
        columns: list[Any] = [column[rows] for column in self]
        return AttemptColumns(*columns)


class Folded(NamedTuple):
    """Figures of each group, over agents and tasks."""

    tasks: Int64Array
    """The most tasks that an agent of the group attempted."""
    folds: Int64Array
    """Pairs of agent and task, or attempts where each counts."""
    scored: Int64Array
    """How many of them have each figure."""
    sums: ExactSums
    """Sums of their figures."""
    successes: list[Counter[tuple[int, int]]]
    """How many tasks have so many attempts, known to have succeeded or not, and successes."""


def fold(attempts: AttemptColumns, groups: int, *, each: bool) -> Folded:
    """Fold attempts by group, agent and task.

    Args:
        attempts: The attempts, in the order in which they came.
        groups: Number of groups.
        each: Whether each attempt counts by itself, and trials tell how many succeeded.
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
        own = group_of[has_any]
        scored[:, index] = np.bincount(own, minlength=groups)
        sums.add(means[has_any], own * len(FIGURES) + index, numbers)
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
    """Pairs of numbers, each once."""

    codes: Int64Array
    """Which pair each row has."""
    left: Int64Array
    """The first number of each pair."""
    right: Int64Array
    """The second number of each pair."""

    @classmethod
    def of(cls, left: Int64Array, right: Int64Array) -> _Pairs:
        """Pairs of two columns."""
        width = int(right.max(initial=0)) + 1
        pairs, codes = np.unique(left * width + right, return_inverse=True)
        return cls(codes, pairs // width, pairs % width)


def _means(values: Float64Array, cells: Int64Array, count: int) -> tuple[Float64Array, BoolArray]:
    """Mean of the values of each cell, each sum rounded once, and which cells have any."""
    sizes = np.bincount(cells, minlength=count)
    # The sum of two floats is rounded once, and that of small integers is not rounded at all.
    is_whole = bool(np.all(values == np.rint(values))) and np.abs(values).sum() < _EXACT
    adds_up = np.full(len(values), is_whole) | (sizes[cells] <= 2)  # noqa: PLR2004 - two floats
    # Of no values at all, numpy's sums are integers.
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
    """Trials of each task and those that are resolved, as the last attempt in each of them says."""
    known = attempts.trial >= 0
    tasks = _Pairs.of(attempts.group[known], attempts.task[known])
    trials = _Pairs.of(tasks.codes, attempts.trial[known])
    last = np.zeros(len(trials.left), np.int64)
    last[trials.codes] = np.arange(len(trials.codes))  # of equal places the last one is kept
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
