"""Figures of some rows as one table of numbers, with what became of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.kernels import BoolArray, Coded, Float64Array, Int64Array
    from trajmeter.metrics.scored_columns import ScoredColumns
    from trajmeter.summaries._figures import SummarizedFigures

__all__ = ["Block", "Outcomes", "read_block"]

_CODES = {Outcome.SCORED.value: 0, Outcome.ASSIGNED.value: 1, Outcome.ABSTAINED.value: 2}
_ASSIGNED, _NOT_SCORED = 1, 3
"""Outcomes as numbers; the first two are inside the mean."""


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What became of the figures of one group of a result, in each row."""

    codes: Int64Array
    """Outcomes as numbers."""
    causes: Coded
    """Causes."""

    @property
    def inside(self) -> BoolArray:
        """Which rows are inside the mean."""
        inside: BoolArray = self.codes <= _ASSIGNED
        return inside

    def unscored(self) -> Iterator[tuple[str | None, BoolArray]]:
        """The rows that could not be scored, by their causes."""
        yield from self._by_cause(self.codes == _NOT_SCORED)

    def assigned(self) -> Iterator[tuple[str | None, BoolArray]]:
        """The rows whose value a rule set, by their causes."""
        yield from self._by_cause(self.codes == _ASSIGNED)

    def _by_cause(self, rows: BoolArray) -> Iterator[tuple[str | None, BoolArray]]:
        if not rows.any():
            return
        for code in np.unique(self.causes.codes[rows]).tolist():
            cause = None if code < 0 else self.causes.texts[code]
            yield cause, rows & (self.causes.codes == code)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A table of figures, a line for each figure and a column for each row."""

    values: Float64Array
    """Finite values; 0 elsewhere."""
    rests: dict[int, Float64Array]
    """What to add to the values of some figures, which hold integers that no float does."""
    present: BoolArray
    """Where there is a finite value."""
    counted: BoolArray
    """Where this value is inside the mean."""
    non_finite: BoolArray | None
    """Where a value inside the mean is not finite; ``None`` for nowhere."""
    outcomes: list[Outcomes]
    """What became of each group of the results."""

    def part(self, index: int, rows: Int64Array) -> Iterator[Float64Array]:
        """Values of a figure in some rows, as one array or as two that are to be added."""
        yield self.values[index][rows]
        if index in self.rests:
            yield self.rests[index][rows]


def read_block(columns: ScoredColumns, figures: SummarizedFigures) -> Block:
    """Read the figures of some rows."""
    shape = (len(figures.figures), len(columns))
    values, present = np.empty(shape, np.float64), np.empty(shape, np.bool_)
    rests = {}
    for index, figure in enumerate(figures.figures):
        numbers = columns.numbers(figure.column.name)
        values[index], present[index] = numbers.values, numbers.present
        if numbers.rest is not None:
            rests[index] = numbers.rest
    outcomes = [_read_outcomes(columns, name) for name in figures.outcomes]
    inside = [each.inside for each in outcomes]
    finite = np.isfinite(values)
    counted, non_finite = present.copy(), None
    for index, figure in enumerate(figures.figures):
        if figure.outcome is not None:
            counted[index] &= inside[figure.outcome]
    if not finite.all():
        non_finite = counted & ~finite
        values[~finite] = 0.0
        present &= finite
        counted &= finite
    return Block(values, rests, present, counted, non_finite, outcomes)


def _read_outcomes(columns: ScoredColumns, group: str) -> Outcomes:
    outcomes = columns.texts(f"{group}.outcome")
    numbers = np.array([_CODES.get(text, _NOT_SCORED) for text in outcomes.texts], np.int64)
    return Outcomes(numbers[outcomes.codes], columns.texts(f"{group}.cause"))
