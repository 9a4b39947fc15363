"""Histograms of many groups, from which quantiles are read: order and grouping do not matter.

A bucket holds the numbers with one sign, exponent and first six binary places, so its width is at
most 1/64 of their size; 0 and every integer below 128 have separate buckets. For each bucket, the
count and the least and greatest number are kept, so a bucket of equal numbers yields exactly that
number. Rust counts them; its twin is :func:`histograms_of`.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trajmeter import kernels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.kernels import Float64Array, Int64Array

__all__ = ["Buckets", "Histograms", "histograms_of"]

_BITS = 19
"""Bits of a bucket's number."""
_ZERO = 1 << (_BITS - 1)
"""Bucket of 0; those of negative numbers are below."""
_DROPPED = 46
"""Bits of a number below its first six binary places."""
_STEPS = 64
"""Buckets of one power of two."""
_SUBNORMAL = 52
"""Powers of two below the least normal number; they continue the others as if they were normal."""
_LEAST_NORMAL = 2.0**-1022
_WAITING = 1 << 16
"""Minimum number of buckets to collect before they are merged."""


class Buckets(NamedTuple):
    """Buckets of several histograms."""

    codes: Int64Array
    """Number of the histogram, with the number of the bucket in its lowest bits."""
    counts: Int64Array
    """Number of numbers in each."""
    least: Float64Array
    """Least number in each."""
    greatest: Float64Array
    """Greatest number in each."""

    def of(self, part: slice) -> Buckets:
        """Some of the buckets."""
        codes, counts, least, greatest = self
        return Buckets(codes[part], counts[part], least[part], greatest[part])


class Histograms:
    """Histograms for every group, several for each.

    Args:
        width: Number of histograms per group.
    """

    def __init__(self, width: int) -> None:
        self._width = width
        self._held = _added([])
        self._waiting: list[Buckets] = []
        self._waiting_count = 0

    def add(self, values: Float64Array, offsets: Int64Array, numbers: Int64Array) -> None:
        """Count numbers; those that are not finite are skipped.

        Args:
            values: The numbers, by histogram and, within each, by group.
            offsets: Where each histogram and group begins, and where the last one ends.
            numbers: The groups; each occurs once.
        """
        if kernels.backend() == "rust":
            from trajmeter.kernels import _rust  # the Python twin follows

            buckets = Buckets(*_rust.histograms(values, offsets))
        else:
            buckets = histograms_of(values, offsets)
        number, bucket = buckets.codes >> _BITS, buckets.codes & ((1 << _BITS) - 1)
        place, group = np.divmod(number, max(len(numbers), 1))
        self._add(buckets._replace(codes=self._codes(numbers[group], place, bucket)))

    def merge(self, other: Histograms, numbers: Int64Array) -> None:
        """Add the counts of another; its group i is group ``numbers[i]`` here."""
        self._add(other._of_groups(numbers))

    def state(self) -> list[Any]:
        """The counts, for :meth:`restore`."""
        return list(self._all())

    def restore(self, state: Sequence[Any]) -> None:
        """Replace the counts with those of a state."""
        self._held, self._waiting, self._waiting_count = Buckets(*state), [], 0

    def quantiles(
        self, group: int | None, percents: Sequence[int]
    ) -> Iterator[tuple[int, list[float]]]:
        """Quantiles of each histogram that holds numbers.

        A quantile is the least number that at least that percentage of all numbers do not exceed;
        for a bucket with different numbers, it is the midpoint of its least and greatest.

        Args:
            group: The group; ``None`` for all together.
            percents: From 0, which gives the least number, to 100.

        Yields:
            The index of the histogram, with its quantiles.
        """
        buckets = self._all()
        if group is None:
            known = int(buckets.codes[-1] >> _BITS) // self._width + 1 if len(buckets.codes) else 0
            buckets = _added([self._of_groups(np.zeros(known, np.int64))])
            group = 0
        first = group * self._width
        bounds = np.searchsorted(buckets.codes, np.arange(first, first + self._width + 1) << _BITS)
        for place, (start, stop) in enumerate(pairwise(bounds.tolist())):
            if start < stop:
                yield place, _quantiles(buckets.of(slice(start, stop)), percents)

    def _of_groups(self, numbers: Int64Array) -> Buckets:
        """Everything that was counted, with the groups renumbered."""
        buckets = self._all()
        group, place = np.divmod(buckets.codes >> _BITS, self._width)
        return buckets._replace(
            codes=self._codes(numbers[group], place, buckets.codes & ((1 << _BITS) - 1))
        )

    def _codes(self, group: Int64Array, place: Int64Array, bucket: Int64Array) -> Int64Array:
        codes: Int64Array = ((group * self._width + place) << _BITS) | bucket
        return codes

    def _add(self, buckets: Buckets) -> None:
        self._waiting.append(buckets)
        self._waiting_count += len(buckets.codes)
        if self._waiting_count > max(_WAITING, len(self._held.codes)):
            self._all()

    def _all(self) -> Buckets:
        """Everything that was counted, each bucket once, in the order of the codes."""
        if self._waiting:
            self._held = _added([self._held, *self._waiting])
            self._waiting, self._waiting_count = [], 0
        return self._held


def histograms_of(values: Float64Array, offsets: Int64Array) -> Buckets:
    """Count numbers by bucket, by numpy; histogram i is of ``values[offsets[i]:offsets[i + 1]]``.

    Those that are not finite are skipped.
    """
    # Buckets ascend with their numbers, so sorted numbers fill them one after another.
    ordered = np.concatenate([values[:0], *map(np.sort, np.split(values, offsets[1:-1]))])
    numbers = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    is_finite = np.isfinite(ordered)
    kept = ordered[is_finite] + 0.0  # -0.0 becomes 0.0
    if not len(kept):
        return _added([])
    sizes = np.abs(kept)
    is_tiny = sizes < _LEAST_NORMAL
    # Shifted into the normal range, which is exact.
    shifted = np.ldexp(sizes, np.where(is_tiny, _SUBNORMAL, 0))
    steps = (shifted.view(np.int64) >> _DROPPED) + np.where(is_tiny, 0, _SUBNORMAL * _STEPS)
    steps[sizes == 0.0] = 0
    buckets = _ZERO + np.where(kept < 0.0, -steps, steps)
    codes = (numbers[is_finite] << _BITS) | buckets
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    stops = np.append(starts[1:], len(codes))
    return Buckets(codes[starts], stops - starts, kept[starts], kept[stops - 1])


def _added(parts: Sequence[Buckets]) -> Buckets:
    """Merge the buckets of each code."""
    codes = np.concatenate([np.empty(0, np.int64), *(each.codes for each in parts)])
    if not len(codes):
        return Buckets(codes, codes, np.empty(0), np.empty(0))
    order = np.argsort(codes, kind="stable")
    codes = codes[order]
    counts = np.concatenate([each.counts for each in parts])[order]
    least = np.concatenate([each.least for each in parts])[order]
    greatest = np.concatenate([each.greatest for each in parts])[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    return Buckets(
        codes[starts],
        np.add.reduceat(counts, starts),
        np.minimum.reduceat(least, starts),
        np.maximum.reduceat(greatest, starts),
    )


def _quantiles(buckets: Buckets, percents: Sequence[int]) -> list[float]:
    """Quantiles of one histogram."""
    _, counts, least, greatest = buckets
    until = np.cumsum(counts)
    total = int(until[-1])
    ranks = [max(-(-percent * total // 100), 1) for percent in percents]
    places = np.searchsorted(until, ranks)
    middles: list[float] = (least + (greatest - least) / 2)[places].tolist()
    for index, percent in enumerate(percents):
        if percent == 0:
            middles[index] = float(least[0])
        elif percent == 100:  # noqa: PLR2004 - all of them
            middles[index] = float(greatest[-1])
    return middles
