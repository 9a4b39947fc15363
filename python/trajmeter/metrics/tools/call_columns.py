"""Tool calls of record batches as flat columns, without an object for each call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.arrays import flags, numbers, ragged

if TYPE_CHECKING:
    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Int64Array

__all__ = ["CallColumns", "call_columns"]


class CallColumns(NamedTuple):
    """Calls of every row, like :attr:`Trajectory.calls` for one."""

    calls: Array
    """Calls of all rows, one after another."""
    offsets: Int64Array
    """Row i has the calls ``[offsets[i], offsets[i + 1])``."""
    recorded: Booleans
    """Whether each row recorded its calls, or turns."""


def call_columns(rows: pa.RecordBatch) -> CallColumns:
    """Collect the calls of every row: those recorded for the run, or else those of its turns.

    Args:
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
    """
    of_run, turns = rows.column("tool_calls"), rows.column("turns")
    is_own = flags(of_run.is_valid())
    run_calls, own_offsets = ragged(of_run)
    each, turn_offsets = ragged(turns)
    by_turn, call_offsets = ragged(pc.struct_field(each, "tool_calls"))
    bounds = call_offsets[turn_offsets]
    recorded = is_own | flags(turns.is_valid())
    if not is_own.any():
        return CallColumns(by_turn, bounds, recorded)
    starts = np.where(is_own, own_offsets[:-1], bounds[:-1] + len(run_calls))
    lengths = np.where(is_own, np.diff(own_offsets), np.diff(bounds))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    calls = pa.concat_arrays([run_calls, by_turn]).take(numbers(places))
    return CallColumns(calls, offsets, recorded)
