"""Arrow columns as JSON text, column by column: what ``json.dumps`` of ``to_pylist`` gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.arrays import Array

__all__ = ["TEXT", "has_json", "joined", "json_texts", "members", "text_content"]

TEXT = pa.large_string()
"""A text type whose offsets cannot overflow."""

_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"'}
_QUOTE, _BACKSLASH, _FIRST_PLAIN = ord('"'), ord("\\"), ord(" ")


def has_json(of: Any) -> bool:  # noqa: ANN401 - any Arrow type
    """Whether :func:`json_texts` can write values of a type."""
    if types.is_dictionary(of):
        return has_json(of.value_type)
    if types.is_struct(of):
        names = [field.name for field in of.fields]
        return len({*names}) == len(names) and all(has_json(field.type) for field in of.fields)
    if types.is_list(of) or types.is_large_list(of):
        return has_json(of.value_type)
    is_number = types.is_integer(of) or types.is_floating(of)
    return is_number or is_text(of) or types.is_boolean(of) or types.is_null(of)


def is_text(of: Any) -> bool:  # noqa: ANN401 - any Arrow type
    """Whether values of a type are texts."""
    return types.is_string(of) or types.is_large_string(of) or of == pa.string_view()


def json_texts(values: Array) -> Array:
    """Write each value as JSON; a null stays null.

    Args:
        values: Values of a type accepted by :func:`has_json`; text must be valid UTF-8.

    Raises:
        pyarrow.ArrowException: A text is too large for Arrow.
    """
    of: Any = values.type
    if types.is_dictionary(of):
        return json_texts(values.cast(of.value_type))
    if types.is_struct(of):
        return _objects(values)
    if types.is_list(of) or types.is_large_list(of):
        return _lists(values)
    if is_text(of):
        return joined('"', _escaped(values.cast(TEXT)), '"')
    if types.is_floating(of):
        texts = values.cast(pa.float64()).cast(TEXT)
        is_whole = pc.invert(pc.match_substring_regex(texts, "[.en]"))
        return _chosen(is_whole, joined(texts, ".0"), texts)
    return values.cast(TEXT)


def joined(*parts: Array | str) -> Array:
    """Concatenate texts row by row; null where any of them is null."""
    given: list[Any] = [pa.scalar(part, TEXT) if isinstance(part, str) else part for part in parts]
    texts: Array = pc.binary_join_element_wise(*given, pa.scalar("", TEXT))
    return texts


def members(named: Sequence[tuple[str, Array]]) -> Array:
    """Members of objects, each preceded by a comma; null members are left out.

    Args:
        named: JSON of the values of at least one key.
    """
    pieces = [joined(f",{json.dumps(name)}:", texts).fill_null("") for name, texts in named]
    return joined(*pieces)


def text_content(texts: Array) -> bytes:
    """Concatenate all texts."""
    texts = texts.cast(TEXT)
    _, offsets, content = texts.buffers()
    bounds = np.frombuffer(memoryview(offsets or b""), np.int64)[texts.offset :][: len(texts) + 1]
    return bytes(memoryview(content or b"")[bounds[0] : bounds[-1]]) if len(texts) else b""


def _objects(values: Any) -> Array:  # noqa: ANN401 - structures
    parts: list[Array | str] = []
    for at, field in enumerate(values.type.fields):
        parts += [f"{',' if at else '{'}{json.dumps(field.name)}:"]
        parts += [json_texts(values.field(at)).fill_null("null")]
    if not parts:
        return _where_valid(values, pa.repeat(pa.scalar("{}", TEXT), len(values)))
    return _where_valid(values, joined(*parts, "}"))


def _lists(values: Any) -> Array:  # noqa: ANN401 - lists
    offsets = values.offsets
    first, last = offsets[0].as_py(), offsets[-1].as_py()
    items = json_texts(values.values.slice(first, last - first)).fill_null("null")
    bounds = pc.subtract(offsets, offsets[0]).cast(pa.int64())
    lists: Any = pa.LargeListArray.from_arrays(bounds, items)
    texts: Any = pc.binary_join(lists, pa.scalar(",", TEXT))
    return _where_valid(values, joined("[", texts, "]"))


def _where_valid(values: Array, texts: Array) -> Array:
    if not values.null_count:
        return texts
    return _chosen(values.is_valid(), texts, pa.scalar(None, TEXT))


def _chosen(where: Array, texts: Any, others: Any) -> Array:  # noqa: ANN401 - columns, or one text
    found: Array = pc.if_else(where, texts, others)
    return found


def _escaped(texts: Array) -> Array:
    """Texts escaped for use between JSON quotes."""
    content = text_content(texts)
    codes = np.frombuffer(content, np.uint8)
    present = np.flatnonzero(np.bincount(codes[codes < _FIRST_PLAIN])).tolist()
    present = [code for code in (_BACKSLASH, _QUOTE) if code in content] + present
    for code in present:  # the backslash first, because others are escaped by one
        escape = _ESCAPES.get(chr(code), f"\\u{code:04x}")
        texts = pc.replace_substring(texts, chr(code), escape)
    return texts
