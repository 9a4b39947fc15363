"""Checks of the arguments of all kernels, shared by both backends.

The checks here cover the shape of the data: an exact ``ndarray``, its dtype, dimensions and memory
layout, and offsets that stay inside their values. The values themselves are checked inside the
kernels. Subclasses are refused because a kernel sees only memory: a masked array would lose its
mask. Other layouts are refused because reading them as flat memory would give other numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.errors import ArrayError, InputError, OffsetsError
from trajmeter.kernels._constants import INT64_MAX

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import BoolArray, Float64Array, Int64Array

__all__ = [
    "buffer",
    "characters",
    "codes",
    "flags",
    "floats",
    "integers",
    "keyed_spans",
    "matches",
    "matrix",
    "named_spans",
    "offsets",
    "row_count",
    "same_length",
    "size",
    "spans",
    "step_offsets",
    "trees",
]

_INT64 = np.dtype(np.int64)
_FLOAT64 = np.dtype(np.float64)
_BOOL = np.dtype(np.bool_)
# C_CONTIGUOUS | ALIGNED as bits of ``flags.num``: one attribute instead of two, at 100 ns a call.
_READABLE_AS_SLICE = 0x0001 | 0x0100

# Below this length a Python loop over the offsets is faster than numpy's fixed cost.
_FEW_OFFSETS = 128


def integers(value: Int64Array, name: str) -> None:
    """Raise ``ArrayError`` unless ``value`` is a plain flat ``int64`` array."""
    if (
        type(value) is np.ndarray
        and (value.dtype is _INT64 or value.dtype == _INT64)
        and value.ndim == 1
        and value.flags.num & _READABLE_AS_SLICE == _READABLE_AS_SLICE
    ):
        return
    raise _array_error(value, name, _INT64)


def floats(value: object, name: str) -> None:
    """Raise ``ArrayError`` unless ``value`` is a plain flat ``float64`` array."""
    if (
        type(value) is np.ndarray
        and (value.dtype is _FLOAT64 or value.dtype == _FLOAT64)
        and value.ndim == 1
        and value.flags.num & _READABLE_AS_SLICE == _READABLE_AS_SLICE
    ):
        return
    raise _array_error(value, name, _FLOAT64)


def flags(value: BoolArray, name: str) -> None:
    """Raise ``ArrayError`` unless ``value`` is a plain flat array of booleans."""
    if (
        type(value) is np.ndarray
        and (value.dtype is _BOOL or value.dtype == _BOOL)
        and value.ndim == 1
        and value.flags.num & _READABLE_AS_SLICE == _READABLE_AS_SLICE
    ):
        return
    raise _array_error(value, name, _BOOL)


def matrix(length: int, name: str, rows: int, columns: int) -> None:
    """Raise ``InputError`` unless an array of ``length`` values has these rows and columns."""
    size(rows, "rows")
    size(columns, "columns")
    if rows * columns != length:
        raise ArrayError(
            f"{name} has {length} values, expected {rows * columns}: {rows} rows of {columns}"
        )


def same_length(
    value: Int64Array, name: str, other: Int64Array | Float64Array | BoolArray, other_name: str
) -> None:
    """Raise ``ArrayError`` unless ``other`` has as many values as ``value``."""
    if len(value) != len(other):
        raise ArrayError(
            f"{other_name} has {len(other)} values, expected {len(value)}, as many as {name}"
        )


def spans(start: Int64Array, end: Int64Array) -> None:
    """Raise ``ArrayError`` unless ``start`` and ``end`` are ``int64`` arrays of equal length."""
    # Every call from a harness passes here: one condition for all, and names only on failure.
    if (
        type(start) is np.ndarray
        and type(end) is np.ndarray
        and start.dtype is _INT64
        and end.dtype is _INT64
        and start.ndim == 1
        and start.shape == end.shape
        and start.flags.num & end.flags.num & _READABLE_AS_SLICE == _READABLE_AS_SLICE
    ):
        return
    integers(start, "start")
    integers(end, "end")
    same_length(start, "start", end, "end")


def named_spans(start: Int64Array, end: Int64Array, prefix: str) -> None:
    """Raise ``ArrayError`` as :func:`spans` does, with a prefix for the names in messages."""
    try:
        spans(start, end)
    except ArrayError:
        integers(start, f"{prefix}start")
        integers(end, f"{prefix}end")
        same_length(start, f"{prefix}start", end, f"{prefix}end")


def keyed_spans(key: Int64Array, start: Int64Array, end: Int64Array, prefix: str = "") -> None:
    """Raise ``ArrayError`` unless these are spans, each with a key."""
    integers(key, f"{prefix}key")
    named_spans(start, end, prefix)
    same_length(start, f"{prefix}start", key, f"{prefix}key")


def offsets(value: Int64Array, length: int, name: str = "offsets", of: str = "values") -> None:
    """Raise ``OffsetsError`` unless ``value`` splits an array of ``length`` values into rows.

    Args:
        value: Offsets of n rows, n + 1 of them; row i is ``[value[i], value[i + 1])``.
        length: Number of values to split.
        name: Name of the offsets in messages.
        of: Name of the values in messages.
    """
    integers(value, name)
    count = len(value)
    if count <= _FEW_OFFSETS:
        listed = value.tolist()
        if listed and listed[0] >= 0 and listed[-1] <= length and listed == sorted(listed):
            return
    elif value[0] >= 0 and value[-1] <= length and bool((value[1:] >= value[:-1]).all()):
        return
    raise _offsets_error(value, length, name, of)


def row_count(value: Int64Array, name: str, rows: int) -> None:
    """Raise ``ArrayError`` unless these offsets define exactly this many rows."""
    if len(value) != rows + 1:
        raise ArrayError(f"{name} has {len(value)} values, expected {rows + 1}, one more than rows")


def step_offsets(value: Int64Array, steps: int, trajectories: int) -> None:
    """Raise ``OffsetsError`` unless ``value`` assigns exactly these steps to these trajectories.

    The offsets may begin above 0, but every step must belong to one of these trajectories.
    """
    integers(value, "trajectory_offsets")
    first = int(value[0]) if len(value) else 0
    offsets(value, first + steps, "trajectory_offsets", "steps")
    if int(value[-1]) != first + steps:
        raise ArrayError(
            f"size has {steps} values, expected {int(value[-1]) - first}, the number of steps in "
            "trajectory_offsets"
        )
    if trajectories != len(value) - 1:
        raise ArrayError(
            f"gold_size has {trajectories} values, expected {len(value) - 1}, one less than "
            "trajectory_offsets"
        )


def trees(
    nodes: Int64Array,
    numbers: Int64Array,
    tolerances: Int64Array,
    reference: Int64Array,
    actual: Int64Array,
) -> None:
    """Raise ``ArrayError`` unless these are trees of arguments, as flat ``int64`` arrays."""
    for value, name, width in (
        (nodes, "nodes", 8),
        (numbers, "numbers", 2),
        (tolerances, "tolerances", 6),
    ):
        integers(value, name)
        matrix(len(value), name, len(value) // width, width)
    integers(reference, "reference")
    integers(actual, "actual")


def codes(reference: Int64Array, actual: Int64Array) -> None:
    """Raise ``ArrayError`` unless both are flat ``int64`` arrays."""
    integers(reference, "reference")
    integers(actual, "actual")


def matches(matches: BoolArray, rows: int, columns: int) -> None:
    """Raise ``ArrayError`` unless ``matches`` contains this table of booleans."""
    flags(matches, "matches")
    matrix(len(matches), "matches", rows, columns)


def size(value: int, name: str = "size") -> None:
    """Raise ``InputError`` unless ``value`` is a count."""
    if type(value) is not int or not 0 <= value <= INT64_MAX:
        raise InputError(f"{name} is {value!r}, expected an int of 0 or more that fits in 64 bits")


def buffer(value: bytes, name: str = "buffer") -> None:
    """Raise ``ArrayError`` unless ``value`` is ``bytes``."""
    if not isinstance(value, bytes):
        raise ArrayError(f"{name} is a {type(value).__qualname__}, expected bytes")


def characters(value: str, name: str) -> None:
    """Raise ``InputError`` unless ``value`` is text whose characters all exist in UTF-8."""
    if not isinstance(value, str):
        raise ArrayError(f"{name} is a {type(value).__qualname__}, expected str")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{name} holds {value[error.start]!r} at {error.start}, half of a surrogate pair, "
            "expected whole characters"
        ) from error


def _offsets_error(value: Int64Array, length: int, name: str, of: str) -> OffsetsError:
    if not len(value):
        return OffsetsError(f"{name} is empty, expected at least 1 value: n + 1 offsets for n rows")
    if value[0] < 0:
        return OffsetsError(f"{name}[0] is {value[0]}, expected 0 or more")
    falls = np.flatnonzero(value[1:] < value[:-1]) + 1
    if len(falls):
        return OffsetsError(
            f"{name}[{falls[0]}] is {value[falls[0]]}, expected at least {value[falls[0] - 1]}, "
            "the offset before it"
        )
    return OffsetsError(
        f"{name}[{len(value) - 1}] is {value[-1]}, expected at most {length}, the number of {of}"
    )


def _array_error(value: object, name: str, dtype: np.dtype[Any]) -> ArrayError:
    expected = f"expected a 1-D, C-contiguous {dtype} array"
    if type(value) is not np.ndarray:
        return ArrayError(f"{name} is a {type(value).__qualname__}, {expected}")
    if value.dtype != dtype:
        return ArrayError(f"{name} has dtype {value.dtype}, {expected}")
    if value.ndim != 1:
        return ArrayError(f"{name} has shape {value.shape}, {expected}")
    if not value.flags.c_contiguous:
        return ArrayError(f"{name} has strides {value.strides}, {expected}")
    return ArrayError(f"{name} is not aligned to {dtype.alignment} bytes, {expected}")
