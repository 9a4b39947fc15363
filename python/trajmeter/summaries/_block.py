"""Figures of rows as columns of numbers, with their outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.records import Outcome
from trajmeter.statistics.counted_sums import CountedColumn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.kernels import BoolArray, Coded, Float64Array, Int64Array
    from trajmeter.metrics.scored_columns import ScoredColumns
    from trajmeter.summaries._figures import FigureOutcome, SummarizedFigures

__all__ = ["Block", "Outcomes", "read_block"]

_CODES = {Outcome.SCORED.value: 0, Outcome.ASSIGNED.value: 1, Outcome.ABSTAINED.value: 2}
_SCORED, _ASSIGNED, _NOT_SCORED = 0, 1, 3
"""Outcomes as numbers; the first two are inside the mean."""


class Outcomes(NamedTuple):
    """The outcome of a group of figures, or of one of them, in each row."""

    codes: Int64Array
    """Outcomes as numbers."""
    causes: Coded
    """Causes."""

    @property
    def inside(self) -> BoolArray:
        """Which rows count in the mean."""
        inside: BoolArray = self.codes <= _ASSIGNED
        return inside

    def unscored(self) -> Iterator[tuple[str | None, BoolArray]]:
        """The rows that could not be scored, by cause."""
        yield from self._by_cause(self.codes == _NOT_SCORED)

    def assigned(self) -> Iterator[tuple[str | None, BoolArray]]:
        """The rows whose value was set by a rule, by cause."""
        yield from self._by_cause(self.codes == _ASSIGNED)

    def _by_cause(self, rows: BoolArray) -> Iterator[tuple[str | None, BoolArray]]:
        if not rows.any():
            return
        counts = np.bincount(self.causes.codes[rows] + 1)  # np.unique would import numpy.ma
        for code in (np.flatnonzero(counts) - 1).tolist():
            cause = None if code < 0 else self.causes.texts[code]
            yield cause, rows & (self.causes.codes == code)


class Block(NamedTuple):
    """Figures of some rows, one column per figure."""

    columns: list[CountedColumn]
    """Values, and which of them are finite and count in the mean."""
    present: list[BoolArray]
    """Which values are finite."""
    non_finite: dict[int, BoolArray]
    """Which values that count in the mean are not finite, if a figure has any."""
    is_whole: list[bool]
    """Whether every row of a figure has a finite value that counts in the mean."""
    outcomes: list[Outcomes]
    """The outcomes of groups, and of figures that have their own."""

    def part(self, index: int, rows: Int64Array) -> Iterator[Float64Array]:
        """Values of a figure in some rows, as one array or as two arrays to be added."""
        values, _, rest = self.columns[index]
        yield values[rows]
        if rest is not None:
            yield rest[rows]


def read_block(columns: ScoredColumns, figures: SummarizedFigures) -> Block:
    """Read the figures of some rows."""
    outcomes = [_read_outcomes(columns, each) for each in figures.outcomes]
    all_inside = [bool(each.inside.all()) for each in outcomes]
    found, present, is_whole = [], [], []
    non_finite = {}
    for index, figure in enumerate(figures.figures):
        values, there, rest = columns.numbers(figure.column.name)
        counted = there
        if figure.outcome is not None and not all_inside[figure.outcome]:
            counted = there & outcomes[figure.outcome].inside
        finite = np.isfinite(values)
        if not finite.all():
            non_finite[index] = counted & ~finite
            values = np.where(finite, values, 0.0)
            there, counted = there & finite, counted & finite
        found.append(CountedColumn(values, counted, rest))
        present.append(there)
        is_whole.append(bool(counted.all()))
    return Block(found, present, non_finite, is_whole, outcomes)


def _read_outcomes(columns: ScoredColumns, outcome: FigureOutcome) -> Outcomes:
    read = columns.texts(f"{outcome.group}.outcome")
    numbers = np.array([_CODES.get(text, _NOT_SCORED) for text in read.texts], np.int64)
    codes = numbers[read.codes]
    if outcome.figure is not None:
        _, there, _ = columns.numbers(outcome.figure)
        codes = np.where(there & (codes == _NOT_SCORED), _SCORED, codes)
    return Outcomes(codes, columns.texts(f"{outcome.group}.cause"))
