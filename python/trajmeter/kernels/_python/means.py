"""Geometric means: the n-th root of the product of n values.

The product is kept as a mantissa and an exponent, so it neither overflows nor underflows, and only
the mantissa's logarithm is taken, at the end. Special values:

=====================  ====================================================================
-0.0                   counts as 0.0
any 0.0                the mean is 0.0
any inf                the mean is inf
both 0.0 and inf       undefined: an error in a plain mean, NaN in a grouped one
no value               undefined: an error in a plain mean, NaN in a grouped one
NaN, a negative value  an error in either, with the index of the first
=====================  ====================================================================

The mean never leaves the range of its values; the mean of equal values is exactly that value.
"""

from __future__ import annotations

from itertools import pairwise
from math import frexp, inf, isnan, ldexp, log2, nan, prod
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import EmptyInputError, ValueDomainError

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import Float64Array, Int64Array

__all__ = ["gmean", "gmean_grouped", "mean"]

_SAFE_EXPONENT = 1000
"""A product from ``2**-1000`` to ``2**1000`` has full precision, with room for one more factor."""

_BELOW_TWO = 2.0 - 2.0**-52
"""If a root is rounded up to 2, the result may exceed the greatest double."""

_is_value = (0.0).__le__
"""Whether a number is valid in a mean; false for NaN, true for -0.0."""


def gmean(values: Float64Array) -> float:
    """Average ratios: the number whose n-th power is the product of the n values.

    Args:
        values: Numbers from 0.0 to inf.

    Returns:
        The geometric mean, between the least and the greatest value; 0.0 or inf if a value is.

    Raises:
        EmptyInputError: ``values`` is empty.
        ValueDomainError: A value is negative or NaN; the first one is named. Or both 0.0 and inf
            are among them; the first index of each is named.
    """
    numbers = _checked(values)
    if not numbers:
        raise EmptyInputError("there are no values, expected at least 1 for a geometric mean")
    figure = mean(numbers)
    if isnan(figure):
        raise ValueDomainError(
            f"value {numbers.index(0.0)} is 0.0 and value {numbers.index(inf)} is inf: "
            "their geometric mean is undefined"
        )
    return figure


def gmean_grouped(values: Float64Array, offsets: Int64Array) -> Float64Array:
    """Average ratios within groups.

    Args:
        values: Numbers from 0.0 to inf.
        offsets: Group i holds the values ``[offsets[i], offsets[i + 1])``. Values outside all
            groups are ignored.

    Returns:
        The geometric mean of each group; NaN for a group that is empty, or holds both 0.0 and inf.

    Raises:
        ValueDomainError: A value is negative or NaN; the first one is named by its position in
            ``values``.
    """
    bounds = offsets.tolist()
    base = bounds[0]
    numbers = _checked(values[base : bounds[-1]], base)
    groups = (numbers[begin - base : end - base] for begin, end in pairwise(bounds))
    return np.array([mean(group) for group in groups], np.float64)


def _checked(values: Float64Array, base: int = 0) -> list[float]:
    numbers: list[float] = values.tolist()
    if all(map(_is_value, numbers)):
        return numbers
    index, bad = next(pair for pair in enumerate(numbers) if not _is_value(pair[1]))
    raise ValueDomainError(
        f"value {base + index} is {'NaN' if isnan(bad) else bad}, expected a number from 0 to inf"
    )


def mean(numbers: list[float]) -> float:
    """Geometric mean of checked numbers; NaN if it is undefined."""
    if not numbers:
        return nan
    least, greatest = min(numbers), max(numbers)
    if not least or greatest == inf:
        return abs(least * greatest)  # -0.0 is 0.0, and 0.0 times inf is NaN
    # In pieces so short that the product of each stays precise; common values need few pieces.
    reach = max(1 - frexp(least)[1], frexp(greatest)[1], 1)
    piece = max(_SAFE_EXPONENT // reach, 1)
    mantissa, exponent = 1.0, 0
    for begin in range(0, len(numbers), piece):
        factor, power = frexp(prod(numbers[begin : begin + piece]))
        mantissa, carry = frexp(mantissa * factor)
        exponent += power + carry
    # As powers of 2 with a mantissa of at least 1, whose root is at least 1 and below 2.
    whole, rest = divmod(exponent - 1, len(numbers))
    root = 2.0 ** ((rest + log2(2.0 * mantissa)) / len(numbers))
    return min(max(ldexp(min(root, _BELOW_TWO), whole), least), greatest)
