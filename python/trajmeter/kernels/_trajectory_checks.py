"""The checks of the arguments of the trajectory kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.kernels import _checks

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import Int64Array

__all__ = ["step_sizes", "steps"]


def steps(
    key: Int64Array,
    start: Int64Array,
    end: Int64Array,
    step_offsets: Int64Array,
    trajectory_offsets: Int64Array,
    gold_key: Int64Array,
    gold_start: Int64Array,
    gold_end: Int64Array,
    gold_offsets: Int64Array,
) -> None:
    """Raise ``ArrayError`` or ``OffsetsError`` unless these are steps of trajectories, and gold."""
    _checks.keyed_spans(key, start, end)
    _checks.offsets(step_offsets, len(start), "step_offsets", "spans")
    _checks.offsets(trajectory_offsets, len(step_offsets) - 1, "trajectory_offsets", "steps")
    _checks.keyed_spans(gold_key, gold_start, gold_end, "gold_")
    _checks.offsets(gold_offsets, len(gold_start), "gold_offsets", "gold spans")
    _checks.same_length(trajectory_offsets, "trajectory_offsets", gold_offsets, "gold_offsets")


def step_sizes(
    size: Int64Array,
    added: Int64Array,
    gold_added: Int64Array,
    gold_size: Int64Array,
    trajectory_offsets: Int64Array,
) -> None:
    """Raise ``ArrayError`` or ``OffsetsError`` unless these are sizes of steps, and of gold."""
    _checks.integers(size, "size")
    _checks.integers(added, "added")
    _checks.same_length(size, "size", added, "added")
    _checks.integers(gold_added, "gold_added")
    _checks.same_length(size, "size", gold_added, "gold_added")
    _checks.integers(gold_size, "gold_size")
    _checks.step_offsets(trajectory_offsets, len(size), len(gold_size))
