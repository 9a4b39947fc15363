"""Count, greatest size and exact sums of the values of each slot, and of their squares, at once.

What :mod:`trajmeter.statistics.exact_sums` would take several passes over the values for. Slots are
looked up once for all figures of the same rows, so that Rust adds up one slot after another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter import kernels
from trajmeter.statistics.exact_sums import places_of_parts

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.statistics.exact_sums import Places

__all__ = ["Moments", "SlotOrder", "exact_moments", "slot_order"]


class SlotOrder(NamedTuple):
    """Positions of the values of each slot, slot by slot."""

    order: Int64Array
    """Positions, ascending within a slot."""
    offsets: Int64Array
    """Slot i has the positions ``order[offsets[i]:offsets[i + 1]]``."""


class Moments(NamedTuple):
    """What is known of the finite values of each slot."""

    counts: Int64Array
    """How many there are."""
    greatest: Float64Array
    """The greatest size of one; 0 of none."""
    sums: Places
    """Their sums, as :meth:`~trajmeter.statistics.exact_sums.ExactSums.add_places` takes them."""
    squares: Places
    """Sums of their squares, likewise; none if these are not asked for."""


def slot_order(slots: Int64Array, size: int) -> SlotOrder:
    """Find the positions of each slot.

    Args:
        slots: Slot of each value, below ``size``.
        size: Number of slots.
    """
    if kernels.backend() == "rust":
        from trajmeter.kernels import _rust  # whose twin follows

        return SlotOrder(*_rust.slot_order(np.ascontiguousarray(slots, np.int64), size))
    offsets = np.zeros(size + 1, np.int64)
    np.cumsum(np.bincount(slots, minlength=size), out=offsets[1:])
    return SlotOrder(np.argsort(slots, kind="stable").astype(np.int64), offsets)


def exact_moments(values: Float64Array, rows: SlotOrder, *, squares: bool) -> Moments:
    """Count and add up the finite values of each slot.

    Args:
        values: Numbers; NaN and infinities are left out.
        rows: Which of them each slot has.
        squares: Whether their squares are added up as well.
    """
    if kernels.backend() == "rust":
        from trajmeter.kernels import _rust  # whose twin follows

        return Moments(*_rust.exact_moments(np.ascontiguousarray(values), *rows, squares=squares))
    size = len(rows.offsets) - 1
    slots = np.repeat(np.arange(size), np.diff(rows.offsets))
    ordered = values[rows.order]
    is_finite = np.isfinite(ordered)
    slots, ordered = slots[is_finite], ordered[is_finite]
    greatest = np.zeros(size)
    np.maximum.at(greatest, slots, np.abs(ordered))
    return Moments(
        np.bincount(slots, minlength=size),
        greatest,
        places_of_parts(ordered, slots, size, squared=False),
        places_of_parts(ordered, slots, size, squared=True) if squares else (),
    )
