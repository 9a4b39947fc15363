"""The cluster bootstrap: limits of a mean, from replicates that draw whole clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.kernels import active

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array

__all__ = ["Limits", "limits_of_means", "percentile_limits", "resampled_means"]


class Limits(NamedTuple):
    """An interval."""

    low: float
    """Lower limit."""
    high: float
    """Upper limit."""


def limits_of_means(
    sums: Float64Array, sizes: Int64Array, *, level: float, seed: int, resamples: int
) -> list[Limits]:
    """Bootstrap limits of the means of several figures over the same clusters.

    The cost is that of the draws (clusters times replicates), regardless of the number of values.

    Args:
        sums: Sum of each figure in each cluster, a row for each cluster.
        sizes: Number of values in each of these sums, a row for each cluster.
        level: Confidence level of the interval.
        seed: Seed of the draws.
        resamples: Number of replicates.

    Returns:
        The limits of each figure.
    """
    means = resampled_means(sums, sizes, seed=seed, resamples=resamples)
    return [percentile_limits(column, level) for column in means.T]


def resampled_means(
    sums: Float64Array, sizes: Int64Array, *, seed: int, resamples: int
) -> Float64Array:
    """Mean of each figure in each replicate, a row for each replicate.

    Args:
        sums: Sum of each figure in each cluster, a row for each cluster.
        sizes: Number of values in each of these sums, a row for each cluster.
        seed: Seed of the draws.
        resamples: Number of replicates.
    """
    clusters, figures = sums.shape
    flat = np.ascontiguousarray(sums, np.float64).ravel()
    counts = np.ascontiguousarray(sizes, np.int64).ravel()
    means = active().cluster_means(flat, counts, clusters, figures, seed, resamples)
    return means.reshape(resamples, figures)


def percentile_limits(replicates: Float64Array, level: float) -> Limits:
    """Percentiles of replicates, linear between order statistics (type 7).

    Args:
        replicates: A figure of each replicate, 1 or more.
        level: Share of the replicates between the limits.
    """
    ordered = np.sort(replicates)
    tail = (1.0 - level) / 2.0
    return Limits(_percentile(ordered, tail), _percentile(ordered, 1.0 - tail))


def _percentile(ordered: Float64Array, share: float) -> float:
    place = share * (len(ordered) - 1)
    index = min(int(place), len(ordered) - 2) if len(ordered) > 1 else 0
    below, above = float(ordered[index]), float(ordered[min(index + 1, len(ordered) - 1)])
    return below + (above - below) * (place - index)
