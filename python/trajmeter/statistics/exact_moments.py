"""Exact sums of values and of their squares for many units, batch by batch.

:mod:`trajmeter.statistics.exact_sums` would need several passes over the values. Slots are looked
up once for all figures of the same rows, so Rust sums one slot after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from trajmeter import kernels
from trajmeter.statistics.error_free import Doubles
from trajmeter.statistics.exact_places import float_place_sums
from trajmeter.statistics.exact_sums import ExactSums, ExactTotals

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.kernels._rust import Moments as RustMoments

__all__ = ["BatchMoments", "Moments", "SlotOrder", "UnitSums", "slot_order"]


class SlotOrder(NamedTuple):
    """Positions of the values of each slot, slot by slot."""

    order: Int64Array
    """Positions, ascending within a slot."""
    offsets: Int64Array
    """Slot i has the positions ``order[offsets[i]:offsets[i + 1]]``."""


class BatchMoments(NamedTuple):
    """Counts and extremes of the finite values of each slot of a batch."""

    counts: Int64Array
    """Number of values."""
    greatest: Float64Array
    """Largest absolute value; 0 if there is none."""


class UnitSums(Protocol):
    """One exact sum of each unit."""

    def doubles(self, groups: Int64Array) -> Doubles:
        """The sum of each of some units, to twice the precision of a float."""

    def total(self, groups: Int64Array) -> ExactTotals:
        """The sum of some units together."""


def slot_order(slots: Int64Array, size: int) -> SlotOrder:
    """Find the positions of each slot.

    Args:
        slots: Slot of each value, below ``size``.
        size: Number of slots.
    """
    if kernels.backend() == "rust":
        from trajmeter.kernels import _rust  # the Python twin follows

        return SlotOrder(*_rust.slot_order(np.ascontiguousarray(slots, np.int64), size))
    offsets = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(slots, minlength=size), out=offsets[1:])
    return SlotOrder(np.argsort(slots, kind="stable").astype(np.int64), offsets)


class Moments:
    """Exact sums of the finite values of each unit, and of their squares.

    Args:
        squares: Whether to sum squares too.
    """

    sums: UnitSums
    """Sums of the values."""
    squares: UnitSums
    """Sums of their squares; 0 if not requested."""

    def __init__(self, *, squares: bool) -> None:
        self._squares = squares
        self._table: RustMoments | None = None
        if kernels.backend() == "rust":
            from trajmeter.kernels import _rust  # the Python twin follows

            self._table = _rust.Moments()
            self.sums = _TableSums(self._table, squares=False)
            self.squares = _TableSums(self._table, squares=True)
        else:
            self._sums, self._of_squares = ExactSums(1), ExactSums(1)
            self.sums, self.squares = self._sums, self._of_squares

    def add(self, values: Float64Array, rows: SlotOrder, units: Int64Array) -> BatchMoments:
        """Count the finite values of each slot, and add them to the sums of its unit.

        Args:
            values: Numbers; NaN and infinities are skipped.
            rows: Positions of the values of each slot.
            units: The unit of each slot; each occurs once.
        """
        if self._table is not None:
            values = np.ascontiguousarray(values)
            return BatchMoments(*self._table.add(values, *rows, units, squares=self._squares))
        size = len(rows.offsets) - 1
        slots = np.repeat(np.arange(size), np.diff(rows.offsets))
        ordered = values[rows.order]
        is_finite = np.isfinite(ordered)
        slots, ordered = slots[is_finite], ordered[is_finite]
        greatest = np.zeros(size)
        np.maximum.at(greatest, slots, np.abs(ordered))
        self._sums.add_places(float_place_sums(ordered, slots, size, squared=False), units)
        if self._squares:
            squares = float_place_sums(ordered, slots, size, squared=True)
            self._of_squares.add_places(squares, units)
        return BatchMoments(np.bincount(slots, minlength=size), greatest)


class _TableSums:
    """One sum of each unit, from those that Rust holds."""

    def __init__(self, table: RustMoments, *, squares: bool) -> None:
        self._table = table
        self._squares = squares

    def doubles(self, groups: Int64Array) -> Doubles:
        """The sum of each of some units, to twice the precision of a float."""
        return Doubles(*self._table.doubles(np.ascontiguousarray(groups), squares=self._squares))

    def total(self, groups: Int64Array) -> ExactTotals:
        """The sum of some units together."""
        places = self._table.total(np.ascontiguousarray(groups), squares=self._squares)
        least = min((place for place, _ in places), default=0)
        return ExactTotals([sum(held << (place - least) for place, held in places)], least, {})
