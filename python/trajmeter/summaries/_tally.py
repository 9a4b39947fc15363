"""Counting figures: rows are gathered and counted column by column, many at a time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from trajmeter.errors import ConfigurationError
from trajmeter.metrics import Figure
from trajmeter.records import Cause, Outcome
from trajmeter.summaries.summary import FigureSummary

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.metrics.rows import Column, FigureGroup, RowLayout

__all__ = ["SummarizedFigure", "Tally", "summarized_figures"]

_SCORED, _ASSIGNED = Outcome.SCORED.value, Outcome.ASSIGNED.value
_ABSTAINED = Outcome.ABSTAINED.value

_NUMERIC: dict[str, Literal["boolean", "integer", "number"]] = {
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
}

# Rows gathered before they are counted; columns of this length are counted in C.
_BATCH = 1024


@dataclass(frozen=True, slots=True)
class SummarizedFigure:
    """A figure with the positions of what its averages are made of."""

    position: int
    """Position of its values in a row."""
    outcome: int | None
    """Position of its group's outcome, which the cause follows; ``None`` without a group."""
    numerator: tuple[int, ...]
    """Positions of the counts whose sum is divided in the micro average."""
    denominator: tuple[int, ...]
    """Positions of the counts whose sum divides."""
    column: Column
    """Its column, with direction and unit."""
    numerator_names: tuple[str, ...]
    """Columns of the counts that are divided."""
    denominator_names: tuple[str, ...]
    """Columns of the counts that divide."""


def summarized_figures(layout: RowLayout) -> tuple[SummarizedFigure, ...]:
    """Every scalar number of a layout, in the order of the columns.

    Raises:
        ConfigurationError: A figure's micro average is made of a count that its group lacks.
    """
    groups = [group for family in layout.families for group in family.groups]
    return tuple(figure for group in groups for figure in _of_group(group))


def _of_group(group: FigureGroup) -> Iterable[SummarizedFigure]:
    columns = {
        column.name: (group.offset + index, column)
        for index, column in enumerate(group.columns)
        if column.role == "figure" and column.shape == "scalar" and column.kind in _NUMERIC
    }
    for name, (position, column) in columns.items():
        figure = column.figure or Figure()
        outcome = group.offset if group.has_outcome and not figure.independent else None
        numerator = tuple(f"{group.name}.{key}" for key in figure.numerator)
        denominator = tuple(f"{group.name}.{key}" for key in figure.denominator)
        for count in (*numerator, *denominator):
            if count not in columns:
                raise ConfigurationError(
                    f"the micro average of {name} is made of {count}, which is no number"
                )
        yield SummarizedFigure(
            column=column,
            position=position,
            outcome=outcome,
            numerator=tuple(columns[count][0] for count in numerator),
            denominator=tuple(columns[count][0] for count in denominator),
            numerator_names=numerator,
            denominator_names=denominator,
        )


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
        self._outcomes: dict[int, tuple[list[int] | None, int, Counter[str]]] = {}
        self._totals: dict[int, float | None] = {}

    def count(self, figure: SummarizedFigure, count: _Count) -> None:
        column: Sequence[Any] = self._columns[figure.position]
        usable = None
        if figure.outcome is not None:
            usable, abstained, not_scored = self._outcome(figure.outcome)
            count.abstained += abstained
            count.not_scored += not_scored
            if usable is not None:
                column = [column[index] for index in usable]
        values = [value for value in column if value is not None]
        count.abstained += len(column) - len(values)
        total = _sum(values)
        if not math.isfinite(total):
            finite = [value for value in values if math.isfinite(value)]
            count.not_scored[Cause.NON_FINITE.value] += len(values) - len(finite)
            values, total = finite, _sum(finite)
        count.scored += len(values)
        count.sums.append(total)
        if figure.outcome is not None and usable is not None:
            count.assigned += self._assigned(figure, usable)
        if figure.denominator:
            self._count_ratio(figure, usable, count)

    def _outcome(self, position: int) -> tuple[list[int] | None, int, Counter[str]]:
        """Rows inside the mean (``None``: all, measured), abstained ones, and causes of others."""
        known = self._outcomes.get(position)
        if known is None:
            outcomes, causes = self._columns[position], self._columns[position + 1]
            if outcomes.count(_SCORED) == len(outcomes):
                known = (None, 0, Counter())
            else:
                usable = [i for i, told in enumerate(outcomes) if told in (_SCORED, _ASSIGNED)]
                lost = Counter(
                    cause or "unknown"
                    for told, cause in zip(outcomes, causes, strict=True)
                    if told not in (_SCORED, _ASSIGNED, _ABSTAINED)
                )
                known = (usable, outcomes.count(_ABSTAINED), lost)
            self._outcomes[position] = known
        return known

    def _assigned(self, figure: SummarizedFigure, usable: Sequence[int]) -> Counter[str]:
        if figure.outcome is None:
            return Counter()
        outcomes, causes = self._columns[figure.outcome], self._columns[figure.outcome + 1]
        values = self._columns[figure.position]
        return Counter(
            causes[index] or "unknown"
            for index in usable
            if outcomes[index] == _ASSIGNED
            and values[index] is not None
            and math.isfinite(values[index])
        )

    def _count_ratio(
        self, figure: SummarizedFigure, usable: Sequence[int] | None, count: _Count
    ) -> None:
        numerator = [self._total(position, usable) for position in figure.numerator]
        denominator = [self._total(position, usable) for position in figure.denominator]
        if None not in numerator and None not in denominator:
            count.numerator += sum(filter(None, numerator))
            count.denominator += sum(filter(None, denominator))
            return
        # Only rows that have every count may enter, or the ratio would mix two sets of rows.
        split = len(figure.numerator)
        columns = [self._columns[position] for position in (*figure.numerator, *figure.denominator)]
        for index in range(len(columns[0])) if usable is None else usable:
            counts = [column[index] for column in columns]
            if None not in counts:
                count.numerator += sum(counts[:split])
                count.denominator += sum(counts[split:])

    def _total(self, position: int, usable: Sequence[int] | None) -> float | None:
        """Sum of a column's usable values; ``None`` if one of them is missing."""
        if position not in self._totals:
            column: Sequence[Any] = self._columns[position]
            if usable is not None:
                column = [column[index] for index in usable]
            self._totals[position] = None if None in column else sum(column)
        return self._totals[position]


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
        kind=_NUMERIC[figure.column.kind],
        higher_is_better=about.higher_is_better,
        unit=about.unit,
        numerator=figure.numerator_names,
        denominator=figure.denominator_names,
    )
