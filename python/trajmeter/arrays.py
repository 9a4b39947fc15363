"""Arrow arrays as flat numpy arrays.

What every run needs is done without two imports, each of which takes longer than scoring a thousand
attempts: ``pyarrow.compute``, also where a method of an array imports it, and pandas, where it is
installed, which ``pa.array``, ``pa.scalar`` and ``to_numpy`` import to recognise its objects.
"""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from trajmeter import kernels
from trajmeter.kernels import Coded

try:
    from pyarrow._compute import CastOptions, SetLookupOptions, call_function
except ImportError:  # which is not promised
    from pyarrow.compute import CastOptions, SetLookupOptions, call_function

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.kernels import Int64Array

__all__ = [
    "ROWS_AT_ONCE",
    "Array",
    "Booleans",
    "Coded",
    "Ragged",
    "TextBytes",
    "booleans",
    "call_function",
    "cast",
    "coded",
    "concatenated",
    "empty_texts",
    "field",
    "filled",
    "filled_texts",
    "flags",
    "held_numbers",
    "is_among",
    "nulls",
    "numbers",
    "present",
    "ragged",
    "repeated_text",
    "taken",
    "text_array",
    "text_bytes",
    "text_codes",
    "text_memory",
    "text_scalar",
    "texts_where",
    "together",
    "validity",
]

ROWS_AT_ONCE = 256
"""Rows of which objects are alive at a time: few, or the garbage collector walks through them at
every turn."""

Array: TypeAlias = "pa.Array[Any]"
Booleans: TypeAlias = npt.NDArray[np.bool_]
_Column = TypeVar("_Column")

_NULLS = (1 << 10, 1 << 17)
"""Nulls of a type that are made at once, for little data and for the turns of a batch: to make them
takes longer than to slice them, and touches new memory each time."""

_REPEATED, _SHORT = tuple(1 << bits for bits in (6, 8, 10, 12, 14)), 40
"""Rows of a short text that are made at once, and its length, for the same reason; there are
several numbers because pickling a slice copies all of its memory."""

_MOST_TEXT = 2**31 - 1
"""Bytes of texts that one column holds."""

_NUMPY_NAMES = {"halffloat": "float16", "float": "float32", "double": "float64"}
"""Names of types of numbers that mean another in numpy, or none."""


class Ragged(NamedTuple):
    """Lists of different lengths."""

    values: Array
    """The values of all lists, one after another."""
    offsets: Int64Array
    """List i has the values ``[offsets[i], offsets[i + 1])``; the first offset is 0."""


def ragged(lists: Any) -> Ragged:  # noqa: ANN401 - lists and maps of any type
    """Give the values of lists, and where each begins; a list that is null has none.

    What lies before a slice, and behind the offsets of a null, is left out.
    """
    offsets = np.zeros(len(lists) + 1, np.int64)
    if not (pa.types.is_list(lists.type) or pa.types.is_map(lists.type)):
        lengths = filled(call_function("list_value_length", [lists]), 0)
        np.cumsum(lengths, out=offsets[1:])
        return Ragged(lists.flatten(), offsets)
    if lists.null_count == len(lists):
        return Ragged(lists.values[:0], offsets)
    begin = lists.offset
    bounds = np.frombuffer(lists.buffers()[1], np.int32)[begin : begin + len(lists) + 1]
    first, last = int(bounds[0]), int(bounds[-1])
    if not lists.null_count:
        return Ragged(lists.values[first:last], np.subtract(bounds, first, dtype=np.int64))
    lengths = np.where(present(lists), np.diff(bounds), 0)
    np.cumsum(lengths, out=offsets[1:])
    is_dense = last - first == offsets[-1]
    return Ragged(lists.values[first:last] if is_dense else lists.flatten(), offsets)


def cast(column: Any, arrow_type: Any, *, is_rounded: bool = False) -> Array:  # noqa: ANN401 - of any types
    """A column in another type.

    Args:
        column: The column.
        arrow_type: The type.
        is_rounded: Whether a number that the type does not hold becomes one that it does.

    Raises:
        pa.ArrowInvalid: A value does not fit.
    """
    options = CastOptions.unsafe(arrow_type) if is_rounded else CastOptions(arrow_type)
    found: Array = call_function("cast", [column], options)
    return found


def field(records: Any, name: str) -> Array:  # noqa: ANN401 - an array of records
    """A field of records, null where the record is."""
    if not records.null_count:
        found: Array = records.field(name)
        return found
    column: Array = records.flatten()[records.type.get_field_index(name)]
    return column


def coded(column: Any) -> Coded:  # noqa: ANN401 - of texts
    """Number the texts of a column; a dictionary may hold some that no row has."""
    if column.null_count == len(column):
        return Coded([], np.full(len(column), -1, np.int64))
    numbered = _text_codes([column])
    if numbered is not None:
        codes, held, bounds = numbered
        own = pairwise(bounds.tolist())
        return Coded([held[begin:end].decode() for begin, end in own], codes)
    encoded = call_function("dictionary_encode", [column])
    codes = filled(encoded.indices, -1).astype(np.int64)
    return Coded(encoded.dictionary.to_pylist(), codes)


def text_codes(parts: Sequence[Any]) -> tuple[Int64Array, bytes, Int64Array] | None:
    """Number the texts of a column, which comes in parts.

    Returns:
        The number of each text; all different texts as UTF-8, and where each begins and ends.
        ``None`` where one is null, or where the kernels of this process are those in Python: Arrow
        numbers texts too, but takes twice as long.
    """
    return None if any(part.null_count for part in parts) else _text_codes(parts)


def _text_codes(parts: Sequence[Any]) -> tuple[Int64Array, bytes, Int64Array] | None:
    """Number texts as :func:`text_codes` does; a null has the number -1."""
    if kernels.backend() == "python" or any(type(each) is not pa.StringArray for each in parts):
        return None
    from trajmeter.kernels import _rust  # whose twin is Arrow's function

    columns = [(*text_memory(part), present(part) if part.null_count else None) for part in parts]
    return _rust.text_codes(columns)


def text_memory(column: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:  # noqa: ANN401 - of texts
    """The memory that holds texts, and where each begins and ends in it."""
    if not len(column):  # which may have no memory at all
        return np.zeros(0, np.uint8), np.zeros(1, np.int32)
    _, offsets, held = column.buffers()
    bounds = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(held or b"", np.uint8), bounds


class TextBytes(NamedTuple):
    """Texts as bytes."""

    held: npt.NDArray[np.uint8]
    """Memory that holds them all."""
    offsets: Int64Array
    """Text i is ``held[offsets[i] : offsets[i + 1]]``; what a null has there means nothing."""


def text_bytes(column: Any) -> TextBytes:  # noqa: ANN401 - of texts
    """Give the memory of a column of texts, not copied."""
    held, bounds = text_memory(column)
    return TextBytes(held, bounds.astype(np.int64))


def filled_texts(column: Array, instead: str) -> Array:
    """Texts of a column with nulls replaced; not copied if it has no nulls."""
    if not column.null_count:
        return column
    texts: Array = call_function("coalesce", [column, text_scalar(instead)])
    return texts


def nulls(rows: int, arrow_type: Any) -> Array:  # noqa: ANN401 - of any type
    """A column without a value, which shares its memory with others of its type."""
    enough = next((most for most in _NULLS if rows <= most), None)
    return _nulls(rows, arrow_type) if enough is None else _kept(enough, arrow_type).slice(0, rows)


@cache
def _kept(rows: int, arrow_type: Any) -> Array:  # noqa: ANN401 - of any type
    return _nulls(rows, arrow_type)


def _nulls(rows: int, arrow_type: Any) -> Array:  # noqa: ANN401 - of any type
    column: Array = pa.nulls(rows, arrow_type)
    return column


def present(column: Any) -> Booleans:  # noqa: ANN401 - of any type
    """Which values of a column are not null; a null in a dictionary or in runs is not found."""
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
    held = held_numbers(array)
    return np.where(present(array), held, np.array(instead, number)) if array.null_count else held


def held_numbers(array: Any) -> npt.NDArray[Any]:  # noqa: ANN401 - of any number
    """Values of a column, not copied; what stands where one is null means nothing."""
    number = _number_type(array.type)
    if array.null_count == len(array):
        return np.zeros(len(array), number)  # which may have no memory at all
    return np.frombuffer(array.buffers()[1], number)[array.offset : array.offset + len(array)]


@cache
def _number_type(arrow_type: Any) -> type[np.number[Any]]:  # noqa: ANN401 - of numbers
    """The type of numbers in numpy."""
    name = str(arrow_type)
    return np.dtype(_NUMPY_NAMES.get(name, name)).type


def numbers(values: npt.NDArray[Any], is_absent: Booleans | None = None) -> Array:
    """A column of integers or floats, null where they are absent; not copied."""
    buffers = [validity(is_absent), pa.py_buffer(np.ascontiguousarray(values).data)]
    arrow_type = pa.from_numpy_dtype(values.dtype)
    column: Array = pa.Array.from_buffers(arrow_type, len(values), buffers)
    return column


def booleans(values: Booleans, is_absent: Booleans | None = None) -> Array:
    """A column of booleans, null where they are absent; made as :func:`numbers` makes one."""
    buffers = [validity(is_absent), pa.py_buffer(np.packbits(values, bitorder="little").data)]
    column: Array = pa.Array.from_buffers(pa.bool_(), len(values), buffers)
    return column


def text_array(values: Iterable[str | None]) -> Array:
    """A column of texts.

    Raises:
        UnicodeEncodeError: A text holds half of a surrogate pair.
        pa.ArrowCapacityError: They are longer than 2 GiB together.
    """
    listed = [*values]
    is_absent = np.fromiter((value is None for value in listed), np.bool_, len(listed))
    written = [value or "" for value in listed]
    joined = "".join(written).encode()
    if not joined.isascii():
        written = [value.encode().decode("latin-1") for value in written]  # a character a byte
    bounds = np.zeros(len(written) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, written), np.int64, len(written)), out=bounds[1:])
    if len(joined) > _MOST_TEXT:
        raise pa.ArrowCapacityError(f"texts of {len(joined)} bytes, expected at most {_MOST_TEXT}")
    offsets = pa.py_buffer(bounds.astype(np.int32).data)
    buffers = [validity(is_absent), offsets, pa.py_buffer(joined)]
    column: Array = pa.Array.from_buffers(pa.string(), len(written), buffers)
    return column


def text_scalar(value: str | None) -> pa.StringScalar:
    """A text by itself."""
    found: pa.StringScalar = text_array([value])[0]
    return found


def repeated_text(value: str, rows: int) -> Array:
    """A column of one text, which shares its memory with others of a short text."""
    enough = next((most for most in _REPEATED if rows <= most), None)
    if enough is None or len(value) > _SHORT:
        return _repeated_text(value, rows)
    return _kept_text(value, enough).slice(0, rows)


@lru_cache(maxsize=64)
def _kept_text(value: str, rows: int) -> Array:
    return _repeated_text(value, rows)


def _repeated_text(value: str, rows: int) -> Array:
    column: Array = pa.repeat(text_scalar(value), rows)
    return column


def empty_texts(is_there: Booleans) -> Array:
    """A column of texts without bytes, null where they are not there."""
    offsets = pa.py_buffer(np.zeros(len(is_there) + 1, np.int32).data)
    buffers = [validity(~is_there), offsets, pa.py_buffer(b"")]
    column: Array = pa.Array.from_buffers(pa.string(), len(is_there), buffers)
    return column


def validity(is_absent: Booleans | None) -> pa.Buffer | None:
    """The bits of an array that say which values there are; none where all are there."""
    if is_absent is None or not is_absent.any():
        return None
    return pa.py_buffer(np.packbits(~is_absent, bitorder="little").data)


def texts_where(is_chosen: Booleans, text: str, instead: Array) -> Array:
    """Replace the text of the chosen rows; the others keep that of ``instead``."""
    column: Array = call_function("if_else", [booleans(is_chosen), text_scalar(text), instead])
    return column


def taken(column: _Column, places: Any) -> _Column:  # noqa: ANN401 - of integers
    """The values at places of a column, null where a place is; or the rows of a batch."""
    indices = numbers(places) if isinstance(places, np.ndarray) else places
    found: _Column = call_function("take", [column, indices])
    return found


def is_among(column: Any, texts: Iterable[str]) -> Booleans:  # noqa: ANN401 - of texts
    """Whether each value of a column is one of these texts; no null is."""
    options = SetLookupOptions(text_array(texts))
    return flags(call_function("is_in", [column], options))


def flags(array: Any) -> Booleans:  # noqa: ANN401 - the results of compute functions
    """Values of a column of booleans, false where they are null."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if array.null_count == len(array):
        return np.zeros(len(array), np.bool_)  # which may have no memory at all
    values = _bits(array.buffers()[1], array.offset, len(array))
    return values & present(array) if array.null_count else values


def _bits(packed: Any, begin: int, count: int) -> Booleans:  # noqa: ANN401 - a buffer of pyarrow
    """Some bits of memory, of which the first byte holds the first eight, least first."""
    held = np.frombuffer(packed, np.uint8)[begin // 8 : (begin + count + 7) // 8]
    bits = np.unpackbits(held, bitorder="little")
    return bits[begin % 8 : begin % 8 + count].view(np.bool_)


def together(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    """The rows of batches of one schema, of which there is at least one, as one batch."""
    if len(batches) == 1:
        return batches[0]
    columns = zip(*(batch.columns for batch in batches), strict=True)
    joined = [concatenated(parts) for parts in columns]
    return pa.record_batch(joined, schema=batches[0].schema)


def concatenated(parts: Sequence[Array]) -> Array:
    """Parts of a column as one, in memory of its own.

    Nulls, which most columns hold nothing else than, share theirs and are not read.
    """
    if all(part.null_count == len(part) for part in parts):
        return nulls(sum(map(len, parts)), parts[0].type)
    return pa.concat_arrays(parts)
