"""Checks of arguments that only together make sense, such as spans and their offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ArrayError
from trajmeter.kernels import _checks

if TYPE_CHECKING:
    from trajmeter.kernels._contract import BoolArray, Int64Array

__all__ = [
    "call_columns",
    "codes",
    "figure_offsets",
    "keyed",
    "matches",
    "ranges",
    "rows",
    "turn_columns",
]


def codes(reference: Int64Array, actual: Int64Array) -> None:
    """Raise unless these are the codes of two sequences."""
    _checks.integers(reference, "reference")
    _checks.integers(actual, "actual")


def matches(flags: BoolArray, rows: int, columns: int) -> None:
    """Raise unless this is a matrix of truth values, of so many rows and columns."""
    _checks.flags(flags, "matches")
    _checks.matrix(len(flags), "matches", rows, columns)


def keyed(key: Int64Array, start: Int64Array, end: Int64Array, prefix: str = "") -> None:
    """Raise unless these are spans with a key each."""
    _checks.integers(key, f"{prefix}key")
    _checks.spans(start, end, prefix)
    _checks.same_length(start, f"{prefix}start", key, f"{prefix}key")


def rows(start: Int64Array, end: Int64Array, offsets: Int64Array, prefix: str = "") -> None:
    """Raise unless these are rows of spans."""
    _checks.spans(start, end, prefix)
    _checks.offsets(offsets, len(start), f"{prefix}offsets", "spans")


def ranges(first: Int64Array, last: Int64Array) -> None:
    """Raise unless these are ranges of lines."""
    _checks.integers(first, "first")
    _checks.integers(last, "last")
    _checks.same_length(first, "first", last, "last")


def figure_offsets(offsets: Int64Array, steps: int, trajectories: int) -> None:
    """Check offsets into figures, which have one element per step of these trajectories."""
    _checks.integers(offsets, "trajectory_offsets")
    first = int(offsets[0]) if len(offsets) else 0
    _checks.offsets(offsets, first + steps, "trajectory_offsets", "steps")
    if int(offsets[-1]) != first + steps:
        raise ArrayError(
            f"size has {steps} values, expected {int(offsets[-1]) - first}, the number of steps "
            "in trajectory_offsets"
        )
    if trajectories != len(offsets) - 1:
        raise ArrayError(
            f"gold_size has {trajectories} values, expected {len(offsets) - 1}, one less than "
            "trajectory_offsets"
        )


def turn_columns(
    success: Int64Array,
    program: Int64Array,
    reason: Int64Array,
    error: Int64Array,
    number: Int64Array,
    run_offsets: Int64Array,
) -> None:
    """Raise unless these are columns of turns, as many each, cut into runs."""
    _checks.integers(success, "success")
    for name, column in (
        ("program", program),
        ("reason", reason),
        ("error", error),
        ("number", number),
    ):
        _checks.integers(column, name)
        _checks.same_length(success, "success", column, name)
    _checks.offsets(run_offsets, len(success), "run_offsets", "turns")


def call_columns(
    call_success: Int64Array, call: Int64Array, call_offsets: Int64Array, turns: int
) -> None:
    """Raise unless these are columns of calls, as many each, cut into so many turns."""
    _checks.integers(call_success, "call_success")
    _checks.integers(call, "call")
    _checks.same_length(call_success, "call_success", call, "call")
    _checks.offsets(call_offsets, len(call), "call_offsets", "calls")
    if len(call_offsets) != turns + 1:
        raise ArrayError(
            f"call_offsets has {len(call_offsets)} values, expected {turns + 1}, one more than "
            "there are turns"
        )
