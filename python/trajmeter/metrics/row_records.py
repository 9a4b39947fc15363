"""Makes records from the rows of a batch, column by column, without validation.

Reading and validating each row as a whole takes several times as long as scoring it.
"""

from __future__ import annotations

from enum import Enum
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from trajmeter import json_input
from trajmeter.arrays import Array, call_function, present, ragged
from trajmeter.arrays.nested import entries
from trajmeter.benchmark_tables.columns import as_measurements
from trajmeter.records import Record, Trajectory
from trajmeter.records.record import frozen
from trajmeter.shapes import Member, Shape, trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["records_of"]


def records_of(batch: pa.RecordBatch) -> list[Trajectory]:
    """Make a record of every row.

    Args:
        batch: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`, optionally
            with that of :mod:`trajmeter.benchmark_tables`.
    """
    batch = as_measurements(batch)
    members = trajectory_shape().members
    fields = _fields(members, batch.columns)
    return [frozen(Trajectory, values) for values in fields]


def _fields(members: Iterable[Member], columns: Iterable[Array]) -> Iterable[dict[str, Any]]:
    """Values of each record by field name."""
    names = [member.name for member in members]
    by_field = [_field(member, column) for member, column in zip(members, columns, strict=True)]
    return [dict(zip(names, values, strict=True)) for values in zip(*by_field, strict=True)]


def _field(member: Member, column: Array) -> list[Any]:
    """Values of one field, with its default in place of null."""
    values = _values(column, member.shape)
    default = member.default
    if default is None or not column.null_count:
        return values
    if isinstance(default, dict):  # a new one for each record, as a metric may modify it
        return [{} if value is None else value for value in values]
    return [default if value is None else value for value in values]


def _values(column: Array, shape: Shape) -> list[Any]:
    if column.null_count == len(column):
        return [None] * len(column)
    if shape.kind == "json":
        texts = column.to_pylist()
        return [None if text is None else json_input.parse(text.encode()) for text in texts]
    if shape.item is not None:
        return _collections(column, shape.item)
    if shape.kind == "record":
        return _records(column, shape)
    values: list[Any] = column.to_pylist()
    if shape.model is not None and issubclass(shape.model, Enum):
        members = {None: None, **{member.value: member for member in shape.model}}
        return [members[value] for value in values]
    return values


def _collections(column: Array, item: Shape) -> list[Any]:
    """Tuples, or dictionaries if the column is a map."""
    collected: list[Any]
    if isinstance(column, pa.MapArray):
        keys, values, offsets = entries(column)
        pairs = list(zip(keys.to_pylist(), _values(values, item), strict=True))
        collected = [dict(pairs[start:stop]) for start, stop in pairwise(offsets.tolist())]
    else:
        values, offsets = ragged(column)
        each = _values(values, item)
        collected = [tuple(each[start:stop]) for start, stop in pairwise(offsets.tolist())]
    if not column.null_count:
        return collected
    is_there = present(column).tolist()
    return [value if there else None for value, there in zip(collected, is_there, strict=True)]


def _records(column: Array, shape: Shape) -> list[Any]:
    model = shape.model
    if model is None or not issubclass(model, Record) or not isinstance(column, pa.StructArray):
        raise TypeError(f"a column of {column.type} does not hold {model}")
    fields = _fields(shape.members, call_function("drop_null", [column]).flatten())
    has_rules = bool(model.__pydantic_decorators__.model_validators)
    make: Callable[[dict[str, Any]], Record] = (
        model.model_validate if has_rules else partial(frozen, model)
    )
    records = map(make, fields)
    if not column.null_count:
        return list(records)
    return [next(records) if there else None for there in present(column).tolist()]
