"""Numbers at twice the precision of a float: products and squares with their rounding errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array

__all__ = ["Doubles", "exact_products", "exact_squares"]

_HALVES = 2.0**27 + 1.0


class Doubles(NamedTuple):
    """Numbers at twice the precision of a float: each is the sum of its two parts."""

    high: Float64Array
    """The number, rounded to a float."""
    low: Float64Array
    """The remainder."""


def exact_products(left: Float64Array, right: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Products of numbers, and the rounding error of each (Dekker, 1971)."""
    product = left * right
    left_high, right_high = _upper_half(left), _upper_half(right)
    left_low, right_low = left - left_high, right - right_high
    rest = left_high * right_high - product
    rest += left_high * right_low
    rest += left_low * right_high
    return product, rest + left_low * right_low


def exact_squares(values: Float64Array) -> tuple[Float64Array, Float64Array]:
    """Squares of numbers, and the rounding error of each."""
    square = values * values
    high = _upper_half(values)
    low = values - high
    return square, ((high * high - square) + 2.0 * high * low) + low * low


def _upper_half(values: Float64Array) -> Float64Array:
    """Numbers truncated to half of their digits, so that products of halves are exact."""
    cut = values * _HALVES
    return cut - (cut - values)
