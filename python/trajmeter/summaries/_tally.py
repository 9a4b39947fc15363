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

    from trajmeter.metrics import RowLayout
    from trajmeter.metrics.columns import Column, FigureGroup

__all__ = ["SummarizedFigure", "Tally", "summarized_figures"]

_NUMERIC: dict[str, Literal["boolean", "integer", "number"]] = {
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
}
"""Kinds of columns that have a mean."""

_SCORED, _ASSIGNED = Outcome.SCORED.value, Outcome.ASSIGNED.value
_ABSTAINED = Outcome.ABSTAINED.value

_UNKNOWN = "unknown"
"""Stands for a cause that the metric did not name."""

_BATCH = 1024
"""Rows gathered before they are counted; columns of this length are counted in C."""


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
        if column.role == "figure" and column.shape.kind in _NUMERIC
    }
    for name, (position, column) in columns.items():
        figure = column.figure or Figure()
        outcome = group.offset if group.has_outcome and not figure.independent else None
        numerator = tuple(f"{group.name}.{key}" for key in figure.numerator)
        denominator = tuple(f"{group.name}.{key}" for key in figure.denominator)
        for count in (*numerator, *denominator):
            if count not in columns:
                raise ConfigurationError(
                    f"the micro average of {name} needs {count}, which is not a numeric column"
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
    pairs = list(zip(outcomes, causes, strict=True))
    not_scored = Counter(
        cause or _UNKNOWN for outcome, cause in pairs if outcome not in (*inside, _ABSTAINED)
    )
    return _Outcomes(
        usable=[index for index, outcome in enumerate(outcomes) if outcome in inside],
        outside=not_scored.total(),
        not_scored=not_scored,
        assigned=[
            (index, cause or _UNKNOWN)
            for index, (outcome, cause) in enumerate(pairs)
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
        micro=count.numerator / count.denominator if count.denominator > 0 else None,
        sum=total if count.scored else None,
        scored=count.scored,
        total=attempts,
        abstained=count.abstained,
        assigned=dict(sorted(count.assigned.items())),
        not_scored=dict(sorted(count.not_scored.items())),
        kind=_NUMERIC[figure.column.shape.kind],
        higher_is_better=about.higher_is_better,
        unit=about.unit,
        numerator=figure.numerator_names,
        denominator=figure.denominator_names,
    )
