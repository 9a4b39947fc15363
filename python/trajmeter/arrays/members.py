"""Replaces a field of nested records, whatever lists and records lie above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pyarrow as pa

from trajmeter.arrays import present, ragged
from trajmeter.arrays.nested import list_array, record_array

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.arrays import Array

__all__ = ["with_member"]


def with_member(array: Array, path: Sequence[str], make: Callable[[Array], Array]) -> Array:
    """Replace a member of records, or of lists of records, by another array.

    Args:
        array: The records; returned unchanged if they lack the member.
        path: Names that lead to the member; empty for the array itself.
        make: Makes the replacement.
    """
    if not path:
        return make(array)
    if array.null_count == len(array):
        return array
    if pa.types.is_list(array.type):
        values, offsets = ragged(array)
        return list_array(offsets, with_member(values, path, make), ~present(array))
    if not pa.types.is_struct(array.type):
        return array
    name, *below = path
    fields = list(array.type)
    children = [
        with_member(child, below, make) if field.name == name else child
        for field, child in zip(fields, cast("pa.StructArray", array).flatten(), strict=True)
    ]
    fields = [field.with_type(child.type) for field, child in zip(fields, children, strict=True)]
    return record_array(children, fields, ~present(array))
