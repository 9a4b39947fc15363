"""Sums of units by task or cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.statistics.clusters import sums_by

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array

__all__ = ["ClusterSums", "by_code"]


class ClusterSums(NamedTuple):
    """Sums by task or cluster."""

    sums: Float64Array
    """Sum of the values of each."""
    sizes: Int64Array
    """Number of values of each."""


def by_code(codes: Int64Array, sums: Float64Array, sizes: Int64Array) -> ClusterSums:
    """Sums and sizes of units by code, in the order of first occurrence."""
    if np.bincount(codes).max(initial=0) <= 1:  # faster than finding out which share them
        return ClusterSums(sums, sizes)
    known, first, places = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(len(known), np.int64)
    rank[np.argsort(first)] = np.arange(len(known))
    places = rank[places]
    added = sums_by(places, sums, len(known))
    counts = np.bincount(places, sizes, len(known)).astype(np.int64)
    return ClusterSums(added, counts)
