"""Columns of a result model: its fields by their dotted paths, with their types and meanings."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from operator import attrgetter
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    TypeAlias,
    TypeGuard,
    Union,
    cast,
    get_args,
    get_origin,
)

import numpy as np
from pydantic import BaseModel, TypeAdapter

from trajmeter.errors import ConfigurationError
from trajmeter.metrics._result import Figure, Group

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic.fields import FieldInfo

    from trajmeter.metrics._result import Result

__all__ = [
    "Column",
    "FigureGroup",
    "Kind",
    "Role",
    "Shape",
    "figure_groups",
    "is_model",
    "plain",
]

Kind: TypeAlias = Literal["boolean", "integer", "number", "string", "json"]
Shape: TypeAlias = Literal["scalar", "list", "mapping"]
Role: TypeAlias = Literal["figure", "outcome", "cause", "about"]

_KINDS: dict[type, Kind] = {bool: "boolean", int: "integer", float: "number", str: "string"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a results table; a value may always be missing."""

    name: str
    """Dotted path."""
    kind: Kind
    """Type of its values, or of the values in its lists and mappings."""
    shape: Shape = "scalar"
    """Whether a value is a scalar, a list, or a mapping from text."""
    role: Role = "about"
    """What it says: a figure, what became of a group, or about the attempt and the metric."""
    description: str | None = None
    """Meaning of the column."""
    figure: Figure | None = None
    """Range, direction and unit of a figure."""
    dump: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)
    """Turns a field's value into what stands in the row; ``None`` where they are the same."""


@dataclass(frozen=True, slots=True)
class FigureGroup:
    """Figures that stand or fall together, and where they stand in the table."""

    name: str
    """Dotted path of the group."""
    paths: tuple[str, ...]
    """Attribute path of each column in the result."""
    columns: tuple[Column, ...]
    """Its columns, outcome and cause first if it has them."""
    offset: int
    """Position of its first column in the table."""
    has_outcome: bool
    """Whether the first two columns are outcome and cause."""


def figure_groups(name: str, result_type: type[Result], *, offset: int) -> tuple[FigureGroup, ...]:
    """Walk a result model.

    Args:
        name: Name of the metric, the first part of every column.
        result_type: The model.
        offset: Position of the first column in the table.

    Raises:
        ConfigurationError: The model has no fields.
    """
    groups = []
    for path, model in _models(result_type, ()):
        own = [
            (key, info) for key, info in model.model_fields.items() if not is_model(info.annotation)
        ]
        if not own:
            continue
        prefix = ".".join((name, *path))
        columns = tuple(_column(prefix, key, info, model) for key, info in own)
        groups.append(
            FigureGroup(
                name=prefix,
                paths=tuple(".".join((*path, key)) for key, _ in own),
                columns=columns,
                offset=offset,
                has_outcome=issubclass(model, Group),
            )
        )
        offset += len(columns)
    if not groups:
        raise ConfigurationError(f"the result of metric {name!r} has no figures")
    return tuple(groups)


def _models(
    model: type[BaseModel], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], type[BaseModel]]]:
    yield path, model
    for key, info in model.model_fields.items():
        if is_model(info.annotation):
            yield from _models(info.annotation, (*path, key))


def is_model(annotation: object) -> TypeGuard[type[BaseModel]]:
    """Whether a field's annotation is a model, and nothing else."""
    return _is_class(annotation) and issubclass(annotation, BaseModel)


def _is_enum(annotation: object) -> TypeGuard[type[Enum]]:
    return _is_class(annotation) and issubclass(annotation, Enum)


def _is_class(annotation: object) -> TypeGuard[type]:
    # On Python 3.10 ``tuple[int, ...]`` passes for a type.
    return isinstance(annotation, type) and get_origin(annotation) is None


def _column(prefix: str, key: str, info: FieldInfo, model: type[BaseModel]) -> Column:
    annotation, figure = _unwrap(info.annotation)
    own_figures = [extra for extra in info.metadata if isinstance(extra, Figure)]
    kind, shape = _type_of(annotation)
    role: Role = "figure"
    if issubclass(model, Group) and key in ("outcome", "cause"):
        role = "outcome" if key == "outcome" else "cause"
    return Column(
        name=f"{prefix}.{key}",
        kind=kind,
        shape=shape,
        role=role,
        description=info.description,
        figure=own_figures[0] if own_figures else figure,
        dump=_dump(annotation, kind),
    )


def _unwrap(annotation: object) -> tuple[object, Figure | None]:
    """The type without ``None`` and annotations, and the figure among the latter."""
    if get_origin(annotation) is Annotated:
        inner, *extras = get_args(annotation)
        bare, figure = _unwrap(inner)
        own = [extra for extra in extras if isinstance(extra, Figure)]
        return bare, own[0] if own else figure
    if get_origin(annotation) in (Union, types.UnionType):
        members = [member for member in get_args(annotation) if member is not types.NoneType]
        if len(members) == 1:
            return _unwrap(members[0])
        if set(members) == {int, float}:
            return float, None
    return annotation, None


def _type_of(annotation: object) -> tuple[Kind, Shape]:
    kind = _scalar_kind(annotation)
    if kind is not None:
        return kind, "scalar"
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is list or (origin is tuple and arguments[1:] == (...,)):
        kind = _scalar_kind(_unwrap(arguments[0])[0])
        return (kind, "list") if kind else ("json", "scalar")
    if origin in (dict, Mapping) and arguments[0] is str:
        kind = _scalar_kind(_unwrap(arguments[1])[0])
        return (kind, "mapping") if kind else ("json", "scalar")
    return "json", "scalar"


def _scalar_kind(annotation: object) -> Kind | None:
    if get_origin(annotation) is Literal:
        kinds = {_KINDS.get(type(value)) for value in get_args(annotation)}
        return kinds.pop() if len(kinds) == 1 else None
    if _is_enum(annotation):
        return "string" if issubclass(annotation, str) else None
    return _KINDS.get(annotation) if _is_class(annotation) else None


def _dump(annotation: object, kind: Kind) -> Callable[[Any], Any] | None:
    if _is_enum(annotation):
        return attrgetter("_value_")  # ``value`` is a slow property on Python 3.10
    if kind != "json" and not _holds_enum(annotation):
        return None
    serializer = TypeAdapter(cast("type[Any]", annotation)).serializer
    return partial(serializer.to_python, mode="json", fallback=plain)


def plain(value: object) -> object:
    """A value of numpy as one of Python; metrics leave them in what they tell."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"a {type(value).__qualname__} has no form in JSON")


def _holds_enum(annotation: object) -> bool:
    members = [_unwrap(argument)[0] for argument in get_args(annotation)]
    return any(map(_is_enum, members))
