"""Reads one figure of a scored attempt by name, and explains it in words."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from trajmeter.metrics._result import Group, MetricError
from trajmeter.metrics.figure_names import matching_figures
from trajmeter.metrics.figures import figures_of_layout
from trajmeter.records import Cause, Outcome, Score
from trajmeter.records.record import frozen, member_descriptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trajmeter.metrics._protocol import AnyMetric
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.rows import RowLayout
    from trajmeter.metrics.scored import Scored

__all__ = ["NamedFigure", "named_figures"]

_RULE_SCORE = "score"
"""The figure of a rule that passes or fails."""


class NamedFigure:
    """A figure of results; its name is checked before anything is scored.

    Args:
        layout: Columns of the results.
        column: The figure's own column.
    """

    name: str
    """Its column in a results table."""
    metric: AnyMetric
    """The metric that computes it."""

    def __init__(self, layout: RowLayout, column: str) -> None:
        self.name = column
        self.info = figures_of_layout(layout)[column]
        for place, family in enumerate(layout.families):
            for group in family.groups:
                names = [own.name for own in group.columns]
                if column in names:
                    self.metric = family.metric
                    self._place = place
                    self._path = group.paths[names.index(column)]
        above, _, self._field = self._path.rpartition(".")
        self._group: Callable[[Any], Any] = attrgetter(above) if above else _same

    def __repr__(self) -> str:
        """The name."""
        return f"<NamedFigure: {self.name}>"

    def of(self, scored: Scored) -> Score:
        """The figure of one attempt: its value, or why it has none."""
        return self.of_result(scored.results[self._place])

    def of_result(self, result: Result | MetricError) -> Score:
        """The figure in its metric's result for one attempt."""
        if isinstance(result, MetricError):
            return _score(None, Outcome.NOT_SCORED, Cause.METRIC_ERROR, None, result.message)
        group = self._group(result)
        found = getattr(group, self._field)
        outcome, cause = Outcome.SCORED, None
        if self.info.outcome and isinstance(group, Group):
            outcome, cause = group.outcome, group.cause
        value = None if found is None else float(found)
        if value is None and outcome in (Outcome.SCORED, Outcome.ASSIGNED):
            outcome = Outcome.ABSTAINED
        elif value is not None and not math.isfinite(value):
            value, outcome, cause = None, Outcome.NOT_SCORED, Cause.NON_FINITE
        passed = None
        if self.info.kind == "boolean":
            passed = found
        elif self._field == _RULE_SCORE:
            passed = getattr(group, "passed", None)
        return _score(value, outcome, cause, passed, self._reason(result, outcome, cause))

    def in_columns(self, columns: Mapping[str, Any]) -> list[tuple[float | None, str | None]]:
        """The figure of many attempts: the value of each, or why it has none.

        Args:
            columns: Results of the figure's metric by dotted path, as returned by ``score_batch``.
        """
        above, _, _ = self._path.rpartition(".")
        within = f"{above}." if above else ""
        values = columns[self._path].to_pylist()
        if not self.info.outcome or f"{within}outcome" not in columns:
            outcomes: list[str] = [Outcome.SCORED.value] * len(values)
            causes: list[str | None] = [None] * len(values)
        else:
            outcomes = columns[f"{within}outcome"].to_pylist()
            causes = columns[f"{within}cause"].to_pylist()
        return [
            _value_or_reason(None if value is None else float(value), outcome, cause)
            for value, outcome, cause in zip(values, outcomes, causes, strict=True)
        ]

    def _reason(self, result: Result, outcome: Outcome, cause: Cause | None) -> str | None:
        explanation = result.explain(self._path)
        if explanation is not None:
            return explanation
        if cause is not None:
            return member_descriptions(Cause).get(cause.name, cause.value)
        if outcome is Outcome.ABSTAINED:
            return "There is nothing to score."
        return "It was not requested." if outcome is Outcome.NOT_SCORED else None


def named_figures(layout: RowLayout, patterns: Iterable[str]) -> tuple[NamedFigure, ...]:
    """Figures that match names, short names and patterns, in column order.

    Raises:
        UnknownNameError: A name or pattern matches no figure; the nearest is named.
    """
    columns = matching_figures(patterns, figures_of_layout(layout))
    return tuple(NamedFigure(layout, column) for column in columns)


def _value_or_reason(
    value: float | None, outcome: str, cause: str | None
) -> tuple[float | None, str | None]:
    if outcome in (Outcome.SCORED.value, Outcome.ASSIGNED.value):
        if value is None:
            return None, Outcome.ABSTAINED.value
        return (value, None) if math.isfinite(value) else (None, Cause.NON_FINITE.value)
    return None, cause or outcome


def _same(result: object) -> object:
    return result


def _score(
    value: float | None,
    outcome: Outcome,
    cause: Cause | None,
    passed: bool | None,  # noqa: FBT001 - a field of the record
    reason: str | None,
) -> Score:
    return frozen(
        Score,
        {
            "value": value,
            "outcome": outcome,
            "cause": cause,
            "passed": passed,
            "reason": reason,
            "details": {},
        },
    )
