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
from trajmeter.statistics.exact_moments import SlotOrder, exact_moments, slot_order
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
    "UnitCounts",
    "UnitRows",
]

_UNKNOWN = "unknown"
ROWS, SCORED, NOT_SCORED, ASSIGNED, ZEROS, NEGATIVE, DIVIDING, SUCCEEDED = range(8)
"""Columns of the counts of a unit. *Dividing* rows are those of a micro average whose denominator
is not 0; *succeeded* are those that pass the condition asked for."""

_SPARSE = 4
"""Units are numbered anew where fewer than one in so many has rows: adding some zeros is faster."""

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
    order: SlotOrder
    """The rows of each unit."""
    unit_groups: Int64Array
    """Group of each unit that has rows; 0 of the others."""

    @classmethod
    def of(cls, units: Int64Array, groups: Int64Array) -> UnitRows:
        """Number the units of a batch."""
        known = int(units.max(initial=-1)) + 1
        if known > _SPARSE * len(units):
            encoded = pa.array(units).dictionary_encode()
            rows = encoded.indices.to_numpy().astype(np.int64)
            numbers = encoded.dictionary.to_numpy()
            found = slot_order(rows, len(numbers))
        else:
            rows, numbers, found = units, np.arange(known), slot_order(units, known)
            has_rows = np.diff(found.offsets) > 0
            if has_rows.sum() * _SPARSE < known:
                numbers = np.flatnonzero(has_rows)
                rows = (np.cumsum(has_rows) - 1)[units]
                found = SlotOrder(found.order, np.append(found.offsets[numbers], len(units)))
        unit_groups = np.zeros(len(numbers), np.int64)
        unit_groups[rows] = groups
        return cls(rows, numbers, groups, np.diff(found.offsets), found, unit_groups)

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


class UnitCounts:
    """Counts of units, several of each; what was never counted takes no memory."""

    def __init__(self) -> None:
        self._columns: dict[int, GroupCounts] = {}

    def add(self, index: int, counts: Int64Array, numbers: Int64Array) -> None:
        """Add to one count of some units, each of which occurs once."""
        self._columns.setdefault(index, GroupCounts(1)).add(counts[:, None], numbers)

    def column(self, index: int, units: Int64Array) -> Int64Array:
        """One count of each of some units."""
        found = self._columns.get(index)
        return np.zeros(len(units), np.int64) if found is None else found.column(0, units)


class FigureSums:
    """Sums of one figure.

    Args:
        info: What the figure means.
        succeeds: Which values are a success; ``None`` where nobody asks.
    """

    def __init__(self, info: FigureInfo, succeeds: Success | None = None) -> None:
        self.info = info
        self._succeeds = succeeds
        self.counts = UnitCounts()
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
        self.counts.add(ROWS, units.sizes, units.numbers)
        if not_scored is not None and not_scored.any():
            self.counts.add(NOT_SCORED, units.how_many(not_scored), units.numbers)
        if outcomes is not None and outcomes.assigned.any():
            assigned = outcomes.assigned if counted is None else outcomes.assigned & counted
            self.counts.add(ASSIGNED, units.how_many(assigned), units.numbers)
        self._add_values(values if counted is None else np.where(counted, values, np.nan), units)
        if self.info.denominator:
            self._add_ratio(batch, outcomes, units)

    def greatest(self, group: int) -> float:
        """The greatest size of a value of a group."""
        return float(self._greatest[group]) if group < len(self._greatest) else 0.0

    def _add_values(self, values: Float64Array, units: UnitRows) -> None:
        """Add values; NaN are outside the mean."""
        numbers = units.numbers
        # The squares of truth values are the values themselves.
        found = exact_moments(values, units.order, squares=self.info.kind != "boolean")
        self.counts.add(SCORED, found.counts, numbers)
        self.sums.add_places(found.sums, numbers)
        self.squares.add_places(found.squares, numbers)
        needed = int(units.unit_groups.max(initial=-1)) + 1
        if needed > len(self._greatest):
            self._greatest = np.pad(self._greatest, (0, needed - len(self._greatest)))
        np.maximum.at(self._greatest, units.unit_groups, found.greatest)
        if self.info.scale == "ratio":
            positive = values > 0.0
            self.logs.add(np.log(values[positive]), units.rows[positive], numbers)
            self.counts.add(ZEROS, units.how_many(values == 0.0), numbers)
            self.counts.add(NEGATIVE, units.how_many(values < 0.0), numbers)
        if self._succeeds is not None:
            self.counts.add(SUCCEEDED, units.how_many(self._succeeds(values)), numbers)

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
        for sums, values in ((self.numerators, numerator), (self.denominators, denominator)):
            kept = np.where(complete, values, np.nan)
            sums.add_places(exact_moments(kept, units.order, squares=False).sums, units.numbers)
        self.counts.add(DIVIDING, units.how_many(complete), units.numbers)

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
