"""Numbers and their thresholds: compared up to rounding, and shown with enough digits."""

from __future__ import annotations

from math import isclose

__all__ = ["distinguished", "reaches", "with_threshold"]

_ROUNDING, _LEAST = 1e-12, 1e-15
"""Numbers closer to each other than this share of them, or than this, differ by rounding only."""


def with_threshold(value: float, threshold: float) -> str:
    """A value and its threshold, with enough digits to distinguish them.

    Example:
        >>> with_threshold(0.5996, 0.6), with_threshold(0.75, 0.6)
        ('0.5996 < 0.6', '0.75 > 0.6')
    """
    sign = "=" if _are_equal(value, threshold) else "<" if value < threshold else ">"
    shown = distinguished(value, threshold)
    return f"{shown[0]} {sign} {shown[1]}"


def reaches(value: float, least: float) -> bool:
    """Whether a number is at least another, up to rounding: 0.1 + 0.2 reaches 0.3 either way."""
    return value >= least or _are_equal(value, least)


def _are_equal(value: float, other: float) -> bool:
    return isclose(value, other, rel_tol=_ROUNDING, abs_tol=_LEAST)


def distinguished(*numbers: float) -> list[str]:
    """Numbers with three decimals, or more if needed to distinguish them from the last."""
    threshold = numbers[-1]
    numbers = tuple(threshold if _are_equal(each, threshold) else each for each in numbers)
    different = len(set(numbers))
    for digits in range(3, 17):
        shown = [f"{round(number, digits):.{digits}f}" for number in numbers]
        if len(set(shown)) == different and all(map(_keeps_nonzero, numbers, shown)):
            return [_without_zeros(text) for text in shown]
    return [repr(number) for number in numbers]


def _keeps_nonzero(number: float, shown: str) -> bool:
    """Whether a number that is displayed as 0 is really 0."""
    return number == 0.0 or float(shown) != 0.0


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
