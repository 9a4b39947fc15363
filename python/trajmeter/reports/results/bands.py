"""Bands of curves: the interval of the mean at each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.statistics.clusters import is_constant, standard_error, sums_by
from trajmeter.statistics.distributions import has_t
from trajmeter.statistics.exact_sums import rounded_sum
from trajmeter.statistics.intervals import Range, t_interval, wilson_without_variation

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array

__all__ = ["Band", "band_of"]

_SHARE = Range(0.0, 1.0)


class Band(NamedTuple):
    """Limits of the mean at each step; both are empty if they are unknown."""

    lows: tuple[float, ...] = ()
    """Lower limits."""
    highs: tuple[float, ...] = ()
    """Upper limits."""


def band_of(shares: Float64Array, tasks: Int64Array, level: float) -> Band:
    """Intervals of the means of shares, step by step, clustered by task.

    Args:
        shares: One row per attempt, one column per step; 0 to 1.
        tasks: Code of each attempt's task.
        level: Confidence level of the intervals.

    Returns:
        Limits by Student's t, or Wilson's if all attempts are equal; none with fewer than two
        tasks, or without scipy.
    """
    _, codes, sizes = np.unique(tasks, return_inverse=True, return_counts=True)
    if len(sizes) < 2 or not has_t():  # noqa: PLR2004 - one task says nothing of others
        return Band()
    limits = [_limits(column, codes, sizes, level) for column in shares.T]
    return Band(*zip(*limits, strict=True))


def _limits(
    values: Float64Array, codes: Int64Array, sizes: Int64Array, level: float
) -> tuple[float, float]:
    total, count = len(values), len(sizes)
    mean = rounded_sum(values) / total
    error = standard_error(sums_by(codes, values, count), sizes, mean, total)
    if is_constant(error, float(np.abs(values).max())):
        found = wilson_without_variation(mean, count, level, _SHARE)
    else:
        found = t_interval(mean, error, count - 1, level, _SHARE)
    return found.low, found.high
