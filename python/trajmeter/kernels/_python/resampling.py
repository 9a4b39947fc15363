"""Resampling clusters: means of bootstrap replicates, and sums under random signs.

Rows are never drawn: a replicate states how often each cluster was drawn, or which clusters changed
sign, and its figures are the products with the sums of the clusters. The sums are added as
integers: each column is rounded to multiples of one power of 2, chosen so that its greatest value
takes 62 bits minus those of the number of clusters. So a total is exact, and neither the order of
summation nor the machine changes a bit of it.

Unlike the other twins, this one computes with numpy: ten million draws in a Python loop would take
a minute. The products are of integers below 2**53, which no linear algebra library rounds.
Replicates are drawn on threads, because numpy releases the interpreter lock.
"""

from __future__ import annotations

from math import frexp, isnan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter.errors import InputError, ValueDomainError
from trajmeter.kernels._python.draws import draws, picks
from trajmeter.system.processors import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajmeter.kernels._arrays import Float64Array, Int64Array

__all__ = ["cluster_means", "sign_flips"]

_BITS = 62
"""Bits of a total, which is at most the greatest value times the number of clusters."""

_PART = 24
"""Bits of the lower part of an integer; both parts are summed as floats without rounding."""

_EXACT_BITS = 53
_LEAST_EXPONENT = -900
"""Of the greatest value of a column: powers of 2 by which columns are divided stay normal."""

_WORD = 64
_AT_ONCE = 1 << 15
"""Draws per step: few enough to stay in the cache."""
_PRODUCTS = 1 << 18
"""Number of products that OpenBLAS sums on the calling thread; its own threads would compete with
those used here."""
_REPLICATES = 64
"""Minimum number of replicates to multiply with the sums at a time, as each product reads all
sums."""


def cluster_means(
    sums: Float64Array, sizes: Int64Array, clusters: int, figures: int, seed: int, resamples: int
) -> Float64Array:
    """Mean of each figure in each bootstrap replicate of the clusters.

    A replicate draws as many clusters as there are, with replacement, and its mean is the sum of
    their sums divided by the sum of their sizes.

    Args:
        sums: Sum of each figure in each cluster, cluster by cluster.
        sizes: Number of values in each of these sums.
        clusters: Number of clusters, C.
        figures: Number of figures, F.
        seed: Seed of the draws.
        resamples: Number of replicates, B.

    Returns:
        B times F means, replicate by replicate; NaN for a mean without values.

    Raises:
        ValueDomainError: A sum is NaN or infinite; the first one is named.
        InputError: A size is negative, or too large for an exact total.
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
    """How often each figure's sum is at least as large when clusters change sign at random.

    Cluster j changes sign in replicate b if bit ``j % 64`` of draw ``j // 64`` of b is set. A
    figure with fewer clusters than another is padded with zeros, which change nothing.

    Args:
        sums: Sum of each figure in each cluster, figure by figure.
        tolerances: Amount by which the sum of each figure may fall short.
        clusters: Number of clusters.
        figures: Number of figures.
        seed: Seed of the draws.
        resamples: Number of replicates.

    Returns:
        For each figure, the number of replicates whose absolute sum is at least the figure's.

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
    """The results of ``work`` for each block, in order."""
    count = min(threads(), len(blocks))
    if count <= 1:
        return list(map(work, blocks))
    from concurrent.futures import ThreadPoolExecutor  # fails while a program ends

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(work, blocks))


def _product(left: Float64Array, right: Float64Array) -> Float64Array:
    """``left @ right`` of integers, in pieces so small that OpenBLAS does not start threads."""
    total = np.zeros((len(left), right.shape[1]))
    size = max(_PRODUCTS // total.size, 1)
    for begin in range(0, len(right), size):
        total += left[:, begin : begin + size] @ right[begin : begin + size]
    return total


def _times_taken(seed: int, replicates: range, clusters: int) -> Float64Array:
    """How often each of some replicates draws each cluster, a row for each replicate."""
    times = np.empty((len(replicates), clusters))
    for part in _blocks(len(replicates), clusters, 1):
        block = range(replicates.start + part.start, replicates.start + part.stop)
        taken = picks(seed, block, clusters)
        taken += np.arange(len(block))[:, None] * clusters
        counts = np.bincount(taken.ravel(), minlength=len(block) * clusters)
        times[part.start : part.stop] = counts.reshape(len(block), clusters)
    return times


def _blocks(resamples: int, clusters: int, least: int) -> Iterator[range]:
    """Replicates per step: limited by their draws, but at least this many."""
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
