"""Converts columns of lists and mappings to JSON texts.

Each distinct number or text is written once, and Arrow joins them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trajmeter.arrays import call_function, field, ragged, taken
from trajmeter.arrays.text import coded
from trajmeter.conforming.casting import holds_pairs

if TYPE_CHECKING:
    from trajmeter.arrays import Array
    from trajmeter.kernels import Int64Array

__all__ = ["encoded", "json_texts"]

encoded = json.JSONEncoder(default=str).encode
"""JSON of a value; what JSON cannot represent is text."""


def json_texts(column: Array) -> Array:
    """Values of a column as JSON; those of a mapping as an object."""
    is_mapping = pa.types.is_map(column.type) or holds_pairs(column.type)
    if is_mapping:
        objects = _objects(column)
        if objects is not None:
            return objects
    elif pa.types.is_list(column.type) and not pa.types.is_nested(column.type.value_type):
        values, offsets = ragged(column)
        return _joined("[", _written(values), offsets, "]", column)
    found: list[Any] = column.to_pylist()
    if pa.types.is_map(column.type):
        found = [None if value is None else dict(value) for value in found]
    elif is_mapping:
        found = [
            None if value is None else {pair["key"]: pair["value"] for pair in value}
            for value in found
        ]
    texts = [None if value is None else encoded(value) for value in found]
    return pa.array(texts, pa.string())


def _objects(column: Array) -> Array | None:
    """Mappings from texts; ``None`` if a value has parts, or a key is null or occurs twice."""
    pairs, offsets = ragged(column)
    keys, values = field(pairs, "key"), field(pairs, "value")
    is_plain = pa.types.is_string(keys.type) and not pa.types.is_nested(values.type)
    if not is_plain or keys.null_count:
        return None
    texts, codes = coded(keys)
    places = np.repeat(np.arange(len(column)), np.diff(offsets)) * max(len(texts), 1) + codes
    if len(np.unique(places)) < len(places):
        return None  # the last value of a key counts
    own = taken(pa.array([f"{encoded(text)}: " for text in texts], pa.string()), codes)
    return _joined("{", _join(own, _written(values)), offsets, "}", column)


def _written(values: Array) -> Array:
    """Values without parts, as JSON."""
    try:
        numbered = values.dictionary_encode()
    except pa.ArrowNotImplementedError:  # such as small decimals
        return pa.array([encoded(value) for value in values.to_pylist()], pa.string())
    distinct = [encoded(value) for value in numbered.dictionary.to_pylist()]
    texts: Array = pa.array(distinct, pa.string()).take(numbered.indices).fill_null("null")
    return texts


def _joined(begin: str, items: Array, offsets: Int64Array, end: str, column: Array) -> Array:
    """The items of each list or mapping of a column, enclosed; null where it is null."""
    lists = pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), items)
    joined = _join(begin, call_function("binary_join", [lists, ", "]), end)
    texts: Array = call_function("if_else", [column.is_valid(), joined, None])
    return texts


def _join(*parts: Array | str) -> Array:
    """Concatenate texts row by row."""
    texts: Array = call_function("binary_join_element_wise", [*parts, ""])
    return texts
