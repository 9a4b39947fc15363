"""Removes from rows of SWE-agent what is not read, before they are converted to JSON lines.

Most of their text is output of commands, which would be escaped and parsed for nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from trajmeter.readers._columns.arrow_json import TEXT, is_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from trajmeter.arrays import Array

__all__ = ["without_unread"]

_TURNS = "trajectory"
_FIELDS = ("role", "text")
_UNREAD = frozenset({"system_prompt", "mask", "cutoff_date"})
_OF_AGENT = frozenset({"generated_patch", "target"})
_KEPT = frozenset({"instance_id", "model_name", "target", "exit_status", _TURNS})
"""Columns that are read whatever is wanted."""
_PATCH = "generated_patch"


def without_unread(rows: pa.RecordBatch, wanted: Collection[str]) -> pa.RecordBatch:
    """The rows as far as they are read; rows that may be in another format are unchanged.

    Items of the user and system are removed, except for the first, by which rows are recognised.
    Text columns that are only kept become null unless they are wanted.

    Args:
        rows: Rows in which no text is invalid.
        wanted: Names of the columns to fill.
    """
    if not _are_of_agent(rows.schema):
        return rows
    turns = _turns(rows.column(_TURNS))
    if turns is None:
        return rows

    def read(name: str) -> Array:
        if name == _TURNS:
            return turns
        column = rows.column(name)
        field = "final_patch" if name == _PATCH else "extra"
        is_read = name in _KEPT or field in wanted or not is_text(column.type)
        return column if is_read else pa.nulls(rows.num_rows, column.type)

    names = rows.schema.names
    return pa.RecordBatch.from_arrays([*map(read, names)], names=names)


def _are_of_agent(schema: pa.Schema) -> bool:
    if _TURNS not in schema.names or _OF_AGENT.isdisjoint(schema.names):
        return False
    turns = schema.field(_TURNS).type
    is_list = types.is_list(turns) or types.is_large_list(turns)
    if not is_list or not types.is_struct(turns.value_type):
        return False
    fields = {field.name: field.type for field in turns.value_type.fields}
    others = fields.keys() - {*_FIELDS}
    return others <= _UNREAD and all(name in fields and is_text(fields[name]) for name in _FIELDS)


def _turns(lists: Any) -> Array | None:  # noqa: ANN401 - lists of structures
    """The first item of each list and those of the model; ``None`` if an item is null."""
    offsets = np.asarray(lists.offsets)
    items = lists.values.slice(offsets[0], offsets[-1] - offsets[0])
    if lists.null_count or items.null_count:
        return None
    offsets = offsets - offsets[0]
    fields = [items.field(name).cast(TEXT) for name in _FIELDS]
    kept = np.array(pc.equal(fields[0], pa.scalar("ai", TEXT)).fill_null(False))  # noqa: FBT003
    kept[offsets[:-1][offsets[:-1] < offsets[1:]]] = True
    count = np.concatenate(([0], np.cumsum(kept))).astype(offsets.dtype)
    read = pa.StructArray.from_arrays(fields, [*_FIELDS]).filter(pa.array(kept))
    found: Array = type(lists).from_arrays(pa.array(count[offsets]), read)
    return found
