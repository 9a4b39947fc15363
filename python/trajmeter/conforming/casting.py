"""Casts users' batches to the schema of Trajectory records.

Files store the same values in other types: texts as dictionaries or with long offsets, numbers with
fewer bits, structures with fields reordered or missing, arguments as structures instead of JSON
text. Anything that can be converted without loss is accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from trajmeter import arrays
from trajmeter.arrays import Array, booleans, call_function, nulls, present, ragged, taken
from trajmeter.arrays.nested import list_array, map_array, record_array
from trajmeter.arrays.text import text_array
from trajmeter.conforming.defaults import absent_columns
from trajmeter.errors import ConfigurationError
from trajmeter.records import ToolCall
from trajmeter.records.openai_calls import parsed_arguments
from trajmeter.schemas import json_text, trajectory_schema
from trajmeter.shapes import Member, Shape, trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["conform", "holds_pairs", "misfits"]

_TEXT = Shape("text")

_MOST_VALUES = 2**31 - 1
"""Largest number of values that list offsets can address."""
_LONGEST_TYPE = 60
"""Longest type, in characters, that a message shows in full."""

_LISTS = (
    pa.ListArray,
    pa.LargeListArray,
    pa.FixedSizeListArray,
    pa.ListViewArray,
    pa.LargeListViewArray,
)


def conform(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Cast a batch to the columns of :func:`trajectory_schema`, dropping all others.

    An absent column becomes null. Columns that already have the right type are not copied.

    Raises:
        ConfigurationError: ``task_id`` is missing, a column occurs twice, or its type cannot hold
            what the field is.
    """
    schema = trajectory_schema()
    if batch.schema.equals(schema):
        return batch
    names = batch.schema.names
    if "task_id" not in names:
        raise ConfigurationError(f"expected a column task_id; found: {', '.join(names)}")
    columns: list[Array] = []
    absent = absent_columns(batch.num_rows)
    for member, field, none in zip(trajectory_shape().members, schema, absent, strict=True):
        if names.count(member.name) > 1:
            raise ConfigurationError(f"two columns are named {member.name}")
        if member.name in names:
            column = batch.column(names.index(member.name))
            columns.append(_conformed(column, member.shape, field.type, member.name))
        else:
            columns.append(none)
    return pa.record_batch(columns, schema=schema)


def misfits(batch: pa.RecordBatch) -> dict[int, str]:
    """Find rows with a value that its field cannot hold, such as 3.5 in a field of integers.

    Args:
        batch: Rows that :func:`conform` rejects.

    Returns:
        The error of each such row, by row number.

    Raises:
        ConfigurationError: The type of a column is wrong, whatever its values are.
    """
    found: dict[int, str] = {}
    for member, field in zip(trajectory_shape().members, trajectory_schema(), strict=True):
        if member.name in batch.schema.names:
            column = batch.column(member.name)
            _conformed(column.slice(0, 0), member.shape, field.type, member.name)
            for row, message in _misfits(column, member, field.type):
                found.setdefault(row, message)
    return found


def _misfits(column: Array, member: Member, target: pa.DataType) -> Iterator[tuple[int, str]]:
    """Find rows that fail the cast by bisection: it reports only one, and few are bad."""
    try:
        _conformed(column, member.shape, target, member.name)
    except ConfigurationError as error:
        if len(column) == 1:
            yield 0, str(error)
            return
        middle = len(column) // 2
        yield from _misfits(column.slice(0, middle), member, target)
        for row, message in _misfits(column.slice(middle), member, target):
            yield middle + row, message


def _plain(array: Array) -> Array:
    """The values of an array, decoded."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.DictionaryArray):
        values = array.dictionary
        if pa.types.is_string_view(values.type):  # "take" does not support it
            values = arrays.cast(values, pa.string())
        array = taken(values, array.indices)
    return array


def _conformed(array: Array, shape: Shape, target: pa.DataType, path: str) -> Array:
    array = _plain(array)
    if array.type == target:
        return array
    if shape.kind == "json" and not _is_text(array.type):
        return text_array(_text(each, path) for each in array.to_pylist())
    if shape.kind == "record" and isinstance(array, pa.StructArray):
        return _records(array, shape, target, path)
    if shape.kind == "list" and isinstance(array, _LISTS):
        return _lists(array, shape, target, path)
    if shape.kind == "mapping" and holds_pairs(array.type):
        return _mappings(array, shape, target, path)
    try:
        return arrays.cast(array, target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ConfigurationError(
            f"column {path} is {_named(array.type)}, expected {_named(target)}: {error}"
        ) from error


def _named(arrow_type: pa.DataType) -> str:
    """Name of a type for messages; the contents of a long one are omitted."""
    text = str(arrow_type)
    kind, within, _ = text.partition("<")
    return f"{kind}<…>" if within and len(text) > _LONGEST_TYPE else text


def _text(value: object, path: str) -> str | None:
    try:
        return None if value is None else json_text(value)
    except ValueError as error:
        raise ConfigurationError(f"column {path} holds invalid JSON: {error}") from error


def _is_text(arrow_type: pa.DataType) -> bool:
    return (
        pa.types.is_string(arrow_type)
        or pa.types.is_large_string(arrow_type)
        or pa.types.is_string_view(arrow_type)
    )


def _records(array: pa.StructArray, shape: Shape, target: pa.DataType, path: str) -> Array:
    existing = dict(zip([field.name for field in array.type], array.flatten(), strict=True))
    fields = list(cast("pa.StructType", target))
    if shape.model is ToolCall and isinstance(existing.get("function"), pa.StructArray):
        existing |= _plain_calls(existing, shape, {f.name: f.type for f in fields}, path)
    children = [
        _conformed(existing[member.name], member.shape, field.type, f"{path}.{member.name}")
        if member.name in existing
        else nulls(len(array), field.type)
        for member, field in zip(shape.members, fields, strict=True)
    ]
    return record_array(children, fields, ~present(array))


def _plain_calls(
    existing: dict[str, Array], shape: Shape, types: dict[str, pa.DataType], path: str
) -> dict[str, Array]:
    """Name and arguments of calls, taken from their ``function`` if they have no name."""
    function = existing["function"]
    names = [field.name for field in function.type]
    columns = map(_plain, cast("pa.StructArray", function).flatten())
    theirs = dict(zip(names, columns, strict=True))
    if "arguments" in theirs and _is_text(theirs["arguments"].type):
        read = [parsed_arguments(text) for text in theirs["arguments"].to_pylist()]
        texts = [None if each is None else json_text(each) for each in read]
        theirs["arguments"] = text_array(texts)
    shapes = {member.name: member.shape for member in shape.members}

    def conformed(columns: dict[str, Array], name: str) -> Array:
        if name not in columns:
            return nulls(len(function), types[name])
        return _conformed(columns[name], shapes[name], types[name], f"{path}.{name}")

    is_theirs = booleans(~present(conformed(existing, "name")) & present(function))
    return {
        name: call_function(
            "if_else", [is_theirs, conformed(theirs, name), conformed(existing, name)]
        )
        for name in ("name", "arguments")
    }


def _lists(array: Array, shape: Shape, target: pa.DataType, path: str) -> Array:
    values, offsets = ragged(array)
    kept = _conformed(
        values, cast("Shape", shape.item), cast("pa.ListType[Any]", target).value_type, path
    )
    if offsets[-1] > _MOST_VALUES:
        raise ConfigurationError(
            f"column {path} has {offsets[-1]} values in one batch, expected {_MOST_VALUES} at most"
        )
    return list_array(offsets, kept, ~present(array))


def holds_pairs(arrow_type: pa.DataType) -> bool:
    """Whether lists of this type hold only the keys and values of mappings."""
    if not hasattr(arrow_type, "value_field") or pa.types.is_map(arrow_type):
        return False
    pair = arrow_type.value_field.type
    return pa.types.is_struct(pair) and sorted(each.name for each in pair) == ["key", "value"]


def _mappings(array: Array, shape: Shape, target: pa.DataType, path: str) -> Array:
    """Convert lists of keys and values to mappings."""
    pairs, offsets = ragged(array)
    keys = arrays.field(pairs, "key")
    if keys.null_count:
        raise ConfigurationError(f"column {path} has a key that is null, expected text")
    kinds = cast("pa.MapType[Any, Any, Any]", target)
    values = _conformed(
        arrays.field(pairs, "value"), cast("Shape", shape.item), kinds.item_type, path
    )
    return map_array(
        offsets, _conformed(keys, _TEXT, kinds.key_type, path), values, ~present(array)
    )
