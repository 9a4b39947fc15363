"""Columns for results of one model, for metrics that score columns and create few results."""

from __future__ import annotations

from enum import Enum
from functools import cache, partial
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pyarrow as pa
from pydantic import TypeAdapter
from pydantic_core import SchemaSerializer, to_json

from trajmeter.arrays import ROWS_AT_ONCE
from trajmeter.metrics.cells import cell_shape
from trajmeter.shapes import is_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pydantic import BaseModel

    from trajmeter.arrays import Array

__all__ = ["json_cell", "json_numbers", "result_arrays"]


class _Field(NamedTuple):
    name: str
    arrow_type: pa.DataType
    convert: Callable[[Any], Any] | None
    """Converts a value to that of its column; ``None`` if they are the same."""


def result_arrays(model: type[BaseModel], results: Iterable[BaseModel]) -> dict[str, Array]:
    """Columns of a model's fields by name; those of nested groups by dotted path.

    Args:
        model: Class of the results.
        results: Results; only a few exist at a time.
    """
    rest = iter(results)
    parts = [_arrays(model, list(islice(rest, ROWS_AT_ONCE)))]
    while few := list(islice(rest, ROWS_AT_ONCE)):
        parts.append(_arrays(model, few))
    return {name: pa.concat_arrays([part[name] for part in parts]) for name in parts[0]}


def _arrays(model: type[BaseModel], results: Sequence[BaseModel]) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    for name, group in _groups(model):
        within = _arrays(group, [getattr(each, name) for each in results])
        arrays |= {f"{name}.{key}": column for key, column in within.items()}
    for name, arrow_type, convert in _fields(model):
        values = [getattr(each, name) for each in results]
        if convert is not None:
            values = [None if value is None else convert(value) for value in values]
        arrays[name] = pa.array(values, arrow_type)
    return arrays


def json_cell(value: Any) -> str:  # noqa: ANN401 - anything that JSON holds
    """JSON text in the form that columns hold."""
    return to_json(value, inf_nan_mode="strings").decode()


def json_numbers(numbers: Sequence[float]) -> list[str]:
    """JSON text of each number, infinities as text; all at once, which is much faster."""
    return json_cell(numbers)[1:-1].split(",") if numbers else []


@cache
def _groups(model: type[BaseModel]) -> tuple[tuple[str, type[BaseModel]], ...]:
    fields = model.model_fields.items()
    return tuple((name, info.annotation) for name, info in fields if is_model(info.annotation))


@cache
def _fields(model: type[BaseModel]) -> tuple[_Field, ...]:
    fields = []
    for name, info in model.model_fields.items():
        if is_model(info.annotation):
            continue
        shape = cell_shape(info.annotation)
        convert: Callable[[Any], Any] | None = None
        if shape.model is not None and issubclass(shape.model, Enum):
            convert = attrgetter("_value_")
        elif shape.kind == "json":
            convert = partial(_dumped, info.annotation)
        fields.append(_Field(name, shape.arrow_type(), convert))
    return tuple(fields)


def _dumped(annotation: object, value: object) -> str:
    if not value:  # Most lists and objects are empty, and building a serializer takes milliseconds.
        return json_cell(value)
    return json_cell(_serializer(annotation).to_python(value, mode="json"))


@cache
def _serializer(annotation: object) -> SchemaSerializer:
    return TypeAdapter(cast("Any", annotation)).serializer
