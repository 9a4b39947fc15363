"""Numbers of keys: of texts and of pairs, in the order of first occurrence."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trajmeter.arrays import call_function, cast, filled, numbers
from trajmeter.arrays.text import coded

if TYPE_CHECKING:
    from trajmeter.arrays import Array
    from trajmeter.kernels import Int64Array

__all__ = ["MOST", "PairNumbers", "TextNumbers", "numbered"]

_SHIFT = 32
_DENSE = 4
"""Pairs are looked up in a table of all possible pairs, unless it is much larger than their
number."""

MOST = 1 << 62
"""Maximum number of keys that one number distinguishes."""


class TextNumbers:
    """Numbers of keys, in the order of first occurrence."""

    def __init__(self) -> None:
        self.keys: list[str | None] = []
        self._numbers: dict[str, int] = {}

    def of(self, column: Array, *, alone: bool) -> Int64Array:
        """Numbers of a column's texts.

        Args:
            column: The texts.
            alone: Whether each null is a separate key; otherwise all nulls are one key.
        """
        texts, places = coded(column)
        known = self._numbers
        added = [text for text in texts if text not in known]
        known.update(zip(added, range(len(self.keys), len(self.keys) + len(added)), strict=True))
        self.keys += added
        numbers = np.array([*map(known.__getitem__, texts), -1], np.int64)
        is_new = np.array_equal(numbers[:-1], np.arange(len(texts)))  # as in the first batch
        codes: Int64Array = places if is_new else numbers[places]
        if alone:
            absent = np.flatnonzero(codes < 0)
            codes[absent] = np.arange(len(self.keys), len(self.keys) + len(absent))
            self.keys += [None] * len(absent)
        return codes


class PairNumbers:
    """Numbers of pairs of numbers; new pairs of a batch follow those of earlier batches."""

    def __init__(self) -> None:
        self._packed: Int64Array = np.empty(0, np.int64)  # by number
        self._sorted: Int64Array = np.empty(0, np.int64)
        self._numbers: Int64Array = np.empty(0, np.int64)  # sorted

    def of(self, first: Int64Array, second: Int64Array) -> Int64Array:
        """Number of each pair; -1 is a valid member."""
        own, table, places = _distinct_pairs(first, second)
        found = np.searchsorted(self._sorted, own)
        is_known = found < len(self._sorted)
        is_known[is_known] = self._sorted[found[is_known]] == own[is_known]
        numbers = np.empty(len(own), np.int64)
        numbers[is_known] = self._numbers[found[is_known]]
        added = own[~is_known]
        if len(added):
            numbers[~is_known] = np.arange(len(self._packed), len(self._packed) + len(added))
            self._packed = np.concatenate([self._packed, added])
            self._numbers = np.argsort(self._packed)
            self._sorted = self._packed[self._numbers]
        found = numbers[table]
        is_same = np.array_equal(found, np.arange(len(found)))  # as in the first batch
        codes: Int64Array = places if is_same else found[places]
        return codes

    @property
    def first(self) -> Int64Array:
        """The first member of each pair, by number."""
        first: Int64Array = (self._packed >> _SHIFT) - 1
        return first

    @property
    def second(self) -> Int64Array:
        """The second member of each pair, by number."""
        second: Int64Array = (self._packed & ((1 << _SHIFT) - 1)) - 1
        return second


def _distinct_pairs(
    first: Int64Array, second: Int64Array
) -> tuple[Int64Array, Int64Array, Int64Array]:
    """Distinct pairs packed into one number each; pair i is ``table[places[i]]``."""
    (low, high), (least, most) = _ends(first), _ends(second)
    width = most - least + 1
    count = (high - low + 1) * width
    if count > _DENSE * len(first):
        packed = numbers(((first + 1) << _SHIFT) | (second + 1))
        encoded = call_function("dictionary_encode", [packed])
        known = filled(encoded.dictionary, -1)
        return known, np.arange(len(known)), filled(encoded.indices, -1).astype(np.int64)
    # Allocates as little as possible: fresh memory costs as much as the sums.
    if low == high:
        pairs = second - least if least else second
    elif least == most:
        pairs = first - low if low else first
    else:
        pairs = first * width
        pairs += second
        pairs -= low * width + least
    occurs = np.zeros(count, np.bool_)
    occurs[pairs] = True
    highs, lows = np.divmod(np.flatnonzero(occurs), width)
    return ((highs + low + 1) << _SHIFT) | (lows + least + 1), np.cumsum(occurs) - 1, pairs


def _ends(numbers: Int64Array) -> tuple[int, int]:
    """Minimum and maximum; 0 if empty."""
    return (int(numbers.min()), int(numbers.max())) if len(numbers) else (0, 0)


def numbered(column: Any) -> Int64Array:  # noqa: ANN401 - chunks, whose stubs know too little
    """Numbers of values, the same for equal values, and -1 for null.

    Texts of numbers are parsed, which is faster; "1" is then equal to "01".
    """
    if pa.types.is_integer(column.type):
        return _joined(column)
    with suppress(pa.ArrowInvalid):
        read: Any = cast(column, pa.int64())
        ends: Any = call_function("min_max", [read]).as_py()
        if ends["min"] is None or 0 <= ends["min"] <= ends["max"] < MOST:
            return _joined(read)
    chunks = call_function("dictionary_encode", [column]).chunks  # within one dictionary
    codes = [filled(chunk.indices, -1).astype(np.int64) for chunk in chunks]
    return np.concatenate(codes)


def _joined(chunked: Any) -> Int64Array:  # noqa: ANN401 - as above
    """Integers of all chunks, with -1 for null."""
    parts = [filled(chunk, -1) for chunk in chunked.chunks]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
