"""Costs, worst benchmarks and warnings of each group of attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.metrics.kept_counts import KeptCounts
from trajmeter.statistics.exact_sums import ExactSums

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.kernels import BoolArray, Coded, Int64Array
    from trajmeter.metrics.scored_columns import GroupedRows, ScoredColumns

__all__ = ["AgentCosts", "KeptWarnings", "WorstBenchmarks"]


class AgentCosts:
    """Costs by ``agent:model``, for each group and for all attempts."""

    def __init__(self) -> None:
        self._owners: list[tuple[int | None, str]] = []
        self._places: dict[int | None, dict[str, int]] = {}
        self._sums = ExactSums(1)

    def add(self, columns: ScoredColumns, groups: GroupedRows, used: BoolArray) -> None:
        """Add the costs of the attempts that count."""
        rows, keys, costs = columns.pairs("speedup.costs_by_agent_model")
        kept = used[rows]
        rows, codes, costs = rows[kept], keys.codes[kept], costs[kept]
        for owners in (groups.numbers[groups.rows][rows], np.full(len(rows), -1)):
            pairs, rows_of = _first_come(owners, codes)
            places = [self._place(_group(owner), keys.texts[code]) for owner, code in pairs]
            self._sums.add(costs, rows_of, np.array(places, np.int64))

    def merge(self, other: AgentCosts, numbers: Int64Array) -> None:
        """Add the costs of ``other``, whose group i is group ``numbers[i]`` here."""
        places = [
            self._place(None if group is None else int(numbers[group]), key)
            for group, key in other._owners
        ]
        self._sums.merge(other._sums, np.array(places, np.int64))

    def state(self) -> dict[str, Any]:
        """Return the costs, for :meth:`restore`."""
        return {"owners": [list(owner) for owner in self._owners], "sums": self._sums.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the costs with those of :meth:`state`."""
        self._owners, self._places = [], {}
        for group, key in state["owners"]:
            self._place(group, key)
        self._sums.restore(state["sums"])

    def of(self, group: int | None) -> dict[str, float]:
        """Costs of one group or of all attempts, in order of first occurrence."""
        places = self._places.get(group, {})
        return {key: self._sums.totals(place).mean(0, 1) for key, place in places.items()}

    def _place(self, group: int | None, key: str) -> int:
        places = self._places.setdefault(group, {})
        if key not in places:
            places[key] = len(self._owners)
            self._owners.append((group, key))
        return places[key]


class WorstBenchmarks:
    """The lowest ratio of any benchmark in each group."""

    def __init__(self) -> None:
        self._worst: dict[int, tuple[float, str]] = {}

    def add(self, columns: ScoredColumns, groups: GroupedRows, used: BoolArray) -> None:
        """Consider the attempts that count."""
        ratios = columns.numbers("speedup.worst_speedup")
        rows = np.flatnonzero(ratios.present & used)
        values, group_rows = ratios.values[rows], groups.rows[rows]
        least = np.full(len(groups.numbers), np.inf)
        np.minimum.at(least, group_rows, values)
        rows = rows[values == least[group_rows]]
        tasks, benchmarks = columns.attempts("task_id"), columns.texts("speedup.worst_benchmark")
        owners = groups.numbers[groups.rows[rows]].tolist()
        for row, group, value in zip(
            rows.tolist(), owners, ratios.values[rows].tolist(), strict=True
        ):
            task, benchmark = _text(tasks, row), _text(benchmarks, row)
            self._offer(group, (value, f"{task}: {benchmark}"))

    def merge(self, other: WorstBenchmarks, numbers: Int64Array) -> None:
        """Consider those of ``other``, whose group i is group ``numbers[i]`` here."""
        for group, worst in other._worst.items():
            self._offer(int(numbers[group]), worst)

    def state(self) -> list[list[Any]]:
        """Return the worst benchmarks, for :meth:`restore`."""
        return [[group, *worst] for group, worst in self._worst.items()]

    def restore(self, state: Sequence[Sequence[Any]]) -> None:
        """Replace the worst benchmarks with those of :meth:`state`."""
        self._worst = {group: (value, text) for group, value, text in state}

    def of(self, group: int | None) -> tuple[float, str] | None:
        """The lowest ratio of a group or of all attempts, with its task and benchmark."""
        if group is None:
            return min(self._worst.values(), default=None)
        return self._worst.get(group)

    def _offer(self, group: int, worst: tuple[float, str]) -> None:
        self._worst[group] = min(self._worst.get(group, worst), worst)


class KeptWarnings:
    """Warnings with their numbers of attempts, for each group and for all attempts."""

    def __init__(self) -> None:
        self._kept: dict[int | None, KeptCounts[str]] = {}

    def add(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        """Count the warnings of attempts."""
        rows, texts = columns.items("speedup.warnings")
        for owners in (groups.numbers[groups.rows][rows], np.full(len(rows), -1)):
            pairs, rows_of = _first_come(owners, texts.codes)
            counts = np.bincount(rows_of, minlength=len(pairs)).tolist()
            for (owner, code), count in zip(pairs, counts, strict=True):
                self._of(_group(owner)).add(texts.texts[code], count)

    def merge(self, other: KeptWarnings, numbers: Int64Array) -> None:
        """Add the counts of ``other``, whose group i is group ``numbers[i]`` here."""
        for group, kept in other._kept.items():
            self._of(None if group is None else int(numbers[group])).merge(kept)

    def state(self) -> list[list[Any]]:
        """Return the counts, for :meth:`restore`."""
        return [[group, [list(each) for each in kept]] for group, kept in self._kept.items()]

    def restore(self, state: Sequence[Sequence[Any]]) -> None:
        """Replace the counts with those of :meth:`state`."""
        self._kept = {}
        for group, kept in state:
            for text, count in kept:
                self._of(group).add(text, count)

    def of(self, group: int | None) -> dict[str, int]:
        """Warnings of one group or of all attempts."""
        return dict(self._kept.get(group, ()))

    def _of(self, group: int | None) -> KeptCounts[str]:
        if group not in self._kept:
            self._kept[group] = KeptCounts(str)
        return self._kept[group]


def _first_come(left: Int64Array, right: Int64Array) -> tuple[list[tuple[int, int]], Int64Array]:
    """Distinct pairs in order of first occurrence, and the index of each row's pair."""
    width = int(right.max(initial=0)) + 1
    _, first, codes = np.unique(left * width + right, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    first = first[order]
    return list(zip(left[first].tolist(), right[first].tolist(), strict=True)), rank[codes]


def _group(number: int) -> int | None:
    return None if number < 0 else number


def _text(column: Coded, row: int) -> str | None:
    code = int(column.codes[row])
    return None if code < 0 else column.texts[code]
