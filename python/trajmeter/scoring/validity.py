"""Which rows are no trajectories, told from columns.

A batch of the right schema can still hold rows that are no records: a null where a value is needed,
a text that is none of the choices, JSON that cannot be read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.metrics.arrays import Array, Booleans, coded, entries, flags, ragged
from trajmeter.schemas import Shape, trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.schemas import Member

__all__ = ["faulty"]


def faulty(batch: pa.RecordBatch) -> Booleans:
    """Whether each row is no valid record.

    Args:
        batch: Rows in the columns of the Trajectory schema.
    """
    everywhere = np.ones(batch.num_rows, np.bool_)
    return _faulty_members(trajectory_shape().members, batch.columns, everywhere)


def _faulty_members(
    members: Iterable[Member], columns: Iterable[Array], is_there: Booleans
) -> Booleans:
    found = np.zeros(len(is_there), np.bool_)
    for member, column in zip(members, columns, strict=True):
        if member.required and column.null_count:
            found |= flags(column.is_null()) & is_there
        if column.null_count < len(column):
            found |= _faulty(column, member.shape)
    return found


def _faulty(column: Array, shape: Shape) -> Booleans:
    """Whether each value is not what its shape says; a null is left to who asks."""
    if shape.choices:
        known = pc.is_in(column, value_set=pa.array(sorted(shape.choices)))
        return ~flags(known) & flags(column.is_valid())
    if shape.kind == "json":
        return _faulty_json(column, is_object=shape.is_object)
    if shape.kind == "record" and isinstance(column, pa.StructArray):
        return _faulty_members(shape.members, column.flatten(), flags(column.is_valid()))
    if shape.item is None:
        return np.zeros(len(column), np.bool_)
    return _faulty_items(column, shape.item)


def _faulty_items(column: Array, shape: Shape) -> Booleans:
    """Whether each list or mapping holds a null, or something else that it may not."""
    if isinstance(column, pa.MapArray):
        _, values, offsets = entries(column)
    else:
        values, offsets = ragged(column)
    found = flags(values.is_null()) | _faulty(values, shape)
    lists = np.zeros(len(column), np.bool_)
    lists[np.searchsorted(offsets, np.flatnonzero(found), side="right") - 1] = True
    return lists


def _faulty_json(column: Array, *, is_object: bool) -> Booleans:
    texts, codes = coded(column)
    faulty = [not _is_json(text, is_object=is_object) for text in texts]
    # The code of a null, -1, leads to the last place.
    return np.array([*faulty, False])[codes]


def _is_json(text: str, *, is_object: bool) -> bool:
    try:
        value = json_input.parse(text.encode())
    except ReadError:
        return False
    return isinstance(value, dict) or not is_object
