"""Shapes of a result's fields in a results table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args, get_origin

from typing_extensions import get_type_hints, is_typeddict

from trajmeter.shapes import Member, Shape, bare, shape_of

__all__ = ["cell_shape"]

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
