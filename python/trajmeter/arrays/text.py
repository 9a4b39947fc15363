"""Converts Arrow arrays of texts to flat numpy arrays, and Python texts to Arrow arrays.

Arrays are built from buffers, because ``pa.array`` and ``pa.scalar`` import pandas if it is
installed, which takes longer than scoring a thousand attempts.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter import kernels
from trajmeter.arrays import (
    Array,
    Booleans,
    SetLookupOptions,
    booleans,
    call_function,
    filled,
    flags,
    present,
    validity,
)
from trajmeter.kernels import Coded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from trajmeter.kernels import Int64Array

__all__ = [
    "Coded",
    "TextBytes",
    "coded",
    "empty_texts",
    "filled_texts",
    "is_among",
    "repeated_text",
    "text_array",
    "text_bytes",
    "text_codes",
    "text_memory",
    "text_scalar",
    "texts_where",
]

_KEPT_LENGTHS = tuple(1 << bits for bits in (6, 8, 10, 12, 14))
"""Lengths of the kept columns of one short text: slicing one is faster than creating it. There are
several because pickling a slice copies all of its memory."""
_SHORT = 40
"""Maximum number of characters of a short text."""

_MOST_TEXT = 2**31 - 1
"""Maximum number of bytes of the texts in one column."""


def coded(column: Any) -> Coded:  # noqa: ANN401 - of texts
    """Number the texts of a column; if it is a dictionary, some may occur in no row."""
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
    """Number the texts of a column that is split into parts.

    Returns:
        The number of each text, and the distinct texts as UTF-8 with their offsets. ``None`` if a
        text is null, or if this process uses the Python kernels: Arrow numbers texts too, but takes
        twice as long.
    """
    return None if any(part.null_count for part in parts) else _text_codes(parts)


def _text_codes(parts: Sequence[Any]) -> tuple[Int64Array, bytes, Int64Array] | None:
    """Number texts as :func:`text_codes` does; a null has the number -1."""
    if kernels.backend() == "python" or any(type(each) is not pa.StringArray for each in parts):
        return None
    from trajmeter.kernels import _rust  # its twin is Arrow's dictionary_encode

    columns = [(*text_memory(part), present(part) if part.null_count else None) for part in parts]
    return _rust.text_codes(columns)


def text_memory(column: Any) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int32]]:  # noqa: ANN401 - of texts
    """The buffer of a column of texts, and the offsets of its texts."""
    if not len(column):  # it may have no buffer
        return np.zeros(0, np.uint8), np.zeros(1, np.int32)
    _, offsets, held = column.buffers()
    bounds = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return np.frombuffer(held or b"", np.uint8), bounds


class TextBytes(NamedTuple):
    """Texts as bytes."""

    content: npt.NDArray[np.uint8]
    """Buffer with all texts."""
    offsets: Int64Array
    """Text i is ``content[offsets[i] : offsets[i + 1]]``, which is meaningless for a null."""


def text_bytes(column: Any) -> TextBytes:  # noqa: ANN401 - of texts
    """Return the buffer and offsets of a column of texts; the buffer is not copied."""
    content, bounds = text_memory(column)
    return TextBytes(content, bounds.astype(np.int64))


def filled_texts(column: Array, instead: str) -> Array:
    """Texts of a column with nulls replaced; not copied if it has no nulls."""
    if not column.null_count:
        return column
    texts: Array = call_function("coalesce", [column, text_scalar(instead)])
    return texts


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
        written = [value.encode().decode("latin-1") for value in written]  # one character per byte
    bounds = np.zeros(len(written) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, written), np.int64, len(written)), out=bounds[1:])
    if len(joined) > _MOST_TEXT:
        raise pa.ArrowCapacityError(f"texts of {len(joined)} bytes, expected at most {_MOST_TEXT}")
    offsets = pa.py_buffer(bounds.astype(np.int32).data)
    buffers = [validity(is_absent), offsets, pa.py_buffer(joined)]
    column: Array = pa.Array.from_buffers(pa.string(), len(written), buffers)
    return column


def text_scalar(value: str | None) -> pa.StringScalar:
    """A text as an Arrow scalar."""
    found: pa.StringScalar = text_array([value])[0]
    return found


def repeated_text(value: str, rows: int) -> Array:
    """A column with the same text in every row; columns of a short text share memory."""
    enough = next((most for most in _KEPT_LENGTHS if rows <= most), None)
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
    """A column of empty texts, and nulls."""
    offsets = pa.py_buffer(np.zeros(len(is_there) + 1, np.int32).data)
    buffers = [validity(~is_there), offsets, pa.py_buffer(b"")]
    column: Array = pa.Array.from_buffers(pa.string(), len(is_there), buffers)
    return column


def texts_where(is_chosen: Booleans, text: str, instead: Array) -> Array:
    """A text in the chosen rows, and the values of ``instead`` in the others."""
    column: Array = call_function("if_else", [booleans(is_chosen), text_scalar(text), instead])
    return column


def is_among(column: Any, texts: Iterable[str]) -> Booleans:  # noqa: ANN401 - of texts
    """Whether each value of a column is one of these texts; false for null."""
    options = SetLookupOptions(text_array(texts))
    return flags(call_function("is_in", [column], options))
