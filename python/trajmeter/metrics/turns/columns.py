"""Turn analysis of many runs from columns: tens of millions of turns without an object a turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter import kernels
from trajmeter.kernels import NO_NUMBER, TURN_COUNTS
from trajmeter.metrics.tools.calls import read_calls
from trajmeter.metrics.turns.analysis import MULTIPLE_CODE_BLOCKS, NO_CODE_FOUND, PARSE_ERROR

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from trajmeter.kernels import Float64Array, Int64Array, Kernels
    from trajmeter.records import ToolCall, Turn

__all__ = ["TurnColumns", "TurnTable", "analyse_columns"]

_RATES = {
    "parse_failure_rate": ("parse_failures", "turns"),
    "no_code_rate": ("no_code_turns", "turns"),
    "multi_code_block_rate": ("multi_code_block_turns", "turns"),
    "recovered_errors": ("recovered_failures", "followed_failures"),
    "repeated_tool_calls": ("repeated_calls", "calls"),
    "tool_call_success_rate": ("successful_calls", "known_calls"),
}
"""Each rate with the counts that it divides."""


@dataclass(frozen=True, slots=True, eq=False)
class TurnColumns:
    """Turns of many runs, a column for each of their properties.

    All arrays are flat ``int64``. Texts are coded by who fills the columns, from 0.
    """

    success: Int64Array
    """Of each turn 1 where it succeeded, 0 where it failed, -1 where that is unknown."""
    program: Int64Array
    """Of each turn 1 where it has a program, else 0."""
    reason: Int64Array
    """Place in ``reasons`` of the reason each turn carries, or -1."""
    error: Int64Array
    """Code of each turn's reason and message together, or -1 where it has neither."""
    number: Int64Array
    """Each turn's own number, or ``NO_NUMBER`` where its position counts."""
    call_success: Int64Array
    """Of each call 1, 0 or -1, as for turns."""
    call: Int64Array
    """Code of each call's name and arguments together, or -1 where these are no JSON object; calls
    of different runs may share one."""
    call_offsets: Int64Array
    """Turn i has the calls ``[call_offsets[i], call_offsets[i + 1])``."""
    run_offsets: Int64Array
    """Run i has the turns ``[run_offsets[i], run_offsets[i + 1])``."""
    reasons: tuple[str, ...]
    """Names of the reasons, sorted: of equally frequent ones the first dominates."""

    @classmethod
    def of(cls, runs: Iterable[Sequence[Turn]]) -> TurnColumns:
        """Fill the columns from runs, each given by its turns."""
        listed = list(runs)
        turns = [turn for run in listed for turn in run]
        calls = [call for turn in turns for call in turn.tool_calls]
        read = read_calls(calls)
        reasons = [turn.error.reason if turn.error is not None else None for turn in turns]
        names = tuple(sorted({reason for reason in reasons if reason is not None}))
        place = {name: at for at, name in enumerate(names)}
        errors = [_error(turn) for turn in turns]
        identities = [
            None if key is None else (name, key)
            for name, key in zip(read.names, read.keys, strict=True)
        ]
        return cls(
            success=_array([_coded_success(turn.success) for turn in turns]),
            program=_array([turn.program is not None for turn in turns]),
            reason=_array([-1 if reason is None else place[reason] for reason in reasons]),
            error=_coded(errors),
            number=_array([NO_NUMBER if turn.number is None else turn.number for turn in turns]),
            call_success=_array([_coded_outcome(call) for call in calls]),
            call=_coded(identities),
            call_offsets=_offsets([len(turn.tool_calls) for turn in turns]),
            run_offsets=_offsets([len(run) for run in listed]),
            reasons=names,
        )


@dataclass(frozen=True, slots=True, eq=False)
class TurnTable:
    """Figures of many runs, as :class:`TurnsResult` has them of one."""

    counts: dict[str, Int64Array]
    """Each of ``TURN_COUNTS``, with one value a run."""
    rates: dict[str, Float64Array]
    """Each rate, with one value a run; NaN where there is nothing to divide by."""
    reasons: tuple[str, ...]
    """Names of the reasons."""
    reason: Int64Array
    """Reasons of each run, as places in ``reasons``."""
    carried: Int64Array
    """Turns that carry each of them."""
    failed: Int64Array
    """Turns that failed with each of them."""
    reason_offsets: Int64Array
    """Run i has the reasons ``[reason_offsets[i], reason_offsets[i + 1])``."""

    def __len__(self) -> int:
        return len(self.reason_offsets) - 1

    def figures(self, run: int) -> dict[str, Any]:
        """Figures of one run, by the names that :class:`TurnsResult` gives them."""
        count = {name: int(column[run]) for name, column in self.counts.items()}
        rates = {name: float(column[run]) for name, column in self.rates.items()}
        part = slice(int(self.reason_offsets[run]), int(self.reason_offsets[run + 1]))
        names = [self.reasons[code] for code in self.reason[part].tolist()]
        failed = dict(zip(names, self.failed[part].tolist(), strict=True))
        valid, dominant, first_call = (
            count[name] for name in ("first_turn_valid", "dominant_error", "first_call")
        )
        return {
            "recorded_turns": count["turns"],
            "first_turn_valid": None if valid < 0 else bool(valid),
            "parse_failures": count["parse_failures"],
            "no_code_turns": count["no_code_turns"],
            "multi_code_block_turns": count["multi_code_block_turns"],
            "error_turns": dict(zip(names, self.carried[part].tolist(), strict=True)),
            "error_breakdown": {name: turns for name, turns in failed.items() if turns},
            "dominant_error": None if dominant < 0 else self.reasons[dominant],
            "has_failed_turn": count["failed_turns"] > 0,
            "turns_to_first_tool_call": None if first_call == NO_NUMBER else first_call,
            "followed_failures": count["followed_failures"],
            "recovered_failures": count["recovered_failures"],
            "repeated_failures": count["repeated_failures"],
            "recorded_calls": count["calls"],
            "repeated_calls": count["repeated_calls"],
            "successful_calls": count["successful_calls"],
            "known_calls": count["known_calls"],
            **{name: None if np.isnan(rate) else rate for name, rate in rates.items()},
        }


def analyse_columns(columns: TurnColumns, *, backend: Kernels | None = None) -> TurnTable:
    """Compute the figures of every run that are made of its turns.

    The run's own figures (budget, tokens, whether it passed) are columns already.

    Args:
        columns: Turns of the runs.
        backend: Kernels to compute with; ``None`` for those of this process.

    Raises:
        ArrayError: A column is no flat ``int64`` array, or its length does not fit the others.
        OffsetsError: Offsets decrease, or lead outside their values.
        InputError: A value is none of its choices; the first one is named.

    Example:
        >>> from trajmeter.records import Failure, Turn
        >>> failed = Turn(success=False, error=Failure(reason="parse_error"))
        >>> columns = TurnColumns.of([[failed, Turn(success=True, program="x")], []])
        >>> analyse_columns(columns).rates["parse_failure_rate"]
        array([0.5, nan])
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
        _array(special),
        len(columns.reasons),
    )
    by_run = table.reshape(-1, len(TURN_COUNTS))
    counts = {name: by_run[:, at] for at, name in enumerate(TURN_COUNTS)}
    rates = {name: _rate(counts[part], counts[whole]) for name, (part, whole) in _RATES.items()}
    return TurnTable(counts, rates, columns.reasons, reason, carried, failed, reason_offsets)


def _rate(part: Int64Array, whole: Int64Array) -> Float64Array:
    with np.errstate(invalid="ignore"):  # of nothing there is no part either, and 0 / 0 is NaN
        rate: Float64Array = part / whole
    return rate


def _error(turn: Turn) -> Hashable:
    error = turn.error
    if error is None or (error.reason is None and error.message is None):
        return None
    return error.reason, error.message


def _coded_success(success: bool | None) -> int:  # noqa: FBT001 - the value is what is coded
    return -1 if success is None else int(success)


def _coded_outcome(call: ToolCall) -> int:
    if call.success is None and call.error is not None:
        return 0
    return _coded_success(call.success)


def _coded(values: Sequence[Hashable]) -> Int64Array:
    codes: dict[Hashable, int] = {}
    return _array(
        [-1 if value is None else codes.setdefault(value, len(codes)) for value in values]
    )


def _array(values: Sequence[int]) -> Int64Array:
    return np.array(values, np.int64)


def _offsets(lengths: Sequence[int]) -> Int64Array:
    return np.cumsum([0, *lengths], dtype=np.int64)
