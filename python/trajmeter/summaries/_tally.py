"""Counts figures of all groups of attempts together, column by column."""

from __future__ import annotations

from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.metrics import Figure
from trajmeter.records import Cause
from trajmeter.records.record import frozen
from trajmeter.statistics.counted_sums import count_columns
from trajmeter.statistics.exact_sums import ExactSums, quotient
from trajmeter.statistics.group_counts import GroupCounts
from trajmeter.statistics.histograms import Histograms
from trajmeter.summaries._block import read_block
from trajmeter.summaries.summary import FigureSummary, Quantiles

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.metrics.scored_columns import GroupedRows, ScoredColumns
    from trajmeter.statistics.exact_sums import ExactTotals
    from trajmeter.summaries._block import Block
    from trajmeter.summaries._figures import SummarizedFigures

__all__ = ["Tally"]

_UNKNOWN = "unknown"
"""Placeholder for a cause that the metric did not name."""


_PERCENTS = {"min": 0, "p5": 5, "p25": 25, "p50": 50, "p75": 75, "p95": 95, "p99": 99, "max": 100}
"""Quantiles of a summary."""


class _Ratio(NamedTuple):
    """The parts of a micro average."""

    figure: int
    """The averaged figure."""
    parts: tuple[int, ...]
    """Figures that are summed."""
    slots: tuple[int, ...]
    """For each of them, the sum it belongs to: numerator or denominator."""
    outcome: int | None
    """The outcome that determines the rows that count."""


class Tally:
    """Totals of every figure, of each group of attempts.

    Sums are exact, so they do not depend on the order of rows or on how they are divided.

    Args:
        figures: The figures.
        quantiles: Whether each group has quantiles, or only all attempts together.
    """

    def __init__(self, figures: SummarizedFigures, *, quantiles: bool = False) -> None:
        self._all = figures
        self._has_group_quantiles = quantiles
        self._amounts = [i for i, each in enumerate(figures.figures) if each.kind != "boolean"]
        self._histograms = Histograms(len(self._amounts))
        width = self._width = len(figures.figures)
        outcomes = len(figures.outcomes)
        self._attempts = GroupCounts(1)
        self._scored, self._non_finite = GroupCounts(width), GroupCounts(width)
        self._assigned = defaultdict[str, GroupCounts](partial(GroupCounts, width))
        self._not_scored = defaultdict[str, GroupCounts](partial(GroupCounts, outcomes))
        self._sums = ExactSums(width)
        # A micro average covers rows that have all its parts; this is what other rows add to the
        # sums.
        ratios = [(index, each) for index, each in enumerate(figures.figures) if each.denominator]
        self._corrections = ExactSums(2 * len(ratios))
        self._ratios = [
            _Ratio(
                figure=index,
                parts=(*figure.numerator, *figure.denominator),
                slots=(
                    *(2 * place for _ in figure.numerator),
                    *(2 * place + 1 for _ in figure.denominator),
                ),
                outcome=figure.outcome,
            )
            for place, (index, figure) in enumerate(ratios)
        ]

    def add(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        """Count some rows."""
        rows, numbers = groups
        self._attempts.add(np.bincount(rows, minlength=len(numbers))[:, None], numbers)
        block = read_block(columns, self._all)
        count_columns(block.columns, rows, numbers, counts=self._scored, sums=self._sums)
        self._count(self._non_finite, block.non_finite, groups)
        self._count_outcomes(block, groups)
        self._count_values(block, groups)
        self._correct(block, groups)

    def merge(self, other: Tally, numbers: Int64Array) -> None:
        """Add the counts of another tally; its group i is group ``numbers[i]`` here."""
        self._attempts.merge(other._attempts, numbers)
        self._scored.merge(other._scored, numbers)
        self._non_finite.merge(other._non_finite, numbers)
        self._sums.merge(other._sums, numbers)
        self._corrections.merge(other._corrections, numbers)
        self._histograms.merge(other._histograms, self._histogram_groups(numbers))
        for cause, counts in other._assigned.items():
            self._assigned[cause].merge(counts, numbers)
        for cause, counts in other._not_scored.items():
            self._not_scored[cause].merge(counts, numbers)

    def state(self) -> dict[str, Any]:
        """The counts, for :meth:`restore`."""
        return {
            "attempts": self._attempts.state(),
            "scored": self._scored.state(),
            "non_finite": self._non_finite.state(),
            "assigned": [[cause, each.state()] for cause, each in self._assigned.items()],
            "not_scored": [[cause, each.state()] for cause, each in self._not_scored.items()],
            "sums": self._sums.state(),
            "corrections": self._corrections.state(),
            "histograms": self._histograms.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the counts with those of a state."""
        self._attempts.restore(state["attempts"])
        self._scored.restore(state["scored"])
        self._non_finite.restore(state["non_finite"])
        for counts, stored in (
            (self._assigned, state["assigned"]),
            (self._not_scored, state["not_scored"]),
        ):
            counts.clear()
            for cause, table in stored:
                counts[cause].restore(table)
        self._sums.restore(state["sums"])
        self._corrections.restore(state["corrections"])
        self._histograms.restore(state["histograms"])

    def attempts(self, group: int | None) -> int:
        """Number of attempts in one group, or in all."""
        return self._attempts.counts(group)[0]

    def sizes(self, groups: int) -> list[int]:
        """Number of attempts in each group."""
        return [self.attempts(group) for group in range(groups)]

    def summaries(self, group: int | None) -> dict[str, FigureSummary]:
        """Figures of one group, or of all attempts, by column."""
        attempts = self.attempts(group)
        scored, non_finite = self._scored.counts(group), self._non_finite.counts(group)
        assigned = {cause: each.counts(group) for cause, each in sorted(self._assigned.items())}
        unscored = {cause: each.counts(group) for cause, each in sorted(self._not_scored.items())}
        sums = self._sums.totals(group)
        micro = self._micro_averages(sums, self._corrections.totals(group))
        summaries = {}
        for index, figure in enumerate(self._all.figures):
            not_scored = {}
            if figure.outcome is not None:
                counts = ((cause, each[figure.outcome]) for cause, each in unscored.items())
                not_scored = {cause: count for cause, count in counts if count}
            if non_finite[index]:
                cause = Cause.NON_FINITE.value
                not_scored[cause] = not_scored.get(cause, 0) + non_finite[index]
                not_scored = dict(sorted(not_scored.items()))
            about = figure.column.figure or Figure()
            count = scored[index]
            summaries[figure.column.name] = frozen(
                FigureSummary,
                {
                    "macro": sums.mean(index, count) if count else None,
                    "micro": micro.get(index),
                    "sum": sums.mean(index, 1) if count else None,
                    "scored": count,
                    "total": attempts,
                    "abstained": attempts - count - sum(not_scored.values()),
                    "assigned": {
                        cause: each[index] for cause, each in assigned.items() if each[index]
                    },
                    "not_scored": not_scored,
                    "kind": figure.kind,
                    "higher_is_better": about.higher_is_better,
                    "unit": about.unit,
                    "numerator": figure.numerator_names,
                    "denominator": figure.denominator_names,
                },
            )
        return summaries

    def quantiles(self, group: int | None) -> dict[str, Quantiles]:
        """Quantiles of the figures of one group, or of all attempts, by column."""
        if group is not None and not self._has_group_quantiles:
            return {}
        found = self._histograms.quantiles(group, [*_PERCENTS.values()])
        return {
            self._all.figures[self._amounts[place]].column.name: frozen(
                Quantiles, dict(zip(_PERCENTS, values, strict=True))
            )
            for place, values in found
        }

    def _count(
        self, counts: GroupCounts, found: Mapping[int, BoolArray], groups: GroupedRows
    ) -> None:
        """Count rows of some figures."""
        if not found:
            return
        rows, numbers = groups
        table = np.zeros((len(numbers), self._width), np.int64)
        for index, counted in found.items():
            table[:, index] = np.bincount(rows[counted], minlength=len(numbers))
        counts.add(table, numbers)

    def _count_outcomes(self, block: Block, groups: GroupedRows) -> None:
        rows, numbers = groups
        for place, outcomes in enumerate(block.outcomes):
            for cause, found in outcomes.unscored():
                counts = np.zeros((len(numbers), len(block.outcomes)), np.int64)
                counts[:, place] = np.bincount(rows[found], minlength=len(numbers))
                self._not_scored[cause or _UNKNOWN].add(counts, numbers)
            for cause, found in outcomes.assigned():
                counted = {
                    index: block.columns[index].counted & found
                    for index, figure in enumerate(self._all.figures)
                    if figure.outcome == place
                }
                self._count(self._assigned[cause or _UNKNOWN], counted, groups)

    def _count_values(self, block: Block, groups: GroupedRows) -> None:
        """Count the values inside the mean in the histograms of their figures."""
        rows, numbers = groups
        by_group = np.argsort(rows, kind="stable") if self._has_group_quantiles else None
        kept, sizes = [np.empty(0)], [np.zeros(1, np.int64)]
        for index in self._amounts:
            values, counted, rest = block.columns[index]
            values = values if rest is None else values + rest
            if by_group is not None:
                kept.append(values[by_group[counted[by_group]]])
                sizes.append(np.bincount(rows[counted], minlength=len(numbers)))
            else:
                kept.append(values if block.is_whole[index] else values[counted])
                sizes.append(np.array([len(kept[-1])]))
        offsets = np.cumsum(np.concatenate(sizes))
        self._histograms.add(np.concatenate(kept), offsets, self._histogram_groups(numbers))

    def _histogram_groups(self, numbers: Int64Array) -> Int64Array:
        """Numbers of groups in the histograms."""
        return numbers if self._has_group_quantiles else np.zeros(1, np.int64)

    def _correct(self, block: Block, groups: GroupedRows) -> None:
        """Add the values that micro averages count differently than the sums of their parts."""
        values: list[Float64Array] = []
        slots: list[Int64Array] = []
        for ratio in self._ratios:
            inside = None if ratio.outcome is None else block.outcomes[ratio.outcome].inside
            if (inside is None or inside.all()) and all(
                map(block.is_whole.__getitem__, ratio.parts)
            ):
                continue
            complete = np.logical_and.reduce([block.present[part] for part in ratio.parts])
            if inside is not None:
                complete &= inside
            for part, slot in zip(ratio.parts, ratio.slots, strict=True):
                different = np.flatnonzero(complete != block.columns[part].counted)
                signs = np.where(complete[different], 1.0, -1.0)
                for own in block.part(part, different):
                    values.append(own * signs)
                    slots.append(groups.rows[different] * (2 * len(self._ratios)) + slot)
        if values:
            sums = self._corrections
            sums.add(np.concatenate(values), np.concatenate(slots), groups.numbers)

    def _micro_averages(self, sums: ExactTotals, corrections: ExactTotals) -> dict[int, float]:
        exponent = min(sums.exponent, corrections.exponent)
        parts, totals = sums.multiples_of(exponent), corrections.multiples_of(exponent)
        for ratio in self._ratios:
            for part, slot in zip(ratio.parts, ratio.slots, strict=True):
                totals[slot] += parts[part]
        pairs = zip(self._ratios, totals[::2], totals[1::2], strict=True)
        return {
            ratio.figure: quotient(numerator, denominator)
            for ratio, numerator, denominator in pairs
            if denominator > 0
        }
