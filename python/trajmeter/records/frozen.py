"""Frozen models of values that are known to be right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import BaseModel

    Model = TypeVar("Model", bound=BaseModel)

__all__ = ["frozen"]

_new = object.__new__
_set = object.__setattr__
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
    _set(made, "__dict__", values)
    _set(made, "__pydantic_fields_set__", fields)
    _set(made, "__pydantic_extra__", None)
    _set(made, "__pydantic_private__", None)
    return made
