"""Batches as users have them, brought to the schema of Trajectory records.

Files hold the same values in other types: texts as dictionaries or with long offsets, numbers of
fewer bits, structures with their fields in another order or not at all, arguments as structures
instead of JSON text. Whatever a type can hold without loss is taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa

from trajmeter.errors import ConfigurationError
from trajmeter.metrics.arrays import Array, nulls, ragged
from trajmeter.schemas import Member, Shape, json_text, trajectory_schema, trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["conform", "misfits"]

# What the offsets of a list can count.
_MOST_VALUES = 2**31 - 1

_LISTS = (
    pa.ListArray,
    pa.LargeListArray,
    pa.FixedSizeListArray,
    pa.ListViewArray,
    pa.LargeListViewArray,
)


def conform(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Give a batch the columns of :func:`trajectory_schema`, and no others.

    An absent column is one of nulls. Nothing is copied where the types are those of the schema.

    Raises:
        ConfigurationError: There is no ``task_id``, a column occurs twice, or its type cannot hold
            what the field is.
    """
    schema = trajectory_schema()
    if batch.schema.equals(schema):
        return batch
    names = batch.schema.names
    if "task_id" not in names:
        raise ConfigurationError(f"expected a column task_id; there are: {', '.join(names)}")
    columns: list[Array] = []
    for member, field in zip(trajectory_shape().members, schema, strict=True):
        if names.count(member.name) > 1:
            raise ConfigurationError(f"two columns are named {member.name}")
        if member.name in names:
            column = batch.column(names.index(member.name))
            columns.append(_conformed(column, member.shape, field.type, member.name))
        else:
            columns.append(nulls(batch.num_rows, field.type))
    return pa.record_batch(columns, schema=schema)


def misfits(batch: pa.RecordBatch) -> dict[int, str]:
    """Rows with a value that its field cannot hold, such as 3.5 where whole numbers are counted.

    Args:
        batch: Rows that :func:`conform` refuses.

    Returns:
        What is wrong with each of them, by its number.

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
    """Rows that the cast refuses, found by halves: it tells of one alone, and few are bad."""
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


def _conformed(array: Array, shape: Shape, target: pa.DataType, path: str) -> Array:
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    if array.type == target:
        return array
    if shape.kind == "json" and not _is_text(array.type):
        return pa.array([_text(each, path) for each in array.to_pylist()], pa.string())
    if shape.kind == "record" and isinstance(array, pa.StructArray):
        return _records(array, shape, target, path)
    if shape.kind == "list" and isinstance(array, _LISTS):
        return _lists(array, shape, target, path)
    try:
        return array.cast(target)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ConfigurationError(
            f"column {path} is {array.type}, expected {target}: {error}"
        ) from error


def _text(value: object, path: str) -> str | None:
    try:
        return None if value is None else json_text(value)
    except ValueError as error:
        raise ConfigurationError(f"column {path} holds what is no JSON: {error}") from error


def _is_text(arrow_type: pa.DataType) -> bool:
    return (
        pa.types.is_string(arrow_type)
        or pa.types.is_large_string(arrow_type)
        or pa.types.is_string_view(arrow_type)
    )


def _records(array: pa.StructArray, shape: Shape, target: pa.DataType, path: str) -> Array:
    given = dict(zip([field.name for field in array.type], array.flatten(), strict=True))
    fields = list(cast("pa.StructType", target))
    children = [
        _conformed(given[member.name], member.shape, field.type, f"{path}.{member.name}")
        if member.name in given
        else nulls(len(array), field.type)
        for member, field in zip(shape.members, fields, strict=True)
    ]
    return pa.StructArray.from_arrays(children, fields=fields, mask=array.is_null())


def _lists(array: Array, shape: Shape, target: pa.DataType, path: str) -> Array:
    values, offsets = ragged(array)
    kept = _conformed(
        values, cast("Shape", shape.item), cast("pa.ListType[Any]", target).value_type, path
    )
    if offsets[-1] > _MOST_VALUES:
        raise ConfigurationError(
            f"column {path} has {offsets[-1]} values in one batch, expected {_MOST_VALUES} at most"
        )
    bounds = pa.array(offsets.astype(np.int32), pa.int32())
    lists: Array = pa.ListArray.from_arrays(bounds, kept, mask=array.is_null())
    return lists
