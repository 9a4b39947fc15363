"""Values as sums of whole multiples of powers of two, which add up without rounding.

A value is split at multiples of 32 binary places into parts that are whole multiples of a power of
two. Rust splits values as integers; its twin splits them as floats, a million of which can be
summed without rounding. The splits differ, but the sums do not.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trajmeter import kernels
from trajmeter.statistics.error_free import exact_squares

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajmeter.kernels import Float64Array, Int64Array

    Places: TypeAlias = "Iterable[tuple[int, Int64Array]]"
    """Exponents of powers of two, and sums for each slot as multiples of them."""

__all__ = ["PLACE_BITS", "float_place_sums", "greatest", "place_sums"]

PLACE_BITS = 32
"""Binary places of a part. Integers of 64 bits then hold the sum of 2**31 parts."""

_AT_ONCE = 1 << 20
"""Values to add at a time: the sum of that many parts has 53 bits."""

_IN_CACHE = 1 << 15
"""Values to add at a time, if there are few sums."""

_PER_SUM = 8
"""Minimum number of values to add at a time for each sum, as adding to the sums has a cost too."""

_SPARSE = 8
"""Values are selected individually if fewer than one in this many is not 0."""

_SCALE = 768
"""Very large or small values are split as multiples of 2 to the power of this."""

_HUGE = 2.0**900
"""Values from this on would overflow in between."""

_TINY, _LARGE = 2.0**-450, 2.0**450
"""Squares of values below the first lose digits, and squares of values from the second on
overflow."""


def place_sums(values: Float64Array, slots: Int64Array, size: int, *, squared: bool) -> Places:
    """Sums of each place that finite values reach: its exponent, and a sum for each slot."""
    if kernels.backend() == "rust":
        from trajmeter.kernels import _rust  # the Python twin follows

        values, slots = np.ascontiguousarray(values), np.ascontiguousarray(slots, np.int64)
        return _rust.exact_sums(values, slots, size, squared=squared)
    return float_place_sums(values, slots, size, squared=squared)


def float_place_sums(
    values: Float64Array, slots: Int64Array, size: int, *, squared: bool
) -> Iterator[tuple[int, Int64Array]]:
    """Sums of each place that finite values, or their squares, reach, using floats.

    A place may come several times.
    """
    at_once = min(max(_IN_CACHE, _PER_SUM * size), _AT_ONCE)
    for start in range(0, len(values), at_once):
        part = slice(start, start + at_once)
        for scaled, own, scale in _scaled(values[part], slots[part], squared=squared):
            for terms in exact_squares(scaled) if squared else (scaled,):
                yield from _added(terms, own, size, scale)


def _scaled(
    values: Float64Array, slots: Int64Array, *, squared: bool
) -> Iterator[tuple[Float64Array, Int64Array, int]]:
    """Values by size, each with a power of 2, so that no part overflows or is truncated."""
    if not squared and greatest(values) < _HUGE:
        yield values, slots, 0
        return
    low, high = (_TINY, _LARGE) if squared else (0.0, _HUGE)
    sizes = np.abs(values)
    is_huge, is_tiny = sizes >= high, (sizes < low) & (sizes > 0.0)
    is_other = ~is_huge & ~is_tiny
    if is_other.all():
        yield values, slots, 0
        return
    for chosen, scale in ((is_huge, _SCALE), (is_tiny, -_SCALE), (is_other, 0)):
        yield np.ldexp(values[chosen], -scale), slots[chosen], 2 * scale if squared else scale


def _added(
    values: Float64Array, slots: Int64Array, size: int, scale: int
) -> Iterator[tuple[int, Int64Array]]:
    """Split values into parts, place by place, and sum the parts."""
    while left := np.count_nonzero(values != 0.0):
        if left < len(values) // _SPARSE:  # finding them costs more than adding some zeros
            kept = np.flatnonzero(values)
            values, slots = values[kept], slots[kept]
        place = (math.frexp(greatest(values))[1] - 1) // PLACE_BITS * PLACE_BITS
        # Next to this number, a float has no binary places below ``place``.
        rounder = math.ldexp(1.5, place + 52)
        parts = values + rounder
        parts -= rounder
        sums = np.bincount(slots, parts, size)
        yield place + scale, np.ldexp(sums, -place).astype(np.int64)
        values = np.subtract(values, parts, out=parts)


def greatest(values: Float64Array) -> float:
    """The greatest absolute value; NaN if a value is."""
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
