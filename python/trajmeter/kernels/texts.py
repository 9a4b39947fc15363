"""Text columns of Arrow as flat arrays, without copying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import ByteArray, Int64Array

__all__ = ["TextArrays", "text_arrays"]


class TextArrays(NamedTuple):
    """Texts of a column."""

    text: ByteArray
    """All texts in UTF-8, concatenated."""
    offsets: Int64Array
    """Text i is ``text[offsets[i]:offsets[i + 1]]``."""


def text_arrays(column: Any) -> TextArrays:  # noqa: ANN401 - pyarrow's types know no buffers
    """The memory of a text column; nulls are empty.

    Args:
        column: An array of type ``string``.
    """
    if column.null_count:
        column = column.fill_null("")
    _, borders, text = column.buffers()
    offsets = np.zeros(1, np.int64)
    if borders is not None and len(column):
        own = np.frombuffer(borders, np.int32)[column.offset : column.offset + len(column) + 1]
        offsets = own.astype(np.int64)
    if text is None:
        return TextArrays(np.zeros(0, np.uint8), np.zeros(len(column) + 1, np.int64))
    return TextArrays(np.frombuffer(text, np.uint8), offsets)
