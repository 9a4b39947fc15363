"""Arrow columns as flat arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.metrics.arrays import Array, Booleans, filled, flags

if TYPE_CHECKING:
    from trajmeter.kernels import Float64Array, Int64Array

__all__ = [
    "Names",
    "changes",
    "column",
    "first_values",
    "missing",
    "names",
    "numbers",
]


class Names(NamedTuple):
    """A column of texts, each text once."""

    text: bytes
    """The texts, one after another, as UTF-8."""
    offsets: Int64Array
    """Where each begins and ends."""
    codes: Int64Array
    """Which of them each row has; -1 for none."""


def column(table: pa.Table, name: str) -> Array | None:
    """A column in one piece; ``None`` where there is none, or where its values have no type."""
    if name not in table.column_names:
        return None
    pieces = table.column(name)
    if pa.types.is_null(pieces.type):
        return None
    chunks = pieces.unify_dictionaries().chunks
    return pa.concat_arrays(chunks or [pa.array([], pieces.type)])


def names(array: Array) -> Names:
    """Number the texts of a column."""
    encoded = array if isinstance(array, pa.DictionaryArray) else array.dictionary_encode()
    texts = encoded.dictionary.cast(pa.large_string())
    codes = filled(encoded.indices, -1).astype(np.int64)
    _, bounds, data = texts.buffers()
    if not len(texts) or bounds is None or data is None:
        return Names(b"", np.zeros(len(texts) + 1, np.int64), codes)
    offsets = np.frombuffer(memoryview(bounds), np.int64, len(texts) + 1, texts.offset * 8)
    return Names(data.to_pybytes(), offsets, codes)


def numbers(array: Array | None, rows: int) -> Float64Array:
    """A column as numbers, NaN where there is none: texts and booleans do not count."""
    if array is None or not _are_numbers(array.type):
        return np.full(rows, np.nan)
    if not pa.types.is_float64(array.type):
        array = array.cast(pa.float64(), safe=False)
    return filled(array, np.nan)


def _are_numbers(kind: pa.DataType) -> bool:
    tests = (pa.types.is_floating, pa.types.is_integer, pa.types.is_decimal)
    return any(is_number(kind) for is_number in tests)


def missing(array: Array | None, rows: int) -> Booleans:
    """Whether each row of a column has no value at all."""
    if array is None:
        return np.ones(rows, np.bool_)
    return flags(array.is_null()) if array.null_count else np.zeros(rows, np.bool_)


def changes(array: Array) -> Booleans:
    """Whether each row differs from the one before it; two missing values do not differ."""
    if isinstance(array, pa.DictionaryArray):
        codes = filled(array.indices, -1)
        differs: Booleans = codes[1:] != codes[:-1]
        return differs
    later, earlier = array[1:], array[:-1]
    same = flags(pc.equal(later, earlier).fill_null(False))  # noqa: FBT003 - the value itself
    both_missing = flags(later.is_null()) & flags(earlier.is_null())
    return ~(same | both_missing)


def first_values(array: Array, starts: Int64Array, ends: Int64Array) -> list[Any]:
    """The first value of each range of rows, NaN being none; ``None`` where it has none."""
    present = np.flatnonzero(~flags(array.is_null(nan_is_null=True)))
    if not len(present):
        return [None] * len(starts)
    found = np.searchsorted(present, starts)
    positions = present[np.minimum(found, len(present) - 1)]
    is_inside = (found < len(present)) & (starts <= positions) & (positions < ends)
    values = array.take(pa.array(positions, pa.int64())).to_pylist()
    return [
        value if inside else None for value, inside in zip(values, is_inside.tolist(), strict=True)
    ]
