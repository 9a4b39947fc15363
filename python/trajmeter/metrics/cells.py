"""Cells of a results table: the shapes of a result's fields there, and how values are converted."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast, get_args, get_origin

from pydantic import TypeAdapter
from typing_extensions import get_type_hints, is_typeddict

from trajmeter.shapes import Member, Shape, bare, shape_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cell_shape", "dump_of", "jsonable", "load_of"]

_MEMBERS = {"boolean", "number", "text"}
"""Kinds of the values of records; integers may need more than 64 bits."""


def cell_shape(annotation: object) -> Shape:
    """Shape of a field in a results table, where lists and mappings hold only scalars.

    Mappings may also hold records: a ``TypedDict`` describes one if all its keys are required and
    their values are booleans, floats or texts. Everything else is JSON.
    """
    record = _record_of(annotation)
    if record is not None:
        return Shape("mapping", item=record)
    shape = shape_of(annotation)
    is_flat = shape.is_scalar if shape.item is None else shape.item.is_scalar
    return shape if is_flat else Shape("json")


def _record_of(annotation: object) -> Shape | None:
    """Shape of the records that a mapping holds; ``None`` if it holds anything else."""
    mapping = bare(annotation).annotation
    key, kind = (*get_args(mapping), None, None)[:2]
    if get_origin(mapping) not in (dict, Mapping) or key is not str or not is_typeddict(kind):
        return None
    typed: Any = kind
    try:
        keys = get_type_hints(typed)
    except NameError:  # a type that is only known where the record is defined
        return None
    members = tuple(Member(name, shape_of(each), required=True) for name, each in keys.items())
    fits = not typed.__optional_keys__ and {each.shape.kind for each in members} <= _MEMBERS
    return Shape("record", members=members) if fits else None


def dump_of(annotation: object, shape: Shape) -> Callable[[Any], Any] | None:
    """Conversion of a field's values to those of its column; ``None`` if they are the same."""
    if _is_enum(shape):
        return attrgetter("_value_")  # ``value`` is a slow property on Python 3.10
    has_choices = shape.item is not None and (_is_enum(shape.item) or shape.item.kind == "record")
    if shape.kind != "json" and not has_choices:
        return None
    return partial(_write_value, annotation)


def _write_value(annotation: object, value: object) -> Any:  # noqa: ANN401 - as JSON holds it
    return _reader(annotation).serializer.to_python(value, mode="json", fallback=jsonable)


def load_of(annotation: object, shape: Shape) -> Callable[[Any], Any] | None:
    """Conversion of a column's values to those of its field; ``None`` if they are the same."""
    if shape.model is not None and issubclass(shape.model, Enum):
        return {member.value: member for member in shape.model}.__getitem__
    if shape.is_scalar:
        return None
    return partial(_read_value, annotation, shape.kind)


def _read_value(annotation: object, kind: str, value: Any) -> Any:  # noqa: ANN401 - as the field's type says
    """Value of a field that holds more than a scalar."""
    reader = _reader(annotation)
    if kind == "json":
        return reader.validate_json(value)
    if kind == "mapping":
        pairs = [tuple(each.values()) if isinstance(each, dict) else each for each in value]
        value = dict(pairs)
    return reader.validate_python(value)


@cache
def _reader(annotation: object) -> TypeAdapter[Any]:
    return TypeAdapter(cast("type[Any]", annotation))


def _is_enum(shape: Shape) -> bool:
    return shape.model is not None and issubclass(shape.model, Enum)


def jsonable(value: object) -> object:
    """Convert numpy values, which metrics may leave in their results, to Python values."""
    import numpy as np  # files are already being read when it is imported

    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a {type(value).__qualname__} has no form in JSON")
