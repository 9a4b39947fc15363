"""Half-open byte spans ``[start, end)`` of one file, and the sets of bytes they cover.

Spans are passed as a sequence of ``(start, end)`` pairs, as an ``(n, 2)`` array of ``int64``, or as
a :class:`SpanSet`; the result is of the same kind as the first argument: a list of pairs for pairs.
Adjacent spans merge, an empty span ``[a, a)`` covers nothing and disappears, and a negative or
reversed span is an error that names its index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, final, overload

import numpy as np

from trajmeter.errors import ArrayError, NegativeSpanError, ReversedSpanError
from trajmeter.kernels import active

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajmeter.kernels import Int64Array, SpanArrays

__all__ = ["SpanSet", "difference", "intersection", "measure", "union"]

_INT64 = np.dtype(np.int64)
_LIMITS = np.iinfo(np.int64)
_EXPECTED = "expected (start, end) pairs of integers, an (n, 2) int64 array, or a SpanSet"


@final
class SpanSet:
    """An immutable set of bytes of one file, as sorted spans that neither overlap nor touch.

    ``|``, ``&`` and ``-`` are union, intersection and difference; ``len`` counts spans,
    :meth:`measure` bytes; iterating gives ``(start, end)`` pairs. Sets that cover the same bytes
    are equal, and hash alike.

    Args:
        spans: Spans in any order, overlapping or not.

    Raises:
        ArrayError: ``spans`` is neither pairs of integers nor an ``(n, 2)`` array of ``int64``.
        NegativeSpanError: A span begins before byte 0.
        ReversedSpanError: A span ends before it begins.

    Example:
        >>> seen = SpanSet([(0, 10), (30, 40), (8, 20)])
        >>> gold = SpanSet([(15, 35)])
        >>> seen & gold
        SpanSet([(15, 20), (30, 35)])
        >>> (seen & gold).measure() / gold.measure()
        0.5
    """

    __slots__ = ("_end", "_start")

    _start: Int64Array
    _end: Int64Array

    def __init__(self, spans: _Spans = ()) -> None:
        self._start, self._end = _merged(spans)
        self._start.setflags(write=False)
        self._end.setflags(write=False)

    @classmethod
    def from_arrays(cls, start: Int64Array, end: Int64Array) -> SpanSet:
        """Create a set from spans in two flat arrays, the form that kernels use.

        Args:
            start: First byte of each span, in any order.
            end: The byte after the last of each span.

        Raises:
            ArrayError: ``start`` and ``end`` are not flat ``int64`` arrays of one length.
            NegativeSpanError: A span begins before byte 0.
            ReversedSpanError: A span ends before it begins.
        """
        made = cls()
        made._start, made._end = active().union(start, end)
        made._start.setflags(write=False)
        made._end.setflags(write=False)
        return made

    @property
    def start(self) -> Int64Array:
        """First byte of each span, read-only."""
        return self._start

    @property
    def end(self) -> Int64Array:
        """The byte after the last of each span, read-only."""
        return self._end

    def measure(self) -> int:
        """Count the bytes."""
        return active().measure(self._start, self._end)

    def __or__(self, other: SpanSet) -> SpanSet:
        if not isinstance(other, SpanSet):
            return NotImplemented
        return SpanSet.from_arrays(*_both(_arrays(self), _arrays(other)))

    def __and__(self, other: SpanSet) -> SpanSet:
        if not isinstance(other, SpanSet):
            return NotImplemented
        return SpanSet.from_arrays(*active().intersection(*_arrays(self), *_arrays(other)))

    def __sub__(self, other: SpanSet) -> SpanSet:
        if not isinstance(other, SpanSet):
            return NotImplemented
        return SpanSet.from_arrays(*active().difference(*_arrays(self), *_arrays(other)))

    def __len__(self) -> int:
        return len(self._start)

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(_pairs((self._start, self._end)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SpanSet):
            return NotImplemented
        return np.array_equal(self._start, other._start) and np.array_equal(self._end, other._end)

    def __hash__(self) -> int:
        return hash((self._start.tobytes(), self._end.tobytes()))

    def __repr__(self) -> str:
        return f"SpanSet({list(self)})"

    def __reduce__(self) -> tuple[type[SpanSet], tuple[Int64Array]]:
        return SpanSet, (_table((self._start, self._end)),)


_Spans: TypeAlias = "Sequence[Sequence[int]] | Int64Array | SpanSet"
_Kind = TypeVar("_Kind", SpanSet, "Int64Array")
_Pairs: TypeAlias = "list[tuple[int, int]]"


@overload
def union(spans: _Kind, *others: _Spans) -> _Kind: ...
@overload
def union(spans: Sequence[Sequence[int]], *others: _Spans) -> _Pairs: ...
def union(spans: _Spans, *others: _Spans) -> object:
    """Merge spans into sorted ones that neither overlap nor touch.

    Args:
        spans: Spans in any order.
        others: More of them, to be merged with the first; errors call the second ``others[1]``.

    Returns:
        The bytes that at least one span covers, as the same kind as ``spans``.

    Raises:
        ArrayError: An argument is neither pairs of integers nor an ``(n, 2)`` array of ``int64``.
        NegativeSpanError: A span begins before byte 0.
        ReversedSpanError: A span ends before it begins.

    Example:
        >>> union([(30, 40), (0, 10), (8, 20), (20, 25)])
        [(0, 25), (30, 40)]
    """
    merged = _merged(spans)
    for index, other in enumerate(others):
        name = f"others[{index}]"
        try:
            more = _merged(other, name)
        except (NegativeSpanError, ReversedSpanError) as error:
            raise type(error)(f"{name}: {error}") from error
        merged = _both(merged, more)
    return _like(spans, merged)


@overload
def intersection(spans: _Kind, others: _Spans) -> _Kind: ...
@overload
def intersection(spans: Sequence[Sequence[int]], others: _Spans) -> _Pairs: ...
def intersection(spans: _Spans, others: _Spans) -> object:
    """Find the bytes that both sets of spans cover.

    Args:
        spans: Spans in any order.
        others: Spans in any order.

    Returns:
        Sorted spans that neither overlap nor touch, as the same kind as ``spans``.

    Raises:
        ArrayError: An argument is neither pairs of integers nor an ``(n, 2)`` array of ``int64``.
        NegativeSpanError: A span begins before byte 0.
        ReversedSpanError: A span ends before it begins.

    Example:
        >>> intersection([(0, 10), (20, 30)], [(5, 25)])
        [(5, 10), (20, 25)]
    """
    return _like(spans, active().intersection(*_arrays(spans), *_arrays(others, "others")))


@overload
def difference(spans: _Kind, others: _Spans) -> _Kind: ...
@overload
def difference(spans: Sequence[Sequence[int]], others: _Spans) -> _Pairs: ...
def difference(spans: _Spans, others: _Spans) -> object:
    """Find the bytes that the first spans cover and the others do not.

    Arguments, result and errors are those of :func:`intersection`.

    Example:
        >>> difference([(0, 10), (20, 30)], [(5, 25)])
        [(0, 5), (25, 30)]
    """
    return _like(spans, active().difference(*_arrays(spans), *_arrays(others, "others")))


def measure(spans: _Spans) -> int:
    """Count the bytes that at least one span covers.

    Args:
        spans: Spans in any order; bytes that several cover count once.

    Raises:
        ArrayError: ``spans`` is neither pairs of integers nor an ``(n, 2)`` array of ``int64``.
        NegativeSpanError: A span begins before byte 0.
        ReversedSpanError: A span ends before it begins.

    Example:
        >>> measure([(0, 10), (8, 20), (30, 40)])
        30
    """
    return active().measure(*_arrays(spans))


def _merged(spans: _Spans, name: str = "spans") -> SpanArrays:
    return active().union(*_arrays(spans, name))


def _both(spans: SpanArrays, others: SpanArrays) -> SpanArrays:
    start = np.concatenate((spans[0], others[0]))
    end = np.concatenate((spans[1], others[1]))
    return active().union(start, end)


def _like(kind: _Spans, canonical: SpanArrays) -> object:
    if isinstance(kind, SpanSet):
        return SpanSet.from_arrays(*canonical)
    return _table(canonical) if isinstance(kind, np.ndarray) else _pairs(canonical)


def _table(arrays: SpanArrays) -> Int64Array:
    return np.column_stack(arrays)


def _pairs(arrays: SpanArrays) -> list[tuple[int, int]]:
    return list(zip(arrays[0].tolist(), arrays[1].tolist(), strict=True))


def _arrays(spans: _Spans, name: str = "spans") -> SpanArrays:
    if isinstance(spans, SpanSet):
        return spans.start, spans.end
    if isinstance(spans, np.ndarray):
        return _from_columns(spans, name)
    return _from_pairs(spans, name)


def _from_columns(spans: np.ndarray[Any, Any], name: str) -> SpanArrays:
    """Copy the two columns into separate arrays: kernels take flat arrays."""
    if type(spans) is not np.ndarray:
        # A masked array would lose its mask.
        raise ArrayError(f"{name} is a {type(spans).__qualname__}, {_EXPECTED}")
    if spans.dtype != _INT64:
        raise ArrayError(f"{name} has dtype {spans.dtype}, {_EXPECTED}")
    if spans.ndim != 2 or spans.shape[1] != 2:  # noqa: PLR2004 - a span has a start and an end
        raise ArrayError(f"{name} has shape {spans.shape}, {_EXPECTED}")
    if not spans.flags.c_contiguous:
        raise ArrayError(
            f"{name} has strides {spans.strides}, expected C order: use numpy.ascontiguousarray"
        )
    return _columns(spans)


def _from_pairs(spans: Iterable[Any], name: str) -> SpanArrays:
    if isinstance(spans, (str, bytes)):
        raise ArrayError(f"{name} is a {type(spans).__qualname__}, {_EXPECTED}")
    try:
        listed = list(spans)
    except TypeError as error:
        raise ArrayError(f"{name} is a {type(spans).__qualname__}, {_EXPECTED}") from error
    try:
        pairs = [(start, end) for start, end in listed]
    except (TypeError, ValueError):
        pairs = []
    if len(pairs) != len(listed) or {type(number) for pair in pairs for number in pair} - {int}:
        pairs = [_pair(span, index, name) for index, span in enumerate(listed)]
    try:
        return _columns(np.array(pairs, np.int64).reshape(-1, 2))
    except OverflowError as error:
        index, pair = next(
            (index, pair)
            for index, pair in enumerate(pairs)
            if min(pair) < _LIMITS.min or max(pair) > _LIMITS.max
        )
        raise ArrayError(
            f"{name}[{index}] is {pair}, expected integers that fit in 64 bits"
        ) from error


def _pair(span: Sequence[int], index: int, name: str) -> tuple[int, int]:
    """Parse one span that contains other than plain integers, or is not a pair."""
    try:
        start, end = span
    except (TypeError, ValueError):
        raise ArrayError(f"{name}[{index}] is {span!r}, {_EXPECTED}") from None
    for number in (start, end):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise ArrayError(f"{name}[{index}] is {span!r}, {_EXPECTED}")
    return int(start), int(end)


def _columns(spans: Int64Array) -> SpanArrays:
    return np.ascontiguousarray(spans[:, 0]), np.ascontiguousarray(spans[:, 1])
