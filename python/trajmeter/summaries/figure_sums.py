"""Sums of figures by unit: the basis of all estimates, independent of row order.

A figure stores, for each unit, how many of its rows count in the mean, how many could not be
scored, and exact sums of the values, their squares and, for ratios, their logarithms; and by group,
why rows were not scored. The sums of tables are added. Squares are exact, so the variance of nearly
equal values keeps its precision.
"""

from __future__ import annotations

from collections import defaultdict
from copy import copy
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from trajmeter import arrays
from trajmeter.arrays import call_function, filled, present
from trajmeter.arrays.text import coded
from trajmeter.errors import ReadError
from trajmeter.records import Cause, Outcome
from trajmeter.statistics.exact_moments import Moments, SlotOrder, slot_order
from trajmeter.statistics.exact_sums import ExactSums
from trajmeter.statistics.group_counts import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.arrays import Array
    from trajmeter.arrays.text import Coded
    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.metrics.figures import FigureInfo
    from trajmeter.readers.results import ResultRows
    from trajmeter.statistics.exact_moments import BatchMoments

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
    "NumberedRows",
    "Success",
    "UnitCounts",
    "UnitRows",
]

_UNKNOWN = "unknown"
ROWS, SCORED, NOT_SCORED, ASSIGNED, ZEROS, NEGATIVE, DIVIDING, SUCCEEDED = range(8)
"""Columns of the counts of a unit. *Dividing* rows are those of a micro average whose denominator
is not 0; *succeeded* rows meet the requested condition."""

_SPARSE = 4
"""Units are renumbered if fewer than one in this many has rows; otherwise adding some zeros is
faster."""

Success: TypeAlias = "Callable[[Float64Array], BoolArray]"
"""Whether a value is a success."""


class UnitRows(NamedTuple):
    """Assigns the rows of a batch to units."""

    rows: Int64Array
    """Unit of each row, as an index into ``numbers``."""
    numbers: Int64Array
    """The distinct units of these rows."""
    groups: Int64Array
    """Group of each row."""
    sizes: Int64Array
    """Number of rows of each unit, which may be 0."""
    order: SlotOrder
    """The rows of each unit."""
    unit_groups: Int64Array
    """Group of each unit that has rows; 0 for the others."""

    @classmethod
    def of(cls, units: Int64Array, groups: Int64Array) -> UnitRows:
        """Number the units of a batch."""
        known = int(units.max(initial=-1)) + 1
        if known > _SPARSE * len(units):
            encoded = call_function("dictionary_encode", [arrays.numbers(units)])
            rows = filled(encoded.indices, -1).astype(np.int64)
            numbers = filled(encoded.dictionary, -1)
            order = slot_order(rows, len(numbers))
        else:
            rows, numbers, order = units, np.arange(known), slot_order(units, known)
            has_rows = np.diff(order.offsets) > 0
            if has_rows.sum() * _SPARSE < known:
                numbers = np.flatnonzero(has_rows)
                rows = (np.cumsum(has_rows) - 1)[units]
                order = SlotOrder(order.order, np.append(order.offsets[numbers], len(units)))
        sizes = np.diff(order.offsets)
        first = order.order[order.offsets[:-1][sizes > 0]]
        unit_groups = np.zeros(len(numbers), np.int64)
        unit_groups[sizes > 0] = groups[first]
        return cls(rows, numbers, groups, sizes, order, unit_groups)

    def how_many(self, rows: BoolArray) -> Int64Array:
        """Number of selected rows in each unit."""
        return np.bincount(self.rows[rows], minlength=len(self.numbers))


class BatchOutcomes:
    """Outcomes and causes of one group of figures in a batch.

    Args:
        batch: The rows.
        outcome: Column of the outcomes.
        cause: Column of the causes.
    """

    def __init__(self, batch: ResultRows, outcome: str, cause: str) -> None:
        outcomes = coded(batch.column(outcome))
        known = {Outcome.SCORED.value: 0, Outcome.ASSIGNED.value: 1, Outcome.ABSTAINED.value: 2}
        codes = np.array([*(known.get(text, 3) for text in outcomes.texts), 3], np.int64)
        self._codes = codes[outcomes.codes]
        self.is_plain = not self._codes.any()
        self.inside: BoolArray = self._codes <= 1
        self.assigned: BoolArray = self._codes == 1
        self.not_scored: BoolArray = self._codes == 3  # noqa: PLR2004 - the code above
        self.causes: Coded = coded(batch.column(cause))

    def of_missing(self, is_present: BoolArray) -> BatchOutcomes:
        """The outcomes of a figure whose values count even if its group is not scored.

        Args:
            is_present: Where the figure has a value.
        """
        changed = copy(self)
        changed.inside = self.inside | (self.not_scored & is_present)
        changed.not_scored = self.not_scored & ~is_present
        return changed


class NumberedRows(NamedTuple):
    """Data shared by all figures of a batch."""

    units: UnitRows
    """The unit of each row."""
    outcomes: dict[str, BatchOutcomes]
    """Outcomes of each group of figures."""


class UnitCounts:
    """Several counts per unit; a count that is never used takes no memory."""

    def __init__(self) -> None:
        self._columns: dict[int, GroupCounts] = {}

    def add(self, index: int, counts: Int64Array, numbers: Int64Array) -> None:
        """Add to one count of distinct units."""
        self._columns.setdefault(index, GroupCounts(1)).add(counts[:, None], numbers)

    def column(self, index: int, units: Int64Array) -> Int64Array:
        """One count of each of some units."""
        counts = self._columns.get(index)
        return np.zeros(len(units), np.int64) if counts is None else counts.column(0, units)


class FigureSums:
    """Sums of one figure.

    Args:
        info: What the figure means.
        succeeds: Which values are a success; ``None`` if not needed.
    """

    def __init__(self, info: FigureInfo, succeeds: Success | None = None) -> None:
        self.info = info
        self._succeeds = succeeds
        self.counts = UnitCounts()
        # Booleans equal their squares.
        self._moments = Moments(squares=info.kind != "boolean")
        self.sums, self.squares = self._moments.sums, self._moments.squares
        self.logs = ExactSums(1)
        self._parts = Moments(squares=False), Moments(squares=False)
        self.numerators, self.denominators = (part.sums for part in self._parts)
        self._greatest: Float64Array = np.zeros(0)
        self._greatest_log: Float64Array = np.zeros(0)
        self.causes: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))

    def add(
        self,
        batch: ResultRows,
        name: str,
        column: Array,
        outcomes: BatchOutcomes | None,
        units: UnitRows,
        table: str,
    ) -> None:
        """Count some rows.

        Args:
            batch: The rows, with the columns of the figure's counts.
            name: Name of the figure's column.
            column: The figure's column.
            outcomes: Outcomes of its group; ``None`` if it belongs to none.
            units: Units of the rows.
            table: Name of the table.

        Raises:
            ReadError: A boolean inside the mean is neither 0 nor 1.
        """
        values = filled(column, 0.0)
        counted = present(column) if column.null_count else None
        if outcomes is not None and not outcomes.is_plain:
            if self.info.stands:
                outcomes = outcomes.of_missing(present(column))
            counted = outcomes.inside if counted is None else counted & outcomes.inside
        not_scored = outcomes.not_scored if outcomes is not None else None
        inside = values if counted is None else np.where(counted, values, np.nan)
        found = self._moments.add(inside, units.order, units.numbers)
        if found.counts.sum() < (len(values) if counted is None else np.count_nonzero(counted)):
            finite = np.isfinite(values)
            odd = ~finite if counted is None else counted & ~finite
            self._add_causes(odd, np.zeros(len(values), np.int64), [Cause.NON_FINITE.value], units)
            not_scored = odd if not_scored is None else not_scored | odd
            counted = finite if counted is None else counted & finite
            inside = np.where(counted, values, np.nan)
        if outcomes is not None and not outcomes.is_plain:
            causes = outcomes.causes
            self._add_causes(outcomes.not_scored, causes.codes, causes.texts, units)
        self.counts.add(ROWS, units.sizes, units.numbers)
        if not_scored is not None and not_scored.any():
            self.counts.add(NOT_SCORED, units.how_many(not_scored), units.numbers)
        if outcomes is not None and outcomes.assigned.any():
            assigned = outcomes.assigned if counted is None else outcomes.assigned & counted
            self.counts.add(ASSIGNED, units.how_many(assigned), units.numbers)
        if self.info.kind == "boolean":
            odd = (values != 0.0) & (values != 1.0)
            wrong = np.flatnonzero(odd if counted is None else odd & counted)
            if len(wrong):
                task = batch.column("task_id")[wrong[0]].as_py()
                of_task = "" if task is None else f" of task {task!r}"
                value = f"{values[wrong[0]]:g}"
                raise ReadError(f"{table}: {name}{of_task} is {value}, expected true or false")
        self._add_values(inside, found, units)
        if self.info.denominator:
            self._add_ratio(batch, ~np.isnan(inside), units)

    def greatest(self, group: int) -> float:
        """Largest absolute value in a group."""
        return float(self._greatest[group]) if group < len(self._greatest) else 0.0

    def greatest_log(self, group: int) -> float:
        """Largest absolute logarithm in a group."""
        return float(self._greatest_log[group]) if group < len(self._greatest_log) else 0.0

    def _add_values(self, values: Float64Array, moments: BatchMoments, units: UnitRows) -> None:
        """Add further sums of values; NaN does not count."""
        numbers = units.numbers
        self.counts.add(SCORED, moments.counts, numbers)
        self._greatest = _raised(self._greatest, units.unit_groups, moments.greatest)
        if self.info.scale == "ratio":
            positive = values > 0.0
            logs = np.log(values[positive])
            self.logs.add(logs, units.rows[positive], numbers)
            groups = units.groups[positive]
            self._greatest_log = _raised(self._greatest_log, groups, np.abs(logs))
            self.counts.add(ZEROS, units.how_many(values == 0.0), numbers)
            self.counts.add(NEGATIVE, units.how_many(values < 0.0), numbers)
        if self._succeeds is not None:
            self.counts.add(SUCCEEDED, units.how_many(self._succeeds(values)), numbers)

    def _add_ratio(self, batch: ResultRows, complete: BoolArray, units: UnitRows) -> None:
        """Add the counts of a micro average.

        Args:
            batch: The rows.
            complete: Rows inside the mean; those without all counts are removed.
            units: Units of the rows.
        """
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
        for sums, values in zip(self._parts, (numerator, denominator), strict=True):
            sums.add(np.where(complete, values, np.nan), units.order, units.numbers)
        self.counts.add(DIVIDING, units.how_many(complete), units.numbers)

    def _add_causes(
        self, rows: BoolArray, codes: Int64Array, texts: list[str], units: UnitRows
    ) -> None:
        places = np.flatnonzero(rows)
        if not len(places):
            return
        keys = units.groups[places] * (len(texts) + 1) + codes[places] + 1
        for key, count in zip(*np.unique(keys, return_counts=True), strict=True):
            group, code = divmod(int(key), len(texts) + 1)
            self.causes[group][texts[code - 1] if code else _UNKNOWN] += int(count)


def _raised(greatest: Float64Array, groups: Int64Array, values: Float64Array) -> Float64Array:
    """The largest value of each group, with further values."""
    needed = int(groups.max(initial=-1)) + 1
    if needed > len(greatest):
        greatest = np.pad(greatest, (0, needed - len(greatest)))
    np.maximum.at(greatest, groups, values)
    return greatest
