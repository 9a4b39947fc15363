"""Sums for each of many groups, exact until they are read: no order or grouping changes a bit.

Sums are kept by place (see :mod:`trajmeter.statistics.exact_places`) as 64-bit integers, with one
table of groups for each place that any value reaches.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter.statistics.error_free import Doubles
from trajmeter.statistics.exact_places import PLACE_BITS, greatest, place_sums
from trajmeter.statistics.group_counts import GroupCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.statistics.exact_places import Places

__all__ = ["ExactSums", "ExactTotals", "quotient", "rounded_sum"]

_DIGIT = (1 << PLACE_BITS) - 1

_FEW = 500
"""Number of values that are summed faster one by one."""


class ExactTotals(NamedTuple):
    """Sums as multiples of one power of two."""

    multiples: list[int]
    """Multiple of the power for each sum."""
    exponent: int
    """Its exponent."""
    others: dict[int, float]
    """Sums that include infinities or NaN, by index; the sum of these is their value."""

    def multiples_of(self, exponent: int) -> list[int]:
        """The same as multiples of an equal or smaller power of two."""
        shift = self.exponent - exponent
        return [multiple << shift for multiple in self.multiples]

    def mean(self, index: int, count: int) -> float:
        """A sum divided by a count, correctly rounded; infinite if it exceeds all floats."""
        if index in self.others:
            return self.others[index]
        return _divided(self.multiples[index], self.exponent, count)


class ExactSums:
    """Exact sums for every group, several for each.

    Args:
        width: Number of sums per group.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._places: dict[int, GroupCounts] = {}
        self._others: dict[tuple[int, int], float] = {}

    def add(
        self,
        values: Float64Array,
        slots: Int64Array,
        numbers: Int64Array,
        *,
        squared: bool = False,
    ) -> None:
        """Add values to the sums of some groups.

        Args:
            values: Numbers.
            slots: Slot of each value: ``row * width + index of the sum``, with the row of its group
                in ``numbers``.
            numbers: The groups; each occurs once.
            squared: Whether to add the squares instead.
        """
        if not math.isfinite(greatest(values)):
            is_finite = np.isfinite(values)
            odd = ~is_finite
            self._add_others(values[odd] ** 2 if squared else values[odd], slots[odd], numbers)
            values, slots = values[is_finite], slots[is_finite]
        size = len(numbers) * self._width
        self.add_places(place_sums(values, slots, size, squared=squared), numbers)

    def add_places(self, places: Places, numbers: Int64Array) -> None:
        """Add sums of some groups: exponents of places, and the multiple of each in every slot.

        Args:
            places: The sums; a place may occur several times.
            numbers: The groups; each occurs once.
        """
        for place, sums in places:
            self._parts(place).add(sums.reshape(-1, self._width), numbers)

    def merge(self, other: ExactSums, numbers: Int64Array) -> None:
        """Add the sums of another table; its group i is group ``numbers[i]`` here."""
        for place, parts in other._places.items():
            self._parts(place).merge(parts, numbers)
        for (group, index), value in other._others.items():
            self._add_other(int(numbers[group]), index, value)

    def state(self) -> dict[str, Any]:
        """The sums, for :meth:`restore`: arrays, numbers, and lists of these."""
        return {
            "places": [[place, table.state()] for place, table in self._places.items()],
            "others": [[*key, value] for key, value in self._others.items()],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the sums with those of a state."""
        self._places.clear()
        for place, table in state["places"]:
            self._parts(place).restore(table)
        self._others = {(group, index): value for group, index, value in state["others"]}

    def totals(self, group: int | None) -> ExactTotals:
        """The sums for one group, or for all together."""
        places = sorted(self._places, reverse=True)
        multiples = [0] * self._width
        before = places[0] if places else 0
        for place in places:
            parts = self._places[place].counts(group)
            shift = before - place
            multiples = [(n << shift) + more for n, more in zip(multiples, parts, strict=True)]
            before = place
        return ExactTotals(multiples, before, self._others_of(group) if self._others else {})

    def doubles(self, groups: Int64Array, index: int = 0) -> Doubles:
        """One sum of each of some groups, to twice the precision of a float.

        Sums that include infinities or NaN are not included.

        Args:
            groups: The groups.
            index: Index of the sum.
        """
        high, low = np.zeros(len(groups)), np.zeros(len(groups))
        if not self._places:
            return Doubles(high, low)
        bottom, top = min(self._places), max(self._places)
        tables: list[Int64Array | int] = [
            self._places[place].column(index, groups) if place in self._places else 0
            for place in range(bottom, top + 1, PLACE_BITS)
        ]
        digits = _digits(tables, len(groups))
        signs: Int64Array = np.where(digits[-1] < 0, -1, 1)
        # Digits of the absolute values; leading digits are 0, so the height of the table does not
        # matter.
        digits = _digits([np.multiply(signs, table) for table in tables], len(groups))
        with np.errstate(over="ignore", invalid="ignore"):  # sums beyond all floats are infinite
            for place, digit in reversed([*enumerate(digits)]):
                part = np.ldexp(digit.astype(np.float64), bottom + place * PLACE_BITS)
                total = high + part
                low += part - (total - high)  # the greater is first, so this is exact
                high = total
            low = np.where(np.isfinite(high), low, 0.0)
            total = high + low
            rest: Float64Array = np.where(np.isfinite(total), low - (total - high), 0.0)
        return Doubles(signs * total, signs * rest)

    def total(self, groups: Int64Array, index: int = 0) -> ExactTotals:
        """One sum of some groups together.

        Args:
            groups: The groups.
            index: Index of the sum.
        """
        exponent = min(self._places, default=0)
        multiple = 0
        for place, table in self._places.items():
            multiple += int(table.column(index, groups).sum()) << (place - exponent)
        return ExactTotals([multiple], exponent, {})

    def _others_of(self, group: int | None) -> dict[int, float]:
        others: dict[int, float] = {}
        for (own, index), value in self._others.items():
            if group is None or own == group:
                others[index] = others.get(index, 0.0) + value
        return others

    def _add_other(self, group: int, index: int, value: float) -> None:
        self._others[group, index] = self._others.get((group, index), 0.0) + value

    def _parts(self, place: int) -> GroupCounts:
        if place not in self._places:
            self._places[place] = GroupCounts(self._width)
        return self._places[place]

    def _add_others(self, values: Float64Array, slots: Int64Array, numbers: Int64Array) -> None:
        """Add values that are not finite."""
        for value, slot in zip(values.tolist(), slots.tolist(), strict=True):
            row, index = divmod(slot, self._width)
            self._add_other(int(numbers[row]), index, value)


def _digits(tables: Sequence[Int64Array | int], count: int) -> list[Int64Array]:
    """Sums of places as 32-bit digits, the lowest first; the last is negative if a sum is."""
    digits = []
    carry = np.zeros(count, np.int64)
    for table in tables:
        carry = carry + table
        digits.append(carry & _DIGIT)
        carry = carry >> PLACE_BITS
    return [*digits, carry & _DIGIT, carry >> PLACE_BITS]


def rounded_sum(values: Float64Array) -> float:
    """The sum of numbers, rounded once, like ``math.fsum``; infinite beyond all floats."""
    if len(values) < _FEW:
        return math.fsum(values.tolist())
    if not math.isfinite(greatest(values)):
        return float(values.sum())
    slots = np.zeros(len(values), np.int64)
    places = [(place, int(sums[0])) for place, sums in place_sums(values, slots, 1, squared=False)]
    least = min((place for place, _ in places), default=0)
    return _divided(sum(held << (place - least) for place, held in places), least, 1)


def _divided(multiple: int, exponent: int, count: int) -> float:
    """A multiple of a power of two divided by a count, correctly rounded."""
    if exponent < 0:
        return quotient(multiple, count << -exponent)
    return quotient(multiple << exponent, count)


def quotient(numerator: int, denominator: int) -> float:
    """Divide integers, correctly rounded; infinite if it exceeds all floats."""
    try:
        return numerator / denominator
    except OverflowError:
        return math.inf if numerator > 0 else -math.inf
