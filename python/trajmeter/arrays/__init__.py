"""Converts Arrow arrays to flat numpy arrays, and back.

The names here are for arrays of any type; the modules add texts, lists, records and JSON.

These functions avoid two imports, each of which takes longer than scoring a thousand attempts:
``pyarrow.compute``, which some methods of arrays import, and pandas, which ``pa.array``,
``pa.scalar`` and ``to_numpy`` import if it is installed, to recognise its objects.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

try:
    from pyarrow._compute import CastOptions, MatchSubstringOptions, SetLookupOptions, call_function
except ImportError:  # the private module may change
    from pyarrow.compute import CastOptions, MatchSubstringOptions, SetLookupOptions, call_function

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import Int64Array

__all__ = [
    "ROWS_AT_ONCE",
    "Array",
    "Booleans",
    "MatchSubstringOptions",
    "Ragged",
    "SetLookupOptions",
    "booleans",
    "call_function",
    "cast",
    "concatenated",
    "concatenated_batches",
    "field",
    "filled",
    "flags",
    "nulls",
    "numbers",
    "present",
    "ragged",
    "raw_numbers",
    "taken",
    "validity",
]

ROWS_AT_ONCE = 256
"""Number of rows whose Python objects exist at a time: with more, each garbage collection would
take long."""

Array: TypeAlias = "pa.Array[Any]"
Booleans: TypeAlias = npt.NDArray[np.bool_]
_Column = TypeVar("_Column")

_KEPT_NULLS = (1 << 10, 1 << 17)
"""Lengths of the kept columns of nulls, for little data and for the turns of a batch: creating a
column takes longer than slicing one, and uses new memory each time."""

_NUMPY_NAMES = {"halffloat": "float16", "float": "float32", "double": "float64"}
"""numpy's names of Arrow's number types, where they differ."""


class Ragged(NamedTuple):
    """Lists of different lengths."""

    values: Array
    """The values of all lists, one after another."""
    offsets: Int64Array
    """List i has the values ``[offsets[i], offsets[i + 1])``; the first offset is 0."""


def ragged(lists: Any) -> Ragged:  # noqa: ANN401 - lists and maps of any type
    """Split lists into their values and offsets; a null list has no values.

    Values outside a sliced array, or behind a null, are omitted.
    """
    if not (pa.types.is_list(lists.type) or pa.types.is_map(lists.type)):
        lengths = filled(call_function("list_value_length", [lists]), 0)
        return Ragged(lists.flatten(), _ends(lengths))
    if lists.null_count == len(lists):
        return Ragged(lists.values[:0], np.zeros(len(lists) + 1, np.int64))
    begin = lists.offset
    bounds = np.frombuffer(lists.buffers()[1], np.int32)[begin : begin + len(lists) + 1]
    first, last = int(bounds[0]), int(bounds[-1])
    if not lists.null_count:
        return Ragged(lists.values[first:last], np.subtract(bounds, first, dtype=np.int64))
    offsets = _ends(np.where(present(lists), np.diff(bounds), 0))
    is_dense = last - first == offsets[-1]
    return Ragged(lists.values[first:last] if is_dense else lists.flatten(), offsets)


def _ends(lengths: npt.NDArray[Any]) -> Int64Array:
    """Offsets of lists of these lengths."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def cast(column: Any, arrow_type: Any, *, is_rounded: bool = False) -> Array:  # noqa: ANN401 - of any types
    """Convert a column to another type.

    Args:
        column: The column.
        arrow_type: The type.
        is_rounded: Whether to round a number that the type cannot represent, instead of raising.

    Raises:
        pa.ArrowInvalid: A value does not fit.
    """
    options = CastOptions.unsafe(arrow_type) if is_rounded else CastOptions(arrow_type)
    found: Array = call_function("cast", [column], options)
    return found


def field(records: Any, name: str) -> Array:  # noqa: ANN401 - an array of records
    """A field of a column of records; null for null records."""
    if not records.null_count:
        found: Array = records.field(name)
        return found
    column: Array = records.flatten()[records.type.get_field_index(name)]
    return column


def nulls(rows: int, arrow_type: Any) -> Array:  # noqa: ANN401 - of any type
    """A column of nulls, which shares its memory with others of its type."""
    enough = next((most for most in _KEPT_NULLS if rows <= most), None)
    return _nulls(rows, arrow_type) if enough is None else _kept(enough, arrow_type).slice(0, rows)


@cache
def _kept(rows: int, arrow_type: Any) -> Array:  # noqa: ANN401 - of any type
    return _nulls(rows, arrow_type)


def _nulls(rows: int, arrow_type: Any) -> Array:  # noqa: ANN401 - of any type
    column: Array = pa.nulls(rows, arrow_type)
    return column


def present(column: Any) -> Booleans:  # noqa: ANN401 - of any type
    """Which values of a column are not null; nulls within a dictionary or runs are not seen."""
    if not column.null_count:
        return np.ones(len(column), np.bool_)
    if column.null_count == len(column):
        return np.zeros(len(column), np.bool_)
    return _bits(column.buffers()[0], column.offset, len(column))


def filled(array: Any, instead: float) -> npt.NDArray[Any]:  # noqa: ANN401 - of any number
    """Values of a column with nulls replaced; not copied if it has no nulls."""
    number = _number_type(array.type)
    if array.null_count == len(array):
        return np.full(len(array), instead, number)
    held = raw_numbers(array)
    return np.where(present(array), held, np.array(instead, number)) if array.null_count else held


def raw_numbers(array: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - of any number
    """Values of a column without copying; those at nulls are meaningless."""
    number = _number_type(array.type)
    if array.null_count == len(array):
        return np.zeros(len(array), number)  # it may have no buffer
    return np.frombuffer(array.buffers()[1], number)[array.offset : array.offset + len(array)]


@cache
def _number_type(arrow_type: Any) -> type[np.number[Any]]:  # noqa: ANN401 - of numbers
    """Numpy's type for a column of numbers."""
    name = str(arrow_type)
    return np.dtype(_NUMPY_NAMES.get(name, name)).type


def numbers(values: npt.NDArray[Any], is_absent: Booleans | None = None) -> Array:
    """A column of integers or floats, null where absent; the values are not copied."""
    buffers = [validity(is_absent), pa.py_buffer(np.ascontiguousarray(values).data)]
    arrow_type = pa.from_numpy_dtype(values.dtype)
    column: Array = pa.Array.from_buffers(arrow_type, len(values), buffers)
    return column


def booleans(values: Booleans, is_absent: Booleans | None = None) -> Array:
    """A column of booleans, null where absent."""
    buffers = [validity(is_absent), pa.py_buffer(np.packbits(values, bitorder="little").data)]
    column: Array = pa.Array.from_buffers(pa.bool_(), len(values), buffers)
    return column


def validity(is_absent: Booleans | None) -> pa.Buffer | None:
    """The validity bitmap of an array; ``None`` if no value is absent."""
    if is_absent is None or not is_absent.any():
        return None
    return pa.py_buffer(np.packbits(~is_absent, bitorder="little").data)


def taken(column: _Column, positions: Any) -> _Column:  # noqa: ANN401 - of integers
    """The values at these positions of a column, or rows of a batch; null for a null position."""
    indices = numbers(positions) if isinstance(positions, np.ndarray) else positions
    found: _Column = call_function("take", [column, indices])
    return found


def flags(array: Any) -> Booleans:  # noqa: ANN401 - the results of compute functions
    """Values of a column of booleans, false for null."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.null_count == len(array):
        return np.zeros(len(array), np.bool_)  # it may have no buffer
    values = _bits(array.buffers()[1], array.offset, len(array))
    return values & present(array) if array.null_count else values


def _bits(packed: Any, begin: int, count: int) -> Booleans:  # noqa: ANN401 - a buffer of pyarrow
    """Unpack bits of a buffer, the least significant bit of each byte first."""
    held = np.frombuffer(packed, np.uint8)[begin // 8 : (begin + count + 7) // 8]
    bits = np.unpackbits(held, bitorder="little")
    return bits[begin % 8 : begin % 8 + count].view(np.bool_)


def concatenated_batches(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """Concatenate one or more batches with the same schema."""
    if len(batches) == 1:
        return batches[0]
    columns = zip(*(batch.columns for batch in batches), strict=True)
    joined = [concatenated(parts) for parts in columns]
    return pa.record_batch(joined, schema=batches[0].schema)


def concatenated(parts: Sequence[Array]) -> Array:
    """Concatenate the parts of a column.

    Columns of nulls, as most are, are not copied; see :func:`nulls`.
    """
    if all(part.null_count == len(part) for part in parts):
        return nulls(sum(map(len, parts)), parts[0].type)
    return pa.concat_arrays(parts)
