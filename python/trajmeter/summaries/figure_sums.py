"""Sums of figures by unit: what every estimate is made of, whatever the order of the rows.

A figure keeps, for each unit, how many of its rows are inside the mean and how many could not be
scored, and exact sums of the values, their squares and, of ratios, their logarithms; by group, why
rows were not scored. Sums of tables are added; squares are exact, so that the variance of values
that hardly differ keeps its digits.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from trajmeter.arrays import coded, filled, flags
from trajmeter.records import Cause, Outcome
from trajmeter.statistics.exact_sums import ExactSums, GroupCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.arrays import Coded
    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.metrics.figures import FigureInfo

__all__ = [
    "ASSIGNED",
    "DIVIDING",
    "NEGATIVE",
    "NOT_SCORED",
    "ROWS",
    "SCORED",
    "SUCCEEDED",
    "ZEROS",
    "BatchOutcomes",
    "FigureSums",
    "Success",
    "UnitRows",
]

_UNKNOWN = "unknown"
ROWS, SCORED, NOT_SCORED, ASSIGNED, ZEROS, NEGATIVE, DIVIDING, SUCCEEDED = range(8)
"""Columns of the counts of a unit. *Dividing* rows are those of a micro average whose denominator
is not 0; *succeeded* are those that pass the condition asked for."""
_WIDTH = 8

Success: TypeAlias = "Callable[[Float64Array], BoolArray]"
"""Tells which values are a success."""


class UnitRows(NamedTuple):
    """Which units the rows of a batch belong to."""

    rows: Int64Array
    """Unit of each row, as a place in ``numbers``."""
    numbers: Int64Array
    """The units of these rows, each once."""
    groups: Int64Array
    """Group of each row."""
    sizes: Int64Array
    """Rows of each unit, which may have none."""

    @classmethod
    def of(cls, units: Int64Array, groups: Int64Array) -> UnitRows:
        """Number the units of a batch."""
        known = int(units.max(initial=-1)) + 1
        if known <= len(units):  # numbering them anew would take longer than adding some zeros
            rows, numbers = units, np.arange(known)
        else:
            encoded = pa.array(units).dictionary_encode()
            rows = encoded.indices.to_numpy().astype(np.int64)
            numbers = encoded.dictionary.to_numpy()
        return cls(rows, numbers, groups, np.bincount(rows, minlength=len(numbers)))

    def how_many(self, rows: BoolArray) -> Int64Array:
        """How many of some rows each unit has."""
        return np.bincount(self.rows[rows], minlength=len(self.numbers))


class BatchOutcomes:
    """Outcomes and causes of one group of figures in a batch.

    Args:
        batch: The rows.
        outcome: Column of the outcomes.
        cause: Column of the causes.
    """

    def __init__(self, batch: pa.RecordBatch, outcome: str, cause: str) -> None:
        outcomes = coded(batch.column(outcome))
        known = {Outcome.SCORED.value: 0, Outcome.ASSIGNED.value: 1, Outcome.ABSTAINED.value: 2}
        codes = np.array([*(known.get(text, 3) for text in outcomes.texts), 3], np.int64)
        self._codes = codes[outcomes.codes]
        self.is_plain = not self._codes.any()
        self.inside: BoolArray = self._codes <= 1
        self.assigned: BoolArray = self._codes == 1
        self.not_scored: BoolArray = self._codes == 3  # noqa: PLR2004 - the code above
        self.causes: Coded = coded(batch.column(cause))


class FigureSums:
    """Sums of one figure.

    Args:
        info: What the figure means.
        succeeds: Which values are a success; ``None`` where nobody asks.
    """

    def __init__(self, info: FigureInfo, succeeds: Success | None = None) -> None:
        self.info = info
        self._succeeds = succeeds
        self.counts = GroupCounts(_WIDTH)
        self.sums = ExactSums(1)
        self.squares = ExactSums(1)
        self.logs = ExactSums(1)
        self.numerators = ExactSums(1)
        self.denominators = ExactSums(1)
        self._greatest: Float64Array = np.zeros(0)
        self.causes: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))

    def add(
        self,
        batch: pa.RecordBatch,
        name: str,
        outcomes: BatchOutcomes | None,
        units: UnitRows,
    ) -> None:
        """Count some rows.

        Args:
            batch: The rows, with the figure's column and those of its counts.
            name: The figure's column.
            outcomes: What became of its group; ``None`` where it stands by itself.
            units: Units of the rows.
        """
        column = batch.column(name)
        values = filled(column, 0.0)
        counted = flags(column.is_valid()) if column.null_count else None
        if outcomes is not None and not outcomes.is_plain:
            counted = outcomes.inside if counted is None else counted & outcomes.inside
        finite = np.isfinite(values)
        not_scored = outcomes.not_scored if outcomes is not None else None
        if not finite.all():
            odd = ~finite if counted is None else counted & ~finite
            self._add_causes(odd, np.zeros(len(values), np.int64), [Cause.NON_FINITE.value], units)
            not_scored = odd if not_scored is None else not_scored | odd
            counted = finite if counted is None else counted & finite
        if outcomes is not None and not outcomes.is_plain:
            causes = outcomes.causes
            self._add_causes(outcomes.not_scored, causes.codes, causes.texts, units)
        self._add_counts(counted, not_scored, outcomes, units)
        rows = units.rows if counted is None else units.rows[counted]
        kept = values if counted is None else values[counted]
        groups = units.groups if counted is None else units.groups[counted]
        self._add_values(kept, rows, groups, units)
        if self.info.denominator:
            self._add_ratio(batch, outcomes, units)

    def greatest(self, group: int) -> float:
        """The greatest size of a value of a group."""
        return float(self._greatest[group]) if group < len(self._greatest) else 0.0

    def _add_counts(
        self,
        counted: BoolArray | None,
        not_scored: BoolArray | None,
        outcomes: BatchOutcomes | None,
        units: UnitRows,
    ) -> None:
        table = np.zeros((len(units.numbers), _WIDTH), np.int64)
        table[:, ROWS] = units.sizes
        table[:, SCORED] = units.sizes if counted is None else units.how_many(counted)
        if not_scored is not None and not_scored.any():
            table[:, NOT_SCORED] = units.how_many(not_scored)
        if outcomes is not None and outcomes.assigned.any():
            assigned = outcomes.assigned if counted is None else outcomes.assigned & counted
            table[:, ASSIGNED] = units.how_many(assigned)
        self.counts.add(table, units.numbers)

    def _add_values(
        self, values: Float64Array, rows: Int64Array, groups: Int64Array, units: UnitRows
    ) -> None:
        if not len(values):
            return
        numbers = units.numbers
        self.sums.add(values, rows, numbers)
        needed = int(groups.max()) + 1
        if needed > len(self._greatest):
            self._greatest = np.pad(self._greatest, (0, needed - len(self._greatest)))
        np.maximum.at(self._greatest, groups, np.abs(values))
        if self.info.kind != "boolean":  # whose squares are the values themselves
            self.squares.add(values, rows, numbers, squared=True)
        extra = np.zeros((len(numbers), _WIDTH), np.int64)
        if self.info.scale == "ratio":
            positive = values > 0.0
            self.logs.add(np.log(values[positive]), rows[positive], numbers)
            extra[:, ZEROS] = np.bincount(rows[values == 0.0], minlength=len(numbers))
            extra[:, NEGATIVE] = np.bincount(rows[values < 0.0], minlength=len(numbers))
        if self._succeeds is not None:
            extra[:, SUCCEEDED] = np.bincount(rows[self._succeeds(values)], minlength=len(numbers))
        if self.info.scale == "ratio" or self._succeeds is not None:
            self.counts.add(extra, numbers)

    def _add_ratio(
        self, batch: pa.RecordBatch, outcomes: BatchOutcomes | None, units: UnitRows
    ) -> None:
        complete = np.ones(batch.num_rows, np.bool_) if outcomes is None else outcomes.inside.copy()
        parts = []
        for names in (self.info.numerator, self.info.denominator):
            total = np.zeros(batch.num_rows)
            for name in names:
                column = batch.column(name)
                values = filled(column, np.nan)
                complete &= np.isfinite(values)
                total = total + values
            parts.append(total)
        numerator, denominator = parts
        complete &= np.where(complete, denominator, 0.0) != 0.0
        rows = units.rows[complete]
        self.numerators.add(numerator[complete], rows, units.numbers)
        self.denominators.add(denominator[complete], rows, units.numbers)
        extra = np.zeros((len(units.numbers), _WIDTH), np.int64)
        extra[:, DIVIDING] = np.bincount(rows, minlength=len(units.numbers))
        self.counts.add(extra, units.numbers)

    def _add_causes(
        self, rows: BoolArray, codes: Int64Array, texts: list[str], units: UnitRows
    ) -> None:
        found = np.flatnonzero(rows)
        if not len(found):
            return
        keys = units.groups[found] * (len(texts) + 1) + codes[found] + 1
        for key, count in zip(*np.unique(keys, return_counts=True), strict=True):
            group, code = divmod(int(key), len(texts) + 1)
            self.causes[group][texts[code - 1] if code else _UNKNOWN] += int(count)
