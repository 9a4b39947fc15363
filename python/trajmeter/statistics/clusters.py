"""Means of values in clusters: their error, and the sources of their variance.

Source: Miller, Adding Error Bars to Evals, 2024, for errors that are robust to clusters.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.statistics.exact_sums import rounded_sum

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array

__all__ = [
    "TOO_LARGE",
    "Components",
    "is_constant",
    "standard_error",
    "sums_by",
    "variance_components",
]

TOO_LARGE = 1e140
"""Values beyond this have a mean but no error: squares of their sums would exceed the range of
floats, regardless of the number of values."""

_ROUNDING = 1e-12
"""An error smaller than this share of the greatest value is due to rounding."""


class Components(NamedTuple):
    """Variance between tasks and between the attempts at a task."""

    var_repeat: float
    """Variance of attempts at one task."""
    var_task: float
    """Variance of the tasks' true means."""
    icc: float | None
    """Share of the variance that lies between tasks; ``None`` if there is no variance."""
    std_error_repeat: float
    """How much more attempts at the same tasks could reduce the standard error of the mean."""


def sums_by(codes: Int64Array, values: Float64Array, count: int) -> Float64Array:
    """Sum of the values of each code.

    Args:
        codes: Code of each value, from 0.
        values: The values.
        count: Number of codes.
    """
    sums: Float64Array = np.bincount(codes, values, count).astype(np.float64)
    return sums


def standard_error(
    sums: Float64Array, sizes: Int64Array | Float64Array, mean: float, total: float
) -> float:
    """Standard error of a mean, or of a ratio of sums, that is robust to clusters.

    The residual of a cluster is its sum minus what it would be at the mean. With one value per
    cluster this is the classical error; with equally many values per cluster it is that of the
    clusters' means.

    Args:
        sums: Sum of the values of each cluster; at least two clusters.
        sizes: Number of values in each, or the sum of their denominators.
        mean: The mean of all values, or the ratio.
        total: Sum of the sizes.
    """
    residuals = sums - sizes * mean
    count = len(sums)
    squares = rounded_sum(residuals * residuals)
    return sqrt(count / (count - 1) * squares) / total


def is_constant(std_error: float, greatest: float) -> bool:
    """Whether a standard error is that of values that are equal up to rounding.

    Args:
        std_error: The error.
        greatest: The greatest absolute value.
    """
    return std_error <= _ROUNDING * greatest


def variance_components(
    sums: Float64Array, sizes: Int64Array, within: Float64Array, greatest: float
) -> Components | None:
    """Divide the variance of attempts into that between tasks and that between attempts.

    Args:
        sums: Sum of the values of each task.
        sizes: Number of values of each task, at least 1.
        within: Sum of the squared distances of each task's values from their mean.
        greatest: The greatest absolute value.

    Returns:
        The components, by analysis of variance; ``None`` with fewer than two tasks, or if no task
        has two values.
    """
    tasks, total = len(sums), int(sizes.sum())
    if tasks < 2 or total == tasks:  # noqa: PLR2004 - variance takes two
        return None
    mean = rounded_sum(sums) / total
    distances = sums / sizes - mean
    floor = (_ROUNDING * greatest) ** 2  # variance due to rounding
    repeat = rounded_sum(within) / (total - tasks)
    between = rounded_sum(sizes * distances * distances) / (tasks - 1)
    each = (total - int((sizes * sizes).sum()) / total) / (tasks - 1)
    repeat = repeat if repeat > floor else 0.0
    task = max(0.0, (between - repeat) / each)
    task = task if task > floor else 0.0
    whole = task + repeat
    share = task / whole if whole else None
    return Components(repeat, task, share, float(np.sqrt(repeat / total)))
