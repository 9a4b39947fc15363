"""Checks the rows of batches that have the columns of Trajectory records.

A batch with the right schema can still contain invalid records: a null where a value is required, a
text that is not one of the choices, invalid JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from trajmeter import json_input
from trajmeter.arrays import Array, Booleans, call_function, present, ragged, taken
from trajmeter.arrays.json_objects import NO_OBJECT, UNCERTAIN, object_codes
from trajmeter.arrays.nested import entries
from trajmeter.arrays.text import coded, is_among
from trajmeter.errors import ReadError
from trajmeter.shapes import Member, Shape, trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["faulty"]


def faulty(batch: pa.RecordBatch) -> Booleans:
    """Whether each row is an invalid record.

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
            found |= ~present(column) & is_there
        if column.null_count < len(column):
            found |= _faulty(column, member.shape)
    return found


def _faulty(column: Array, shape: Shape) -> Booleans:
    """Whether each value violates its shape; nulls are checked by the caller."""
    if shape.choices:
        return present(column) & ~is_among(column, shape.choices)
    if shape.kind == "json":
        return _faulty_json(column, is_object=shape.is_object)
    if shape.kind == "record" and isinstance(column, pa.StructArray):
        return _faulty_members(shape.members, column.flatten(), present(column))
    if shape.item is None:
        return np.zeros(len(column), np.bool_)
    return _faulty_items(column, shape.item)


def _faulty_items(column: Array, shape: Shape) -> Booleans:
    """Whether each list or mapping contains a null or another invalid value."""
    if isinstance(column, pa.MapArray):
        _, values, offsets = entries(column)
    else:
        values, offsets = ragged(column)
    found = ~present(values) | _faulty(values, shape)
    lists = np.zeros(len(column), np.bool_)
    lists[np.searchsorted(offsets, np.flatnonzero(found), side="right") - 1] = True
    return lists


def _faulty_json(column: Array, *, is_object: bool) -> Booleans:
    known = np.full(len(column), 0, np.int64)
    is_there = present(column)
    known[is_there] = object_codes(call_function("drop_null", [column]))
    found: Booleans = is_object & (known == NO_OBJECT)
    unclear = np.flatnonzero(known == UNCERTAIN)
    if len(unclear):
        texts, codes = coded(taken(column, unclear))
        faulty = [not _is_json(text, is_object=is_object) for text in texts]
        found[unclear] = np.array(faulty)[codes]
    return found


def _is_json(text: str, *, is_object: bool) -> bool:
    try:
        value = json_input.parse(text.encode())
    except ReadError:
        return False
    return isinstance(value, dict) or not is_object
