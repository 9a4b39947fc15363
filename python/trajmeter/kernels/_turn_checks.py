"""The checks of the arguments of the kernel of turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ArrayError
from trajmeter.kernels import _checks

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import Int64Array

__all__ = ["turns"]


def turns(
    success: Int64Array,
    program: Int64Array,
    reason: Int64Array,
    error: Int64Array,
    number: Int64Array,
    call_success: Int64Array,
    call: Int64Array,
    call_offsets: Int64Array,
    run_offsets: Int64Array,
    unreadable: Int64Array,
    reasons: int,
) -> None:
    """Raise ``ArrayError`` or ``OffsetsError`` unless these are turns of runs, with their calls."""
    _checks.integers(success, "success")
    columns = {"program": program, "reason": reason, "error": error, "number": number}
    for name, column in columns.items():
        _checks.integers(column, name)
        _checks.same_length(success, "success", column, name)
    _checks.offsets(run_offsets, len(success), "run_offsets", "turns")
    _checks.integers(call_success, "call_success")
    _checks.integers(call, "call")
    _checks.same_length(call_success, "call_success", call, "call")
    _checks.offsets(call_offsets, len(call), "call_offsets", "calls")
    if len(call_offsets) != len(success) + 1:
        raise ArrayError(
            f"call_offsets has {len(call_offsets)} values, expected {len(success) + 1}, one more "
            "than there are turns"
        )
    _checks.integers(unreadable, "unreadable")
    _checks.matrix(len(unreadable), "unreadable", 1, 3)
    _checks.size(reasons, "reasons")
