"""Scales of axes: positions of values, and round numbers for the labels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Scale", "drawable", "scale_of", "tick_labels"]

_GREATEST = 1e150
"""Maximum drawable value; beyond it, the difference of two values may overflow."""
_SHORTEST = 1 / _GREATEST
"""Minimum length of an axis; the steps of a much shorter one underflow."""
_PAD = 0.06
"""Share of the axis that is left free beyond the values."""
_LARGE, _SMALL = 1e6, 1e-4
"""Numbers at least this large, or below this, are written with an exponent."""
_FEWEST = 3
"""Minimum number of labels on an axis; fewer do not convey the scale."""
_STEPS = (1.0, 2.0, 5.0, 10.0)


class Scale(NamedTuple):
    """Maps values onto a line."""

    low: float
    """Value at its start."""
    high: float
    """Value at its end."""
    start: float
    """Position of its start."""
    end: float
    """Position of its end."""
    is_ratio: bool = False
    """Whether it is logarithmic."""

    def at(self, value: float) -> float:
        """Position of a value, limited to the ends."""
        if self.is_ratio:
            if value <= 0:
                return self.start
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)

    def ticks(self, count: int, *, is_whole: bool = False) -> list[float]:
        """Round numbers along the axis, about ``count`` of them.

        Args:
            count: Number of labels that fit.
            is_whole: Whether only integers are meaningful, as for steps and counts.

        Example:
            >>> Scale(0.0, 1.0, 0, 100).ticks(5), Scale(0.5, 8.0, 0, 100, True).ticks(5)
            ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.5, 1.0, 2.0, 5.0])
        """
        if self.is_ratio and self.high / self.low > _STEPS[2]:
            return self._ratio_ticks(count)
        found: list[float] = []
        while len(found) < _FEWEST:
            rough = (self.high - self.low) / count
            if is_whole and rough <= 1:
                whole = range(math.ceil(self.low), math.floor(self.high) + 1)
                return [float(number) for number in whole]
            unit = 10.0 ** math.floor(math.log10(rough))
            step = next(unit * each for each in _STEPS if unit * each >= rough * (1 - 1e-9))
            first = math.ceil(self.low / step - 1e-9)
            last = math.floor(self.high / step + 1e-9)
            found = [float(f"{number * step:.12g}") for number in range(first, last + 1)]
            count += 1
        return found

    def _ratio_ticks(self, count: int) -> list[float]:
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        by = max(1, math.ceil(len(decades) / count))
        mantissas = _STEPS[:3] if len(decades) * 3 <= 2 * count + 2 else _STEPS[:1]
        found = (float(f"{each}e{power}") for power in decades[::by] for each in mantissas)
        return [
            value for value in found if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)
        ]


def drawable(value: float | None, *, is_ratio: bool = False) -> TypeGuard[float]:
    """Whether a value can be drawn on an axis."""
    return (
        value is not None
        and math.isfinite(value)
        and abs(value) <= _GREATEST
        and (not is_ratio or value >= 1 / _GREATEST)
    )


def scale_of(
    values: Iterable[float | None],
    start: float,
    end: float,
    *,
    low_end: float | None = None,
    high_end: float | None = None,
    is_ratio: bool = False,
) -> Scale:
    """Return a scale that contains every value.

    Args:
        values: The values; those that cannot be drawn are ignored.
        start: Position of the axis's start.
        end: Position of its end.
        low_end: Value at which it starts, unless a value is lower.
        high_end: Value at which it ends, unless a value is higher.
        is_ratio: Whether it is logarithmic.
    """
    ends = [each for each in (low_end, high_end) if each is not None]
    found = [each for each in (*values, *ends) if drawable(each, is_ratio=is_ratio)]
    low, high = (min(found), max(found)) if found else (1.0, 1.0) if is_ratio else (0.0, 1.0)
    if is_ratio:
        factor = (high / low) ** _PAD if high > low else 2.0
        return Scale(
            low if low == low_end else low / factor,
            high if high == high_end else high * factor,
            start,
            end,
            is_ratio=True,
        )
    pad = _PAD * (high - low) or abs(low) / 2 or 0.5
    below = low if low == low_end else low - pad
    above = high if high == high_end else high + pad
    if low >= 0.0:
        below = max(below, 0.0)
    if below == above:  # both ends were given, and are equal
        above = below + pad
    if 0.0 < above - below < _SHORTEST:
        above = below + _SHORTEST
    return Scale(below, above, start, end)


def tick_labels(ticks: Sequence[float], *, is_ratio: bool = False) -> list[str]:
    """Format the numbers of an axis, with enough decimals to distinguish them.

    Args:
        ticks: The numbers.
        is_ratio: Whether each number has its own number of decimals, as on a logarithmic axis.

    Example:
        >>> tick_labels([0.0, 0.25, 0.5]), tick_labels([0.0, 2000.0])
        (['0.00', '0.25', '0.50'], ['0', '2,000'])
        >>> tick_labels([0.5, 1.0], is_ratio=True)
        ['0.5', '1']
    """
    greatest = max(map(abs, ticks), default=0.0)
    if greatest >= _LARGE or 0.0 < greatest < _SMALL:
        return [f"{tick:.3g}" for tick in ticks]
    if is_ratio:
        return [f"{tick:,.{_decimals(tick)}f}" for tick in ticks]
    decimals = max((_decimals(tick) for tick in ticks), default=0)
    return [f"{tick:,.{decimals}f}" for tick in ticks]


def _decimals(tick: float) -> int:
    return len(f"{tick:.10f}".rstrip("0").partition(".")[2])
