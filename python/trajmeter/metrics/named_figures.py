"""One figure of a scored attempt, read by its name and explained in words."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from trajmeter.metrics._result import Group
from trajmeter.metrics.engine import MetricError
from trajmeter.metrics.figures import figures_of_layout, matching_figures
from trajmeter.records import Cause, Outcome, Score
from trajmeter.records.record import frozen, member_descriptions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trajmeter.metrics._result import Result
    from trajmeter.metrics.engine import Scored
    from trajmeter.metrics.rows import RowLayout

__all__ = ["NamedFigure", "named_figures"]

_RULE_SCORE = "score"
"""The figure of a rule that passes or fails."""


class NamedFigure:
    """A figure of results, whose name was found before anything is scored.

    Args:
        layout: Columns of the results.
        column: The figure's own column.
    """

    name: str
    """Its column in a results table."""

    def __init__(self, layout: RowLayout, column: str) -> None:
        self.name = column
        self.info = figures_of_layout(layout)[column]
        for place, family in enumerate(layout.families):
            for group in family.groups:
                names = [own.name for own in group.columns]
                if column in names:
                    self._place = place
                    self._path = group.paths[names.index(column)]
        above, _, self._field = self._path.rpartition(".")
        self._group: Callable[[Any], Any] = attrgetter(above) if above else _same

    def __repr__(self) -> str:
        """The name."""
        return f"<NamedFigure: {self.name}>"

    def of(self, scored: Scored) -> Score:
        """The figure of one attempt: its value, or why there is none."""
        result = scored.results[self._place]
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

    def _reason(self, result: Result, outcome: Outcome, cause: Cause | None) -> str | None:
        told = result.explain(self._path)
        if told is not None:
            return told
        if cause is not None:
            return member_descriptions(Cause).get(cause.name, cause.value)
        if outcome is Outcome.ABSTAINED:
            return "There is nothing to score."
        return "It was not asked for." if outcome is Outcome.NOT_SCORED else None


def named_figures(layout: RowLayout, patterns: Iterable[str]) -> tuple[NamedFigure, ...]:
    """Figures that names, short names and patterns stand for, in the order of their columns.

    Raises:
        UnknownNameError: One stands for no figure; the nearest is named.
    """
    columns = matching_figures(patterns, figures_of_layout(layout))
    return tuple(NamedFigure(layout, column) for column in columns)


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
