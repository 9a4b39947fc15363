"""Sums over the rows of results tables, from which all estimates are computed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.summaries.attempt_keys import FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.summaries.attempt_keys import AttemptKeys, Units
    from trajmeter.summaries.figure_sums import FigureSums

__all__ = ["ReadColumns", "ResultSums"]


class ReadColumns(NamedTuple):
    """Columns of a table that were read; a row with an unreadable value in one does not count."""

    texts: tuple[str, ...]
    """Columns read as text."""
    numbers: tuple[str, ...]
    """Columns read as numbers."""

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return frozenset((*self.texts, *self.numbers))


@dataclass(frozen=True)
class ResultSums:
    """Sums over the rows of results tables, by group, task and cluster."""

    tables: dict[str, str]
    """Short name of each table, by its name."""
    by: tuple[str, ...]
    """Columns that name the groups."""
    keys: AttemptKeys
    """Groups, tasks and clusters."""
    figures: dict[str, FigureSums]
    """Sums of each figure, in the order of the columns."""
    requested: tuple[str, ...]
    """Requested figures; the others are used by a condition or a gate."""
    rows_of: dict[int, int]
    """Number of rows of each group."""
    columns: tuple[ReadColumns, ...]
    """What was read of each table."""

    @cached_property
    def units(self) -> Units:
        """Group, task and cluster of each unit."""
        return self.keys.units()

    @cached_property
    def groups(self) -> list[int]:
        """Groups in key order, with those without a value first."""
        keys = self._group_keys
        return sorted(
            self.rows_of,
            key=lambda number: [(text is not None, text or "") for text in keys[number]],
        )

    def key(self, group: int) -> dict[str, str | None]:
        """Values that the rows of a group share."""
        named = zip(self.keys.by, self._group_keys[group], strict=True)
        return {name: text for name, text in named if name in self.by}

    def by_table(self) -> ResultSums | None:
        """The same sums, with groups named by table alone; ``None`` if a table has several."""
        tables = [self.key(group)[FILE] for group in self.groups]
        return replace(self, by=(FILE,)) if len(set(tables)) == len(tables) else None

    @cached_property
    def _group_keys(self) -> list[tuple[str | None, ...]]:
        """Key of each group, by its number."""
        return self.keys.groups()

    def units_of(self, group: int) -> Int64Array:
        """The units of a group, in key order if units of a task are summed."""
        if group not in self._units_of:
            order, ends = self._units_by_group
            units = order[ends[group] : ends[group + 1]]
            self._units_of[group] = units if self.keys.are_tasks else self.in_cluster_order(units)
        return self._units_of[group]

    @cached_property
    def _units_of(self) -> dict[int, Int64Array]:
        """The units of each group that was asked for, as every figure of it does."""
        return {}

    @cached_property
    def _units_by_group(self) -> tuple[Int64Array, Int64Array]:
        """The units ordered by group, and where each group begins among them."""
        group = self.units.group
        counts = np.bincount(group, minlength=len(self._group_keys))
        return np.argsort(group, kind="stable"), np.concatenate([[0], np.cumsum(counts)])

    def in_cluster_order(self, units: Int64Array, values: Float64Array | None = None) -> Int64Array:
        """Units ordered by cluster, and by task within a cluster; those without a key come last.

        Args:
            units: The units.
            values: Orders units without a key, so that the order of rows does not matter.
        """
        cluster = np.minimum(self._ranks[0][self.units.cluster[units]], self._named_clusters)
        keys = [self.named_task_ranks[self.units.task[units]], cluster]
        if values is not None and cluster.max(initial=0) == self._named_clusters:
            keys = [values, *keys]
        return units[np.lexsort(keys)]

    @property
    def task_ranks(self) -> Int64Array:
        """Rank of each task by code points."""
        return self._ranks[1]

    @cached_property
    def named_task_ranks(self) -> Int64Array:
        """Rank of each task by code points; the same for all tasks without an id."""
        return np.minimum(self.task_ranks, sum(key is not None for key in self.keys.tasks))

    def clusters_of_tasks(self, tasks: Int64Array) -> Int64Array:
        """Cluster of each of some tasks, numbered from 0 in key order.

        A task in several clusters counts in the first. One without a cluster is its own; these come
        last, by task.
        """
        if self.keys.are_tasks:
            return np.argsort(np.argsort(self.task_ranks[tasks]))
        ranks = self._ranks[0][self.units.cluster]
        first = np.full(len(self.keys.tasks), len(self.keys.clusters), np.int64)
        np.minimum.at(first, self.units.task, ranks)
        named = self._named_clusters
        first = np.where(first < named, first, named + self.task_ranks)
        numbers: Int64Array = np.unique(first[tasks], return_inverse=True)[1]
        return numbers

    @cached_property
    def _named_clusters(self) -> int:
        """Number of clusters that have a key."""
        return sum(key is not None for key in self.keys.clusters)

    @cached_property
    def _ranks(self) -> tuple[Int64Array, Int64Array]:
        """Rank of each cluster and task by code points."""
        clusters = _ranked(self.keys.clusters)
        return clusters, clusters if self.keys.are_tasks else _ranked(self.keys.tasks)


def _ranked(keys: Sequence[str | None]) -> Int64Array:
    order = sorted(range(len(keys)), key=lambda place: (keys[place] is None, keys[place] or ""))
    ranks = np.empty(len(keys), np.int64)
    ranks[order] = np.arange(len(keys))
    return ranks
