"""Resampling clusters: means of bootstrap replicates, and sums under random signs.

Rows are never drawn: a replicate is how often each cluster was taken, or which of them changed
sign, and its figures are products of that with the sums of the clusters. The sums are added as
integers: each column is rounded to multiples of one power of 2, fine enough that its greatest value
takes 62 bits less those of the number of clusters. So a total is exact, and neither the order in
which it was added up nor the machine changes a bit of it.

Unlike the other twins this one computes with numpy: ten million draws in a loop of Python would
take a minute. The products are of integers below 2**53, which no library for linear algebra rounds.
Replicates are drawn on threads, as numpy computes without the lock of the interpreter.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from math import frexp, isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.errors import InputError, ValueDomainError
from trajmeter.kernels._python.draws import draws, picks
from trajmeter.processors import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajmeter.kernels._arrays import Float64Array, Int64Array

__all__ = ["cluster_means", "sign_flips"]

_BITS = 62
"""Bits of a total, and of a sum of as many of the greatest value as there are clusters."""

_PART = 24
"""Bits of the lower part of an integer; both parts add up in a float without rounding."""

_EXACT_BITS = 53
_LEAST_EXPONENT = -900
"""Of the greatest value of a column: powers of 2 by which columns are divided stay normal."""

_WORD = 64
_AT_ONCE = 1 << 15
"""Draws that are made at a time: few enough to stay in the cache."""
_PRODUCTS = 1 << 18
"""Number of products that OpenBLAS adds up on the calling thread; its own threads would compete
with those used here."""
_REPLICATES = 64
"""Replicates that are multiplied with the sums at a time, at least, as that reads them all."""


def cluster_means(
    sums: Float64Array, sizes: Int64Array, clusters: int, figures: int, seed: int, resamples: int
) -> Float64Array:
    """Mean of each figure in each bootstrap replicate of the clusters.

    A replicate takes as many clusters as there are, each by a draw of its own, and its mean is the
    sum of the sums it took, divided by the sum of their sizes.

    Args:
        sums: Sum of each figure in each cluster, cluster by cluster.
        sizes: How many values each of these sums has.
        clusters: Number of clusters, C.
        figures: Number of figures, F.
        seed: Seed of the draws.
        resamples: Number of replicates, B.

    Returns:
        B times F means, replicate by replicate; NaN for one of no value.

    Raises:
        ValueDomainError: A sum is NaN or infinite; the first one is named.
        InputError: A size is negative, or so great that a total would not be exact.
    """
    _check_finite(sums, "sum")
    _check_sizes(sizes, clusters)
    if not clusters or not figures:
        return np.full(resamples * figures, np.nan)
    columns = [_integers(column) for column in sums.reshape(clusters, figures).T]
    units = np.array([column.unit for column in columns])
    own_sizes, size_of = np.unique(sizes.reshape(clusters, figures), axis=1, return_inverse=True)
    parts = _parts([column.multiples for column in columns])
    table = np.concatenate([parts, own_sizes], axis=1).astype(np.float64)

    def means(block: range) -> Float64Array:
        totals = _product(_times_taken(seed, block, clusters), table)
        sizes_taken = totals[:, 2 * figures :][:, size_of.ravel()]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            own = _joined(totals[:, : 2 * figures]).astype(np.float64) / sizes_taken * units
        return np.where(sizes_taken > 0, own, np.nan)

    blocks = list(_blocks(resamples, clusters, _REPLICATES))
    return np.concatenate([*_on_threads(means, blocks), np.empty((0, figures))]).ravel()


def sign_flips(
    sums: Float64Array,
    tolerances: Float64Array,
    clusters: int,
    figures: int,
    seed: int,
    resamples: int,
) -> Int64Array:
    """How often the sum of each figure is as great as it is, once clusters changed sign at random.

    Cluster j changes sign in replicate b where bit ``j % 64`` of draw ``j // 64`` of b is set. A
    figure with fewer clusters than another has zeros behind them, which change nothing.

    Args:
        sums: Sum of each figure in each cluster, figure by figure.
        tolerances: By how much the sum of each figure may fall short.
        clusters: Number of clusters.
        figures: Number of figures.
        seed: Seed of the draws.
        resamples: Number of replicates.

    Returns:
        For each figure, the replicates whose absolute sum is at least that of the figure.

    Raises:
        ValueDomainError: A sum or a tolerance is NaN or infinite; the first one is named.
    """
    _check_finite(sums, "sum")
    _check_finite(tolerances, "tolerance")
    hits = np.zeros(figures, np.int64)
    if not clusters or not figures:
        return hits + resamples
    columns = [_integers(row) for row in sums.reshape(figures, clusters)]
    totals = np.array([column.multiples.sum() for column in columns])
    units = np.array([column.unit for column in columns])
    table = _parts([column.multiples for column in columns]).astype(np.float64)
    with np.errstate(over="ignore"):
        least = np.abs(totals).astype(np.float64) - tolerances / units
    words = -(-clusters // _WORD)
    for block in _blocks(resamples, clusters, 1):
        drawn = draws(seed, block, words).astype("<u8").view(np.uint8)
        flipped = np.unpackbits(drawn, axis=1, bitorder="little")[:, :clusters]
        changed = _joined(flipped.astype(np.float64) @ table)
        own = np.abs(totals - 2 * changed).astype(np.float64)
        hits += np.count_nonzero(own >= least, axis=0)
    return hits


class _Column(NamedTuple):
    """Numbers as multiples of one power of 2."""

    multiples: Int64Array
    """The multiples, rounded half to even."""
    unit: float
    """The power of 2."""


def _integers(values: Float64Array) -> _Column:
    greatest = float(np.abs(values).max(initial=0.0))
    exponent = max(frexp(greatest)[1], _LEAST_EXPONENT) - (_BITS - len(values).bit_length())
    # In two steps, because the power of 2 of the least exponents is infinite.
    scaled = values * 2.0 ** -(exponent // 2) * 2.0 ** (exponent // 2 - exponent)
    return _Column(np.rint(scaled).astype(np.int64), 2.0**exponent)


def _parts(columns: list[Int64Array]) -> Int64Array:
    """Columns side by side, the upper parts of all before the lower parts."""
    lower = (1 << _PART) - 1
    whole = [*(column >> _PART for column in columns), *(column & lower for column in columns)]
    return np.stack(whole, axis=1)


def _joined(totals: Float64Array) -> Int64Array:
    upper, lower = np.split(totals.astype(np.int64), 2, axis=1)
    return (upper << _PART) + lower


def _on_threads(work: Callable[[range], Float64Array], blocks: list[range]) -> list[Float64Array]:
    """What ``work`` gives of each block, in their order."""
    count = min(threads(), len(blocks))
    if count <= 1:
        return list(map(work, blocks))
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, blocks))


def _product(left: Float64Array, right: Float64Array) -> Float64Array:
    """``left @ right`` of integers, in pieces for which OpenBLAS starts no threads of its own."""
    total = np.zeros((len(left), right.shape[1]))
    size = max(_PRODUCTS // total.size, 1)
    for begin in range(0, len(right), size):
        total += left[:, begin : begin + size] @ right[begin : begin + size]
    return total


def _times_taken(seed: int, replicates: range, clusters: int) -> Float64Array:
    """How often each of some replicates takes each cluster, a row for each."""
    times = np.empty((len(replicates), clusters))
    for part in _blocks(len(replicates), clusters, 1):
        block = range(replicates.start + part.start, replicates.start + part.stop)
        taken = picks(seed, block, clusters)
        taken += np.arange(len(block))[:, None] * clusters
        counts = np.bincount(taken.ravel(), minlength=len(block) * clusters)
        times[part.start : part.stop] = counts.reshape(len(block), clusters)
    return times


def _blocks(resamples: int, clusters: int, least: int) -> Iterator[range]:
    """Replicates at a time: as many as have few draws, and at least so many."""
    size = max(_AT_ONCE // clusters, least)
    for start in range(0, resamples, size):
        yield range(start, min(start + size, resamples))


def _check_finite(values: Float64Array, what: str) -> None:
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        index = int(wrong[0])
        value = float(values[index])
        shown = "NaN" if isnan(value) else value
        raise ValueDomainError(f"{what} {index} is {shown}, expected a finite number")


def _check_sizes(sizes: Int64Array, clusters: int) -> None:
    most = (1 << _EXACT_BITS) // max(clusters, 1)
    wrong = np.flatnonzero((sizes < 0) | (sizes > most))
    if len(wrong):
        index = int(wrong[0])
        raise InputError(f"size {index} is {sizes[index]}, expected 0 to {most}")
