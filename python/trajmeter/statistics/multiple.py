"""Several tests at once: p-values that are valid jointly.

Source: Holm, A simple sequentially rejective multiple test procedure, 1979.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["holm"]


def holm(p_values: Iterable[float]) -> list[float]:
    """Adjust p-values so that the chance of any false finding among them stays below their level.

    In ascending order, each is multiplied by the number of those not below it, and raised to the
    adjusted value before it if that is greater.

    Args:
        p_values: The p-values, from 0 to 1.

    Returns:
        The adjusted values in the order given, at most 1.0.

    Raises:
        InputError: A value is not from 0 to 1.

    Example:
        >>> holm([0.01, 0.04, 0.03, 0.005])
        [0.03, 0.06, 0.06, 0.02]
    """
    values = list(p_values)
    for index, value in enumerate(values):
        if not 0.0 <= value <= 1.0:
            raise InputError(f"p-value {index} is {value}, expected 0 to 1")
    adjusted = [1.0] * len(values)
    least = 0.0
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        least = max(least, min((len(values) - rank) * values[index], 1.0))
        adjusted[index] = least
    return adjusted
