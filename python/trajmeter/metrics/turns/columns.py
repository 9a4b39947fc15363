"""Encodes turns of record batches as columns of codes and analyses them, without turn objects."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter import json_input, kernels
from trajmeter.arrays import call_function, field, filled, flags, present, ragged
from trajmeter.arrays.json_objects import UNCERTAIN, object_codes
from trajmeter.arrays.text import coded, text_scalar
from trajmeter.kernels import NO_NUMBER, TURN_COUNTS
from trajmeter.metrics.tools.arguments import Malformed, keyed_arguments
from trajmeter.metrics.turns.result import MULTIPLE_CODE_BLOCKS, NO_CODE_FOUND, PARSE_ERROR

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pydantic import JsonValue

    from trajmeter.arrays import Array
    from trajmeter.kernels import Float64Array, Int64Array, Kernels

__all__ = ["TurnColumns", "TurnTable", "analyse_columns", "turn_columns"]

# Calls whose arguments are compared at a time; more would burden the garbage collector.
_BLOCK = 2_048

_NO_ARGUMENTS = text_scalar("{}")

_RATES = {
    "parse_failure_rate": ("parse_failures", "turns"),
    "no_code_rate": ("no_code_turns", "turns"),
    "multi_code_block_rate": ("multi_code_block_turns", "turns"),
    "recovered_errors": ("recovered_failures", "followed_failures"),
    "repeated_tool_calls": ("repeated_calls", "calls"),
    "tool_call_success_rate": ("successful_calls", "known_calls"),
}
"""Each rate with its numerator and denominator."""


class TurnColumns(NamedTuple):
    """Turns of many runs, one column per property.

    All arrays are flat ``int64``. Texts are replaced by codes from 0.
    """

    success: Int64Array
    """1 if the turn succeeded, 0 if it failed, -1 if unknown; one value per turn."""
    program: Int64Array
    """1 if the turn has a program, otherwise 0; one value per turn."""
    reason: Int64Array
    """Index in ``reasons`` of each turn's reason; -1 if it has none."""
    error: Int64Array
    """Code of each turn's reason and message together; -1 if it has neither."""
    number: Int64Array
    """Each turn's recorded number, or ``NO_NUMBER`` to use its position."""
    call_success: Int64Array
    """1, 0 or -1 for each call, as for turns."""
    call: Int64Array
    """Code of each call's name and arguments together, or -1 if the arguments are not a JSON
    object; only codes within a run are comparable."""
    call_offsets: Int64Array
    """Turn i has the calls ``[call_offsets[i], call_offsets[i + 1])``."""
    run_offsets: Int64Array
    """Run i has the turns ``[run_offsets[i], run_offsets[i + 1])``."""
    reasons: tuple[str, ...]
    """Names of the reasons, sorted: of equally frequent ones, the first is dominant."""


class TurnTable(NamedTuple):
    """Figures of many runs; :class:`TurnsResult` has those of one."""

    counts: dict[str, Int64Array]
    """Each of ``TURN_COUNTS``, one value per run."""
    rates: dict[str, Float64Array]
    """Each rate, one value per run; NaN if the denominator is 0."""
    reasons: tuple[str, ...]
    """Names of the reasons."""
    reason: Int64Array
    """Reasons of each run, as indices in ``reasons``."""
    carried: Int64Array
    """Number of turns with each of these reasons."""
    failed: Int64Array
    """Number of failed turns with each of these reasons."""
    reason_offsets: Int64Array
    """Run i has the reasons ``[reason_offsets[i], reason_offsets[i + 1])``."""


def analyse_columns(columns: TurnColumns, *, backend: Kernels | None = None) -> TurnTable:
    """Compute the figures of every run that depend on its turns.

    The other figures (budget, tokens, whether it passed) are read from columns of the run.

    Args:
        columns: Turns of the runs.
        backend: Kernels to compute with; ``None`` for those of this process.

    Raises:
        ArrayError: A column is not a flat ``int64`` array, or its length does not match the others.
        OffsetsError: Offsets decrease or are out of range.
        InputError: A value is not an allowed code; the message names the first one.
    """
    backend = backend or kernels.active()
    place = {name: at for at, name in enumerate(columns.reasons)}
    special = [place.get(name, -1) for name in (PARSE_ERROR, NO_CODE_FOUND, MULTIPLE_CODE_BLOCKS)]
    table, reason, carried, failed, reason_offsets = backend.turn_counts(
        columns.success,
        columns.program,
        columns.reason,
        columns.error,
        columns.number,
        columns.call_success,
        columns.call,
        columns.call_offsets,
        columns.run_offsets,
        np.array(special, np.int64),
        len(columns.reasons),
    )
    by_count = np.ascontiguousarray(table.reshape(-1, len(TURN_COUNTS)).T)
    counts = dict(zip(TURN_COUNTS, by_count, strict=True))
    rates = {name: _rate(counts[part], counts[whole]) for name, (part, whole) in _RATES.items()}
    return TurnTable(counts, rates, columns.reasons, reason, carried, failed, reason_offsets)


def _rate(part: Int64Array, whole: Int64Array) -> Float64Array:
    with np.errstate(invalid="ignore"):  # only 0 / 0 occurs, which is NaN
        rate: Float64Array = part / whole
    return rate


def turn_columns(turns: Array) -> TurnColumns:
    """Encode the turns of many runs.

    Args:
        turns: The column ``turns`` of :func:`trajmeter.schemas.trajectory_schema`, of valid rows; a
            null is treated as an empty list.
    """
    each, run_offsets = ragged(turns)
    success, program, number, error, tool_calls = (
        field(each, name) for name in ("success", "program", "number", "error", "tool_calls")
    )
    calls, call_offsets = ragged(tool_calls)
    names, reasons = _reasons(field(error, "reason"))
    return TurnColumns(
        success=_success(success),
        program=present(program).astype(np.int64),
        reason=reasons,
        error=_errors(reasons, len(names), field(error, "message")),
        number=filled(number, NO_NUMBER),
        call_success=_outcomes(calls),
        call=_identities(calls, call_offsets[run_offsets]),
        call_offsets=call_offsets,
        run_offsets=run_offsets,
        reasons=names,
    )


def _reasons(column: Array) -> tuple[tuple[str, ...], Int64Array]:
    """The distinct reasons, sorted, and the index of each turn's reason in them."""
    texts, codes = coded(column)
    order = sorted(range(len(texts)), key=texts.__getitem__)
    places = np.full(len(texts) + 1, -1, np.int64)  # null has code -1, the last item
    places[order] = np.arange(len(texts))
    return tuple(texts[at] for at in order), places[codes]


def _errors(reasons: Int64Array, names: int, messages: Array) -> Int64Array:
    """Code of each turn's reason and message together; -1 if it has neither."""
    if messages.null_count == len(messages):
        return reasons
    codes = coded(messages).codes
    together: Int64Array = (codes + 1) * (names + 1) + reasons + 1
    return together - 1


def _success(column: Array) -> Int64Array:
    values = flags(column).astype(np.int64)
    if column.null_count:
        values[~present(column)] = -1
    return values


def _outcomes(calls: Array) -> Int64Array:
    """Whether each call succeeded; one with an error and unknown success failed."""
    success = _success(field(calls, "success"))
    failed = (success < 0) & present(field(calls, "error"))
    return np.where(failed, 0, success)


def _identities(calls: Array, bounds: Int64Array) -> Int64Array:
    """Code of each call's name and arguments together; -1 if the arguments are not a JSON object.

    Args:
        calls: The calls.
        bounds: Offsets of each run's calls. Only codes within a run are comparable.
    """
    if not len(calls):
        return np.zeros(0, np.int64)
    names = coded(field(calls, "name")).codes
    arguments = call_function("coalesce", [field(calls, "arguments"), _NO_ARGUMENTS])
    different = object_codes(arguments, runs=bounds)
    for start, stop in _blocks(different, bounds):
        different[start:stop] = _codes(arguments.slice(start, stop - start))
    most = different.max(initial=0) + 1
    together: Int64Array = np.where(different < 0, -1, names * most + different)
    return together


def _blocks(codes: Int64Array, bounds: Int64Array) -> list[tuple[int, int]]:
    """Blocks of whole runs that contain an uncertain code, small enough to hold few keys."""
    is_border = np.diff(bounds // _BLOCK, prepend=-1) > 0
    borders = [*bounds[is_border].tolist(), int(bounds[-1])]
    return [
        (start, stop) for start, stop in pairwise(borders) if (codes[start:stop] == UNCERTAIN).any()
    ]


def _codes(arguments: Array) -> Int64Array:
    """Code of the JSON object in each text; -1 if it is not an object."""
    texts, codes = coded(arguments)
    different: dict[Hashable, int] = {}
    places = []
    for text in texts:
        key = _key(json_input.parse(text.encode()))
        places.append(-1 if key is None else different.setdefault(key, len(different)))
    return np.array(places, np.int64)[codes]


def _key(arguments: JsonValue) -> Hashable:
    read = keyed_arguments(arguments)
    return None if isinstance(read, Malformed) else read[1]
