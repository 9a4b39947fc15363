"""Counting figures: rows are gathered and counted column by column, many at a time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trajmeter.metrics import Figure
from trajmeter.records import Cause, Outcome
from trajmeter.summaries._figures import NUMERIC
from trajmeter.summaries.summary import FigureSummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.summaries._figures import SummarizedFigure

__all__ = ["Tally"]

_SCORED, _ASSIGNED = Outcome.SCORED.value, Outcome.ASSIGNED.value
_ABSTAINED = Outcome.ABSTAINED.value

_UNKNOWN = "unknown"
"""Stands for a cause that the metric did not name."""

# Rows gathered before they are counted; columns of this length are counted in C.
_BATCH = 1024


@dataclass(slots=True)
class _Count:
    """Totals of one figure."""

    sums: list[float] = field(default_factory=list)
    scored: int = 0
    abstained: int = 0
    assigned: Counter[str] = field(default_factory=Counter)
    not_scored: Counter[str] = field(default_factory=Counter)
    numerator: float = 0
    denominator: float = 0

    def include(self, other: _Count) -> None:
        self.sums += other.sums
        self.scored += other.scored
        self.abstained += other.abstained
        self.assigned += other.assigned
        self.not_scored += other.not_scored
        self.numerator += other.numerator
        self.denominator += other.denominator


class Tally:
    """Totals of every figure over a set of attempts.

    Args:
        figures: The figures.
    """

    attempts: int
    """Attempts counted."""

    def __init__(self, figures: Sequence[SummarizedFigure]) -> None:
        self.attempts = 0
        self._figures = figures
        self._counts = [_Count() for _ in figures]
        self._rows: list[Sequence[Any]] = []

    def add(self, row: Sequence[Any]) -> None:
        """Count one row, as :meth:`RowLayout.values` gives it."""
        self.attempts += 1
        self._rows.append(row)
        if len(self._rows) == _BATCH:
            self._count_rows()

    def include(self, other: Tally) -> None:
        """Count what another tally of the same figures has counted."""
        other._count_rows()
        self.attempts += other.attempts
        for own, theirs in zip(self._counts, other._counts, strict=True):
            own.include(theirs)

    def summaries(self) -> dict[str, FigureSummary]:
        """The figures counted so far, by their columns."""
        self._count_rows()
        return {
            figure.column.name: _summary(figure, count, self.attempts)
            for figure, count in zip(self._figures, self._counts, strict=True)
        }

    def _count_rows(self) -> None:
        if not self._rows:
            return
        batch = _Batch(self._rows)
        for figure, count in zip(self._figures, self._counts, strict=True):
            batch.count(figure, count)
        self._rows = []


class _Batch:
    """Rows as columns, with what their groups' outcomes say, found once for each group."""

    def __init__(self, rows: Sequence[Sequence[Any]]) -> None:
        self._columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True))
        self._outcomes: dict[int, _Outcomes] = {}
        self._totals: dict[int, float | None] = {}

    def count(self, figure: SummarizedFigure, count: _Count) -> None:
        outcomes = self._outcomes_at(figure.outcome)
        column = self._columns[figure.position]
        values = [value for value in outcomes.inside(column) if value is not None]
        count.abstained += len(column) - outcomes.outside - len(values)
        count.not_scored += outcomes.not_scored
        total = _sum(values)
        if not math.isfinite(total):
            finite = [value for value in values if math.isfinite(value)]
            count.not_scored[Cause.NON_FINITE.value] += len(values) - len(finite)
            values, total = finite, _sum(finite)
        count.scored += len(values)
        count.sums.append(total)
        count.assigned += Counter(
            cause
            for index, cause in outcomes.assigned
            if column[index] is not None and math.isfinite(column[index])
        )
        if figure.denominator:
            self._count_ratio(figure, outcomes, count)

    def _outcomes_at(self, position: int | None) -> _Outcomes:
        if position is None:
            return _ALL_SCORED
        if position not in self._outcomes:
            self._outcomes[position] = _outcomes_of(
                self._columns[position], self._columns[position + 1]
            )
        return self._outcomes[position]

    def _count_ratio(self, figure: SummarizedFigure, outcomes: _Outcomes, count: _Count) -> None:
        numerator = [self._total(position, outcomes) for position in figure.numerator]
        denominator = [self._total(position, outcomes) for position in figure.denominator]
        if None not in numerator and None not in denominator:
            count.numerator += sum(filter(None, numerator))
            count.denominator += sum(filter(None, denominator))
            return
        # Only rows that have every count may enter, or the ratio would mix two sets of rows.
        split = len(figure.numerator)
        positions = (*figure.numerator, *figure.denominator)
        columns = [outcomes.inside(self._columns[position]) for position in positions]
        for counts in zip(*columns, strict=True):
            if all(number is not None and math.isfinite(number) for number in counts):
                count.numerator += sum(counts[:split])
                count.denominator += sum(counts[split:])

    def _total(self, position: int, outcomes: _Outcomes) -> float | None:
        """Sum of a column's values inside the mean; ``None`` if one is missing or not finite."""
        if position not in self._totals:
            values = outcomes.inside(self._columns[position])
            total = None if None in values else sum(values)
            self._totals[position] = total if total is not None and math.isfinite(total) else None
        return self._totals[position]


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """What became of one group in each row of a batch."""

    usable: list[int] | None
    """Rows inside the mean, by number; ``None`` for all."""
    outside: int
    """Rows that could not be scored."""
    not_scored: Counter[str]
    """These by cause."""
    assigned: list[tuple[int, str]]
    """Rows inside the mean that a rule set, with the cause."""

    def inside(self, column: Sequence[Any]) -> Sequence[Any]:
        """The values of a column that belong into a mean."""
        return column if self.usable is None else [column[index] for index in self.usable]


_ALL_SCORED = _Outcomes(usable=None, outside=0, not_scored=Counter(), assigned=[])


def _outcomes_of(outcomes: Sequence[str], causes: Sequence[str | None]) -> _Outcomes:
    if outcomes.count(_SCORED) == len(outcomes):
        return _ALL_SCORED
    inside = (_SCORED, _ASSIGNED)
    told = list(zip(outcomes, causes, strict=True))
    not_scored = Counter(
        cause or _UNKNOWN for outcome, cause in told if outcome not in (*inside, _ABSTAINED)
    )
    return _Outcomes(
        usable=[index for index, outcome in enumerate(outcomes) if outcome in inside],
        outside=not_scored.total(),
        not_scored=not_scored,
        assigned=[
            (index, cause or _UNKNOWN)
            for index, (outcome, cause) in enumerate(told)
            if outcome == _ASSIGNED
        ],
    )


def _sum(values: Sequence[float]) -> float:
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):  # beyond the largest float, or infinities of both signs
        return math.nan if any(map(math.isnan, values)) else sum(values, 0.0)


def _summary(figure: SummarizedFigure, count: _Count, attempts: int) -> FigureSummary:
    total = _sum(count.sums)
    about = figure.column.figure or Figure()
    return FigureSummary(
        macro=total / count.scored if count.scored else None,
        micro=count.numerator / count.denominator if count.denominator else None,
        sum=total if count.scored else None,
        scored=count.scored,
        total=attempts,
        abstained=count.abstained,
        assigned=dict(sorted(count.assigned.items())),
        not_scored=dict(sorted(count.not_scored.items())),
        kind=NUMERIC[figure.column.shape.kind],
        higher_is_better=about.higher_is_better,
        unit=about.unit,
        numerator=figure.numerator_names,
        denominator=figure.denominator_names,
    )
