"""Turns of record batches as columns of codes, without an object a turn."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter import json_input
from trajmeter.kernels import NO_NUMBER
from trajmeter.metrics.arrays import coded, filled, flags, ragged
from trajmeter.metrics.tools.arguments import Malformed, keyed_arguments
from trajmeter.metrics.turns.columns import TurnColumns

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pydantic import JsonValue

    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.arrays import Array

__all__ = ["turn_columns"]

# Calls whose arguments are compared at a time: few, or the garbage collector walks through all.
_BLOCK = 2_048


def turn_columns(turns: Array) -> TurnColumns:
    """Code the turns of many runs.

    Args:
        turns: The column ``turns`` of :func:`trajmeter.schemas.trajectory_schema`, of valid rows; a
            run without turns, recorded or not, has none.
    """
    each, run_offsets = ragged(turns)
    success, program, number, error, tool_calls = (
        pc.struct_field(each, name)
        for name in ("success", "program", "number", "error", "tool_calls")
    )
    calls, call_offsets = ragged(tool_calls)
    names, reasons = _reasons(pc.struct_field(error, "reason"))
    return TurnColumns(
        success=_success(success),
        program=flags(program.is_valid()).astype(np.int64),
        reason=reasons,
        error=_errors(reasons, len(names), pc.struct_field(error, "message")),
        number=filled(number, NO_NUMBER),
        call_success=_outcomes(calls),
        call=_identities(calls, call_offsets[run_offsets]),
        call_offsets=call_offsets,
        run_offsets=run_offsets,
        reasons=names,
    )


def _reasons(column: Array) -> tuple[tuple[str, ...], Int64Array]:
    """The different reasons, sorted, and the place of each turn's among them."""
    texts, codes = coded(column)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    places = np.full(len(texts) + 1, -1, np.int64)  # the code of none leads to the last
    places[order] = np.arange(len(texts))
    return tuple(texts[at] for at in order), places[codes]


def _errors(reasons: Int64Array, names: int, messages: Array) -> Int64Array:
    """One code of reason and message together; -1 where there is neither."""
    codes = coded(messages).codes
    together: Int64Array = (codes + 1) * (names + 1) + reasons + 1
    return together - 1


def _success(column: Array) -> Int64Array:
    return filled(column.cast(pa.int64()), -1)


def _outcomes(calls: Array) -> Int64Array:
    """Whether each call succeeded; one with an error and unknown success failed."""
    success = _success(pc.struct_field(calls, "success"))
    failed = (success < 0) & flags(pc.struct_field(calls, "error").is_valid())
    return np.where(failed, 0, success)


def _identities(calls: Array, bounds: Int64Array) -> Int64Array:
    """One code of name and arguments together; -1 where the arguments are no JSON object.

    Args:
        calls: Calls.
        bounds: Where the calls of each run begin. Codes tell apart the calls of one run only.
    """
    texts, arguments = coded(pc.struct_field(calls, "arguments"))
    names = coded(pc.struct_field(calls, "name")).codes
    codes = np.empty(len(names), np.int64)
    for start, stop in pairwise(_borders(bounds)):
        places: dict[int, int] = {}
        different: dict[Hashable, int] = {}
        for code in np.unique(arguments[start:stop]).tolist():
            key = _key(None if code < 0 else json_input.parse(texts[code].encode()))
            places[code] = -1 if key is None else different.setdefault(key, len(different))
        found = np.array([places[code] for code in arguments[start:stop].tolist()], np.int64)
        together = names[start:stop] * len(different) + found
        codes[start:stop] = np.where(found < 0, -1, together)
    return codes


def _borders(bounds: Int64Array) -> list[int]:
    """Some of the bounds, so that of each block of runs few keys are alive at a time."""
    is_border = np.diff(bounds // _BLOCK, prepend=-1) > 0
    return [*bounds[is_border].tolist(), int(bounds[-1])]


def _key(arguments: JsonValue) -> Hashable:
    read = keyed_arguments(arguments)
    return None if isinstance(read, Malformed) else read[1]
