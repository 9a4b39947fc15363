"""Operations on half-open byte spans ``[start, end)``, each held as two arrays.

Adjacent spans merge, and an empty span ``[a, a)`` covers nothing and disappears. A set of spans is
*canonical* when its spans are sorted, not empty, and neither overlap nor touch; every result is.

Everything rests on one observation. Sort the starts and the ends of some spans separately, and call
them ``S`` and ``E``. The number of spans open at any position is the number of starts up to it
minus the number of ends up to it. So ``E[i] < S[i + 1]`` means that none is open in between: a gap.
And if no more than two are ever open, ``S[i + 1] < E[i]`` means that two are: an overlap.
"""

from __future__ import annotations

from itertools import accumulate, chain, pairwise
from operator import eq, gt
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trajmeter.errors import NegativeSpanError, ReversedSpanError
from trajmeter.kernels._arrays import SpanBatch
from trajmeter.kernels._constants import INT64_MAX

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.kernels._arrays import Int64Array, SpanArrays

__all__ = [
    "difference",
    "difference_batched",
    "intersection",
    "intersection_batched",
    "listed",
    "measure",
    "measure_batched",
    "union",
    "union_batched",
]

_Spans: TypeAlias = tuple[list[int], list[int]]

_SPAN = "span"
_OTHER = "other span"


def measure(start: Int64Array, end: Int64Array) -> int:
    """Count the bytes that lie in at least one span.

    Args:
        start: First byte of each span, in any order.
        end: The byte after the last of each span.

    Returns:
        Number of bytes; 0 without spans. It always fits in an ``int64``, like the ends.

    Raises:
        NegativeSpanError: A span begins before byte 0; the first bad span is named.
        ReversedSpanError: A span ends before it begins; the first bad span is named.
    """
    return _measure(_canonical(*listed(start, end)))


def union(start: Int64Array, end: Int64Array) -> SpanArrays:
    """Merge spans into the canonical set that covers the same bytes.

    Arguments and errors are those of :func:`measure`.

    Returns:
        Start and end of each span of the canonical set.
    """
    return _arrays(_canonical(*listed(start, end)))


def intersection(
    start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
) -> SpanArrays:
    """Find the bytes that both sets cover.

    Args:
        start: First byte of each span of one set, in any order.
        end: The byte after the last of each.
        other_start: First byte of each span of the other set, in any order.
        other_end: The byte after the last of each.

    Returns:
        Start and end of each span of the canonical set.

    Raises:
        NegativeSpanError: A span begins before byte 0; the first bad span is named, with those of
            the other set coming after all of this one.
        ReversedSpanError: A span ends before it begins; named in the same way.
    """
    return _arrays(_overlap(*_canonical_pair(start, end, other_start, other_end)))


def difference(
    start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
) -> SpanArrays:
    """Find the bytes that the first set covers and the other does not.

    Arguments, result and errors are those of :func:`intersection`.
    """
    return _arrays(_without(*_canonical_pair(start, end, other_start, other_end)))


def measure_batched(start: Int64Array, end: Int64Array, offsets: Int64Array) -> Int64Array:
    """Measure many sets of spans.

    Args:
        start: First byte of each span.
        end: The byte after the last of each span.
        offsets: Row i holds the spans ``[offsets[i], offsets[i + 1])``. Spans outside all rows are
            ignored.

    Returns:
        The result of :func:`measure` for each row.

    Raises:
        NegativeSpanError: A span begins before byte 0; the first bad span is named by its position
            in ``start``.
        ReversedSpanError: A span ends before it begins; named in the same way.
    """
    return np.array([_measure(_canonical(*row)) for row in _rows(start, end, offsets)], np.int64)


def union_batched(start: Int64Array, end: Int64Array, offsets: Int64Array) -> SpanBatch:
    """Merge each of many sets of spans.

    Arguments and errors are those of :func:`measure_batched`.

    Returns:
        Starts, ends and offsets of the canonical sets; the offsets begin at 0.
    """
    return _batch([_canonical(*row) for row in _rows(start, end, offsets)])


def intersection_batched(
    start: Int64Array,
    end: Int64Array,
    offsets: Int64Array,
    other_start: Int64Array,
    other_end: Int64Array,
    other_offsets: Int64Array,
) -> SpanBatch:
    """Intersect each of many sets with its partner.

    Args:
        start: First byte of each span of one side.
        end: The byte after the last of each.
        offsets: The rows of ``start`` and ``end``, as in :func:`measure_batched`.
        other_start: First byte of each span of the other side.
        other_end: The byte after the last of each.
        other_offsets: The rows of the other side; equally many.

    Returns:
        Starts, ends and offsets of the canonical sets; the offsets begin at 0.

    Raises:
        NegativeSpanError: A span begins before byte 0; the first bad span is named by its position
            in the arrays, with those of the other side coming after all of this one.
        ReversedSpanError: A span ends before it begins; named in the same way.
    """
    return _batch(_each(_overlap, start, end, offsets, other_start, other_end, other_offsets))


def difference_batched(
    start: Int64Array,
    end: Int64Array,
    offsets: Int64Array,
    other_start: Int64Array,
    other_end: Int64Array,
    other_offsets: Int64Array,
) -> SpanBatch:
    """Subtract from each of many sets what its partner covers.

    Arguments, result and errors are those of :func:`intersection_batched`.
    """
    return _batch(_each(_without, start, end, offsets, other_start, other_end, other_offsets))


def listed(start: Int64Array, end: Int64Array, what: str = _SPAN, base: int = 0) -> _Spans:
    """Read spans from their arrays, raising at the first that is negative or reversed.

    Args:
        start: First byte of each span.
        end: The byte after the last of each span.
        what: Name of the spans in messages.
        base: Position of the first of them in the caller's arrays, for messages.

    Returns:
        The starts and the ends.
    """
    starts, ends = start.tolist(), end.tolist()
    if min(starts, default=0) >= 0 and not any(map(gt, starts, ends)):
        return starts, ends
    index, first, last = next(
        (index, first, last)
        for index, (first, last) in enumerate(zip(starts, ends, strict=True), base)
        if first < 0 or last < first
    )
    if first < 0:
        raise NegativeSpanError(
            f"{what} {index} is [{first}, {last}): its start is negative, expected 0 or more"
        )
    raise ReversedSpanError(f"{what} {index} is [{first}, {last}): its end lies before its start")


def _canonical(starts: list[int], ends: list[int]) -> _Spans:
    """Merge spans: each span of the canonical set reaches from one gap to the next."""
    if any(map(eq, starts, ends)):
        kept = [(start, end) for start, end in zip(starts, ends, strict=True) if start < end]
        starts, ends = [start for start, _ in kept], [end for _, end in kept]
    if not starts:
        return [], []
    starts, ends = sorted(starts), sorted(ends)
    gaps = [(end, start) for end, start in zip(ends, starts[1:], strict=False) if end < start]
    return [starts[0], *(start for _, start in gaps)], [*(end for end, _ in gaps), ends[-1]]


def _overlap(spans: _Spans, others: _Spans) -> _Spans:
    """Intersect two canonical sets; at most two spans are open at any position."""
    starts, ends = sorted(spans[0] + others[0]), sorted(spans[1] + others[1])
    shared = [(start, end) for start, end in zip(starts[1:], ends, strict=False) if start < end]
    return [start for start, _ in shared], [end for _, end in shared]


def _without(spans: _Spans, others: _Spans) -> _Spans:
    """Intersect with the gaps of ``others``: from each of its ends to its next start."""
    return _overlap(spans, ([0, *others[1]], [*others[0], INT64_MAX]))


def _measure(spans: _Spans) -> int:
    return sum(spans[1]) - sum(spans[0])


def _canonical_pair(
    start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
) -> tuple[_Spans, _Spans]:
    spans, others = listed(start, end), listed(other_start, other_end, _OTHER)
    return _canonical(*spans), _canonical(*others)


def _each(
    operation: Callable[[_Spans, _Spans], _Spans],
    start: Int64Array,
    end: Int64Array,
    offsets: Int64Array,
    other_start: Int64Array,
    other_end: Int64Array,
    other_offsets: Int64Array,
) -> list[_Spans]:
    rows = _rows(start, end, offsets)
    other_rows = _rows(other_start, other_end, other_offsets, _OTHER)
    return [
        operation(_canonical(*row), _canonical(*other))
        for row, other in zip(rows, other_rows, strict=True)
    ]


def _rows(
    start: Int64Array, end: Int64Array, offsets: Int64Array, what: str = _SPAN
) -> list[_Spans]:
    """Cut spans into rows, once all of them have been checked."""
    bounds = offsets.tolist()
    base = bounds[0]
    starts, ends = listed(start[base : bounds[-1]], end[base : bounds[-1]], what, base)
    return [
        (starts[begin - base : stop - base], ends[begin - base : stop - base])
        for begin, stop in pairwise(bounds)
    ]


def _arrays(spans: _Spans) -> SpanArrays:
    return np.array(spans[0], np.int64), np.array(spans[1], np.int64)


def _batch(rows: list[_Spans]) -> SpanBatch:
    starts, ends = (
        np.array(list(chain.from_iterable(row[side] for row in rows)), np.int64) for side in (0, 1)
    )
    offsets = np.array([0, *accumulate(len(row[0]) for row in rows)], np.int64)
    return SpanBatch(starts, ends, offsets)
