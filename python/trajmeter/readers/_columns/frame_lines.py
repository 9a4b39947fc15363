"""Converts frame rows to JSON lines for the Rust reader, without an object per row.

The lines contain what the record reader would examine: the row itself or, if its columns are
mapped, a Trajmeter record with separate messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from trajmeter.readers._columns.arrow_json import (
    TEXT,
    has_json,
    is_text,
    joined,
    json_texts,
    members,
    text_content,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trajmeter.arrays import Array
    from trajmeter.readers._recognition.mapping import ColumnMapping

__all__ = ["MESSAGE_FIELDS", "MappedLines", "have_lines", "whole_lines"]

_MESSAGES = ("messages", "turns")
_IDENTITY = ("task_id", "agent", "model", "attempt")
MESSAGE_FIELDS = ("final_output", "model", "transcript")
"""Trajectory fields that messages provide, and that other columns may provide too."""
_NOT_BESIDE = frozenset({"dropped_calls", "leaks", "source", "turns", "unusable"})
"""Fields that only messages or the reader may provide when rows are read here."""


def have_lines(schema: pa.Schema) -> bool:
    """Whether :func:`whole_lines` can write rows of these columns."""
    return has_json(pa.struct(list(schema))) and "source" not in schema.names


def whole_lines(rows: pa.RecordBatch) -> bytes | None:
    """A line of all columns for each row; ``None`` if not all values have a unique JSON form."""
    if not have_lines(rows.schema):
        return None
    return text_content(joined(json_texts(rows.to_struct_array()), "\n"))


class MappedLines(NamedTuple):
    """Rows whose columns are mapped to trajectory fields."""

    own: bytes
    """A line for each row: a Trajmeter record without its messages."""
    messages: bytes | None
    """A line for each row with its messages, or null; ``None`` if no field contains messages."""
    missing: dict[str, Array | None]
    """Fields that messages provide where the row has no value; ``None`` is in each of them."""

    @classmethod
    def of(cls, rows: pa.RecordBatch, mapping: ColumnMapping) -> MappedLines | None:
        """The lines of rows; ``None`` if only the record reader can interpret the columns."""
        used = {**mapping.columns}
        kept = [name for name in rows.schema.names if name not in mapping.gone]
        if _MESSAGES[0] in kept and used.keys().isdisjoint(_MESSAGES):  # columns are found by name
            kept.remove(_MESSAGES[0])
            used[_MESSAGES[0]] = _MESSAGES[0]
        message_fields = [field for field in _MESSAGES if field in used]
        named = {*kept, *used, *(field.partition(".")[0] for field in used)} - {*message_fields}
        if (
            not has_json(pa.struct(list(rows.schema)))
            or not named.isdisjoint(_NOT_BESIDE)
            or not {*kept}.isdisjoint(field.partition(".")[0] for field in used if "." in field)
            or not {*kept}.isdisjoint((*_MESSAGES, *mapping.divided))
        ):
            return None
        values = {field: _column(rows, column) for field, column in used.items()}
        texts = {
            name: json_texts(_ours(name, rows.column(name))).fill_null("null") for name in kept
        }
        others = {field: own for field, own in values.items() if field not in message_fields}
        if any(mapping.is_nested(field) and is_text(own.type) for field, own in others.items()):
            return None  # JSON text, which needs parsing
        own_lines = joined('{"source":null', _tree(_members(texts, others)), "}\n")
        missing: dict[str, Array | None] = {
            field: values[field].is_null() if field in values else None
            for field in MESSAGE_FIELDS
            if field not in kept
        }
        messages = _message_lines(values[message_fields[0]]) if message_fields else None
        return cls(text_content(own_lines), messages, missing)


def _members(texts: Mapping[str, Array], values: Mapping[str, Any]) -> dict[str, Any]:
    """JSON of each member of a row's object, nested as the names of fields say.

    Args:
        texts: JSON of the columns that keep their names.
        values: Columns by field; where they are null, a column of the field's name counts.
    """
    members: dict[str, Any] = {**texts}
    for field, own in values.items():
        found = json_texts(_ours(field, own))
        if field in texts:
            found = pc.coalesce(found, texts[field])
        *path, name = field.split(".")
        target = members
        for part in path:
            target = target.setdefault(part, {})
        target[name] = found
    return members


def columns_there(rows: pa.RecordBatch, mapping: ColumnMapping) -> list[str]:
    """The mapped columns that exist in some row, null or not; a null structure has none."""
    there = []
    for column in mapping.columns.values():
        *_, (holder, _) = _steps(rows.to_struct_array(), column)
        if holder.null_count < len(holder):
            there.append(column)
    return there


def _column(rows: pa.RecordBatch, column: str) -> Any:  # noqa: ANN401 - of any type
    """A column, or a nested field given by its dotted name."""
    *_, (holder, name) = _steps(rows.to_struct_array(), column)
    return pc.struct_field(holder, [name])


def _steps(holder: Any, column: str) -> Iterator[tuple[Any, str]]:  # noqa: ANN401 - structures
    """The structures on the path to a column, each with the name to look up in it."""
    while column not in [field.name for field in holder.type.fields]:
        name, _, column = column.partition(".")
        yield holder, name
        holder = pc.struct_field(holder, [name])
    yield holder, column


def _ours(field: str, values: Array) -> Array:
    """Convert values to Trajmeter's types: ids are text, and a verdict may be 0 or 1."""
    if field in _IDENTITY and types.is_integer(values.type):
        return values.cast(TEXT)
    is_number = types.is_integer(values.type) or types.is_floating(values.type)
    if field == "passed" and is_number:
        is_true = pc.equal(values, pa.scalar(1))
        is_verdict = pc.or_(is_true, pc.equal(values, pa.scalar(0)))
        if pc.all(is_verdict).as_py() is not False:
            return is_true
    return values


def _tree(fields: Mapping[str, Array | dict[str, Any]]) -> Array:
    """Nested objects built from dotted names; null members are left out."""
    named = []
    for name, texts in fields.items():
        if isinstance(texts, dict):
            inside = _tree(texts)
            empty = pc.equal(inside, pa.scalar("", TEXT))
            within = joined("{", pc.utf8_slice_codeunits(inside, 1), "}")
            named.append((name, pc.if_else(empty, pa.scalar(None, TEXT), within)))
        else:
            named.append((name, texts))
    return members(named)


def _message_lines(messages: Array) -> bytes:
    """A line for each row with nothing but its messages.

    Text that claims to be JSON is embedded twice, as a member and in a list: text that is valid in
    both places is a single value and cannot add members.
    """
    if not is_text(messages.type):
        return text_content(joined('{"messages":', json_texts(messages).fill_null("null"), "}\n"))
    texts: Any = messages.cast(TEXT).fill_null("null")
    is_line = pc.invert(pc.match_substring(texts, "\n"))
    texts = pc.if_else(is_line, texts, pa.scalar("null", TEXT))
    return text_content(joined('{"messages":', texts, ',"checked":[', texts, "]}\n"))
