"""The base of every record: frozen, strict about names, documented field by field."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

import pydantic
from pydantic import BaseModel, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from enum import Enum

    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

__all__ = [
    "LARGEST_COUNT",
    "Count",
    "FileRecord",
    "LazyModel",
    "Record",
    "default_fields",
    "field_descriptions",
    "frozen",
    "member_descriptions",
]

LARGEST_COUNT = 2**63 - 1
"""The largest integer that a table column can hold, far above any real count."""

Count: TypeAlias = Annotated[int, Field(ge=-LARGEST_COUNT - 1, le=LARGEST_COUNT)]
"""A whole number as recorded, of tokens or turns; some logs write a negative one for "none"."""

_ModelT = TypeVar("_ModelT", bound=BaseModel)

_REBUILDS_UNDER_LOCK = (2, 14)
"""The first pydantic version in which two threads may be the first to use a model at the same
time."""


def field_descriptions(model: type[BaseModel]) -> dict[str, str]:
    """Meaning of each field: the docstring below it, read from the source on demand."""
    descriptions: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel and inspect.get_annotations(base):
            descriptions |= _attribute_docstrings(base.__module__).get(base.__qualname__, {})
    return {name: text for name, text in descriptions.items() if name in model.model_fields}


def member_descriptions(kind: type[Enum]) -> Mapping[str, str]:
    """Meaning of each member of an enumeration, by its name: the docstring below it."""
    return _attribute_docstrings(kind.__module__).get(kind.__qualname__, {})


@cache
def _attribute_docstrings(module: str) -> Mapping[str, Mapping[str, str]]:
    """Docstrings below the attributes of each class of a module, by class and attribute."""
    try:
        source = inspect.getsource(import_module(module))
    except (ImportError, OSError, TypeError):  # made in a notebook, or installed without sources
        return {}
    return {name: dict(_documented(each)) for name, each in _classes(ast.parse(source).body, "")}


def _classes(statements: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.ClassDef]]:
    """Classes by their qualified names."""
    for statement in statements:
        within = prefix
        if isinstance(statement, ast.ClassDef):
            yield f"{prefix}{statement.name}", statement
            within = f"{prefix}{statement.name}."
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            within = f"{prefix}{statement.name}.<locals>."
        yield from _classes(getattr(statement, "body", []), within)


def _documented(model: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for attribute, text in pairwise(model.body):
        match attribute, text:
            case (
                ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]),
                ast.Expr(value=ast.Constant(value=str(docstring))),
            ):
                yield name, inspect.cleandoc(docstring)


class LazyModel(BaseModel):
    """A model that is built, and whose docstrings are read, on first use.

    Programs use few of the models that they import. Building all of them and reading their
    docstrings would take pydantic more time than everything else that is imported.
    """

    model_config = ConfigDict(
        defer_build=tuple(map(int, pydantic.VERSION.split(".")[:2])) >= _REBUILDS_UNDER_LOCK
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler, /
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, description in field_descriptions(cls).items():
            properties[name].setdefault("description", description)
        return schema


class Record(LazyModel):
    """A frozen piece of recorded data.

    An unknown argument is an error, so that a misspelt field is not lost. Readers keep the unknown
    keys of a file in the record's ``extra``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")


class FileRecord(Record):
    """Part of a result file: unknown keys are ignored, and null means absent."""

    model_config = ConfigDict(extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, fields: Any) -> Any:  # noqa: ANN401 - whatever the file holds
        if not isinstance(fields, dict):
            return fields
        return {key: value for key, value in fields.items() if value is not None}


_new = object.__new__
# Set through their slots: ``object.__setattr__``, by name, takes 1.5 times as long.
_set_values = BaseModel.__dict__["__dict__"].__set__
_set_fields = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
_field_sets: dict[type[BaseModel], set[str]] = {}


def frozen(model: type[_ModelT], values: dict[str, Any]) -> _ModelT:
    """Create a model from values that are known to be valid, without validating them.

    The result equals the validated model of the same values. Validating a context's result takes
    10 µs, ``model_construct`` 2 µs for each of its groups, this function 0.4 µs.

    Args:
        model: The model.
        values: A value for each of its fields, those with defaults included, in their order.
    """
    try:
        fields = _field_sets[model]
    except KeyError:
        fields = _field_sets[model] = set(model.model_fields)
    made = _new(model)
    _set_values(made, values)
    _set_fields(made, fields)
    _set_extra(made, None)
    _set_private(made, None)
    return made


def default_fields(model: type[BaseModel], /, **given: Any) -> dict[str, Any]:  # noqa: ANN401 - of any field
    """Every field of a model, in order, with its given or default value, for :func:`frozen`.

    Unlike validation, it does not make pydantic build the model, which would add milliseconds to
    the start of a program that may never validate one.

    Args:
        model: The model.
        **given: Values that are known to be valid; at least those of fields without a default.
    """
    return {
        name: given[name] if name in given else field.get_default(call_default_factory=True)
        for name, field in model.model_fields.items()
    }
