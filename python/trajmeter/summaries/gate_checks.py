"""Checks gates against the estimates of results tables and of a baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trajmeter.metrics.figure_names import matching_figures
from trajmeter.summaries.attempt_keys import FILE
from trajmeter.summaries.gate_outcomes import (
    check_estimate,
    check_regression,
    without_attempts,
)
from trajmeter.summaries.gates import Gate, GateCheck, check_directions, gated_figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.readers.results import ResultsTable
    from trajmeter.summaries.estimates import IntervalOptions
    from trajmeter.summaries.options import Reading
    from trajmeter.summaries.result_sums import ResultSums
    from trajmeter.summaries.table_estimates import GroupEstimates

__all__ = ["GateChecks"]

_CURRENT, _BASELINE = "current", "\0baseline"
"""What the column that distinguishes tables contains next to their names."""


class GateChecks:
    """Checks gates against estimates."""

    def __init__(
        self,
        gates: Sequence[Gate],
        tables: Sequence[ResultsTable],
        groups: Sequence[GroupEstimates],
        shown: Sequence[str],
        reading: Reading,
        options: IntervalOptions,
        min_tasks: int,
    ) -> None:
        self._gates = gates
        self._tables = tables
        self._groups = groups
        self._shown = shown
        self._reading = reading
        self._options = options
        self._min_tasks = min_tasks

    def checks(self, results: ResultSums) -> Iterator[GateCheck]:
        """Check every gate, group and figure."""
        named = gated_figures(self._gates)
        for gate in self._gates:
            names = [gate.figure] if gate.figure is not None else named
            figures = matching_figures(names, self._shown) if names else self._shown
            check_directions(
                gate, {name: results.figures[name].info.higher_is_better for name in figures}
            )
            if not self._groups:
                yield from (without_attempts(gate, name) for name in figures)
                continue
            if gate.kind == "no_regression":
                yield from self._regressions(gate, figures, results)
                continue
            for group in self._groups:
                for each in group.figures:
                    if each.figure in figures:
                        yield check_estimate(gate, each, group.group, min_tasks=self._min_tasks)

    def _regressions(
        self, gate: Gate, figures: Sequence[str], results: ResultSums
    ) -> Iterator[GateCheck]:
        """Compare each group with the baseline's group of the same key."""
        from trajmeter.summaries.pairing import difference
        from trajmeter.summaries.result_tables import open_tables, table_labels
        from trajmeter.summaries.sides import side_of
        from trajmeter.summaries.table_sums import read_sums

        if gate.baseline is None:  # rejected earlier
            return
        rest = tuple(name for name in results.by if name != FILE)
        labels = (
            table_labels(self._tables) if FILE in results.by else [_CURRENT] * len(self._tables)
        )
        reading = replace(
            self._reading, figures=figures, by=(FILE, *rest), extra_figures=(), success=None
        )
        tables = [*self._tables, *open_tables(gate.baseline)]
        labels += [_BASELINE] * (len(tables) - len(labels))
        both = read_sums(tables, reading, labels=labels)
        numbers = {tuple(both.key(group).values()): group for group in both.groups}
        for group in self._groups:
            own = tuple(group.group[name] for name in rest)
            before = numbers.get((_BASELINE, *own))
            for name in figures:
                if name not in {each.figure for each in group.figures}:
                    continue
                found = None
                key = (group.group.get(FILE, _CURRENT), *own)
                if before is not None:
                    now = numbers[key]
                    figure = both.figures[name]
                    sides = (side_of(figure, both, before), side_of(figure, both, now))
                    found = difference(
                        name, figure.info, sides, both, self._options, margin=gate.threshold
                    ).difference
                yield check_regression(gate, found, name, group.group, min_tasks=self._min_tasks)
