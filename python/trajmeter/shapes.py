"""Derives the shapes and Arrow types of columns from the fields of models.

Records and results share this derivation. A record becomes a struct, a list or tuple becomes a
list, and a mapping from text to values of one type becomes a map. Values of arbitrary shape
(``arguments``, ``metadata``, ``extra`` ...) become JSON text.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cache
from typing import (
    TYPE_CHECKING,
    Annotated,
    Literal,
    NamedTuple,
    TypeAlias,
    TypeGuard,
    Union,
    get_args,
    get_origin,
)

from pydantic import BaseModel

from trajmeter.records import Record, Trajectory

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Bare", "Kind", "Member", "Shape", "bare", "is_model", "shape_of", "trajectory_shape"]

Kind: TypeAlias = Literal[
    "boolean", "integer", "number", "text", "json", "list", "mapping", "record"
]
"""Kind of value in a column; ``json`` is JSON text of a value of arbitrary shape."""

_SCALARS: dict[object, Kind] = {bool: "boolean", int: "integer", float: "number", str: "text"}


class Shape(NamedTuple):
    """Shape of the values in a column."""

    kind: Kind
    """Kind of value."""
    choices: frozenset[str] = frozenset()
    """Allowed texts; empty if any text is allowed."""
    is_object: bool = False
    """Whether the JSON value must be an object."""
    item: Shape | None = None
    """Shape of the values in a list or mapping."""
    members: tuple[Member, ...] = ()
    """Fields of a record."""
    model: type[Record | Enum] | None = None
    """Class of a record or enum."""

    @property
    def is_scalar(self) -> bool:
        """Whether a value is a single number, boolean or text."""
        return self.kind in ("boolean", "integer", "number", "text")

    def arrow_type(self) -> pa.DataType:
        """Return the Arrow type of a column of this shape."""
        import pyarrow as pa

        if self.kind == "record":
            return pa.struct([pa.field(m.name, m.shape.arrow_type()) for m in self.members])
        if self.item is not None:
            item = self.item.arrow_type()
            return pa.list_(item) if self.kind == "list" else pa.map_(pa.string(), item)
        scalars: dict[str, pa.DataType] = {
            "boolean": pa.bool_(),
            "integer": pa.int64(),
            "number": pa.float64(),
        }
        return scalars.get(self.kind, pa.string())


class Member(NamedTuple):
    """One field of a record."""

    name: str
    """Name of the field."""
    shape: Shape
    """Shape of its values."""
    required: bool
    """Whether null is an error because the field has no default."""
    default: object = None
    """Value that null or an absent column represents."""


@cache
def trajectory_shape() -> Shape:
    """Shape of a Trajectory."""
    return shape_of(Trajectory)


class Bare(NamedTuple):
    """The parts of a field's annotation."""

    annotation: object
    """The type, without ``None``."""
    extras: tuple[object, ...]
    """Metadata from ``Annotated``, outermost first."""


def bare(annotation: object) -> Bare:
    """Split an annotation into type and metadata; ``int | float`` is a float."""
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        within = bare(inner)
        return Bare(within.annotation, (*extras, *within.extras))
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        if len(members) == 1:
            return bare(members[0])
        if set(members) == {int, float}:
            return Bare(float, ())
    return Bare(annotation, ())


def shape_of(annotation: object) -> Shape:
    """Derive the shape of a field's values; values of any other type are JSON."""
    annotation = bare(annotation).annotation
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return _literal(arguments)
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        return Shape("list", item=shape_of(arguments[0]))
    if origin in (dict, Mapping) and arguments[0] is str:
        item = shape_of(arguments[1])
        return Shape("json", is_object=True) if item.kind == "json" else Shape("mapping", item=item)
    return _class(annotation) if _is_class(annotation) else Shape("json")


def is_model(annotation: object) -> TypeGuard[type[BaseModel]]:
    """Whether a field's annotation is a model class."""
    return _is_class(annotation) and issubclass(annotation, BaseModel)


def _is_class(annotation: object) -> TypeGuard[type]:
    # On Python 3.10, ``tuple[int, ...]`` is an instance of type.
    return isinstance(annotation, type) and get_origin(annotation) is None


def _literal(values: tuple[object, ...]) -> Shape:
    kinds = {_SCALARS.get(type(value)) for value in values}
    if kinds == {"text"}:
        return Shape("text", choices=frozenset(map(str, values)))
    return Shape((kinds.pop() if len(kinds) == 1 else None) or "json")


def _class(kind: type) -> Shape:
    if issubclass(kind, Enum) and issubclass(kind, str):
        return Shape("text", choices=frozenset(str(each.value) for each in kind), model=kind)
    if issubclass(kind, Record):
        return Shape("record", members=tuple(_members(kind)), model=kind)
    return Shape(_SCALARS.get(kind, "json"))


def _members(model: type[Record]) -> Iterable[Member]:
    for name, field in model.model_fields.items():
        yield Member(
            name=name,
            shape=shape_of(field.annotation),
            required=field.is_required(),
            default=None if field.is_required() else field.get_default(call_default_factory=True),
        )
