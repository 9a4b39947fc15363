"""Builds Arrow arrays of records, lists and mappings from their parts, or splits them.

Like :mod:`trajmeter.arrays`, it avoids importing pandas, and ``pyarrow.compute``, which
``from_arrays`` imports for a mask.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import booleans, cast, field, nulls, numbers, ragged, validity
from trajmeter.arrays.text import text_array

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Int64Array

__all__ = [
    "UNSTORABLE",
    "Entries",
    "entries",
    "list_array",
    "map_array",
    "record_array",
    "row_batch",
    "value_array",
]

UNSTORABLE = (OverflowError, UnicodeEncodeError, pa.ArrowInvalid)
"""Errors about a value that its column cannot hold."""

_PLAIN = {pa.string(): str, pa.bool_(): bool, pa.int64(): int, pa.float64(): float}
"""Python type of the values in a column of each Arrow type."""

_FEW = 256
"""Up to this many rows and turns, importing pandas, as ``pa.array`` does if it is installed, takes
longer than pyarrow saves. Turns hold most values, and a few rows may have thousands of turns."""


class Entries(NamedTuple):
    """Mappings of different lengths."""

    keys: Array
    """The keys of all mappings, one after another."""
    values: Array
    """The value of each key."""
    offsets: Int64Array
    """Mapping i has the keys ``[offsets[i], offsets[i + 1])``; the first offset is 0."""


def entries(maps: pa.MapArray[Any, Any]) -> Entries:
    """Split mappings into their keys, values and offsets; a null mapping has none."""
    pair = pa.struct([("key", maps.type.key_type), ("value", maps.type.item_type)])
    pairs, offsets = ragged(cast(maps, pa.list_(pair)))
    return Entries(field(pairs, "key"), field(pairs, "value"), offsets)


def record_array(
    children: Sequence[Array], fields: Sequence[pa.Field[Any]], is_absent: Booleans
) -> Array:
    """A column of records, null where absent.

    Args:
        children: Values of each field.
        fields: The fields.
        is_absent: Whether each record is null.
    """
    kind, valid = pa.struct(list(fields)), validity(is_absent)
    column: Array = pa.Array.from_buffers(kind, len(is_absent), [valid], children=list(children))
    return column


def list_array(offsets: Int64Array, values: Array, is_absent: Booleans | None = None) -> Array:
    """A column of lists, null where absent.

    Args:
        offsets: List i has the values ``[offsets[i], offsets[i + 1])``.
        values: The values of all lists.
        is_absent: Whether each list is null; such a list has no values.
    """
    column: Array = pa.ListArray.from_arrays(_starts(offsets, is_absent), values)
    return column


def map_array(
    offsets: Int64Array, keys: Array, values: Array, is_absent: Booleans | None = None
) -> Array:
    """A column of mappings, null where absent; see :func:`list_array`."""
    column: Array = pa.MapArray.from_arrays(_starts(offsets, is_absent), keys, values)
    return column


def _starts(offsets: Int64Array, is_absent: Booleans | None) -> Any:  # noqa: ANN401 - the stubs require 64 bits, Arrow 32
    """Where each list starts; a null start marks a null."""
    is_null = None if is_absent is None else np.append(is_absent, False)
    return numbers(offsets.astype(np.int32), is_null)


def row_batch(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Convert rows of Python values as ``RecordBatch.from_pylist`` does, with the same errors."""
    turns = sum(len(row.get("turns") or ()) for row in rows)
    if len(rows) + turns <= _FEW:
        with suppress(TypeError, OverflowError, UnicodeEncodeError):  # pyarrow's message is better
            columns = [
                value_array([row.get(field.name) for row in rows], field.type) for field in schema
            ]
            return pa.RecordBatch.from_arrays(columns, schema=schema)
    return pa.RecordBatch.from_pylist(rows, schema=schema)


def value_array(values: Sequence[Any], arrow_type: Any) -> Array:  # noqa: ANN401 - the stubs know none of its attributes
    """Convert Python values to a column as ``pa.array`` does, which is faster for many values.

    Args:
        values: Numbers, booleans, texts, dictionaries of fields, lists, pairs of mappings.
        arrow_type: Type of the column.

    Raises:
        TypeError: A value does not have the type; ``pa.array`` might convert it.
        OverflowError: An integer is beyond 64 bits.
        UnicodeEncodeError: A text holds half of a surrogate pair.
    """
    is_absent = np.fromiter((value is None for value in values), np.bool_, len(values))
    if is_absent.all():
        return nulls(len(values), arrow_type)
    if pa.types.is_nested(arrow_type):
        expected = dict if pa.types.is_struct(arrow_type) else (list, tuple)
        if not all(value is None or isinstance(value, expected) for value in values):
            raise TypeError(f"expected values of {arrow_type}")
    if pa.types.is_struct(arrow_type):
        there = [value or {} for value in values]
        children = [value_array([each.get(f.name) for each in there], f.type) for f in arrow_type]
        return record_array(children, list(arrow_type), is_absent)
    if not (pa.types.is_list(arrow_type) or pa.types.is_map(arrow_type)):
        return _scalar_array(values, arrow_type, is_absent)
    offsets = np.zeros(len(values) + 1, np.int64)
    np.cumsum([len(value or ()) for value in values], out=offsets[1:])
    items = [*chain.from_iterable(value or () for value in values)]
    if pa.types.is_list(arrow_type):
        return list_array(offsets, value_array(items, arrow_type.value_type), is_absent)
    keys = value_array([key for key, _ in items], arrow_type.key_type)
    of_keys = value_array([value for _, value in items], arrow_type.item_type)
    return map_array(offsets, keys, of_keys, is_absent)


def _scalar_array(values: Sequence[Any], arrow_type: pa.DataType, is_absent: Booleans) -> Array:
    plain = _PLAIN.get(arrow_type)
    if any(type(value) is not plain for value in values if value is not None):
        raise TypeError(f"expected values of {arrow_type}")
    if plain is str:
        return text_array(values)
    held = [0 if value is None else value for value in values]
    if plain is bool:
        return booleans(np.array(held, np.bool_), is_absent)
    return numbers(np.array(held, np.int64 if plain is int else np.float64), is_absent)
