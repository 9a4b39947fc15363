"""Many sets of spans in one call, held as flat ``int64`` arrays and the offsets of their rows.

Arrays are borrowed, never copied, and must not change during a call. Large batches use threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trajmeter.kernels import active

if TYPE_CHECKING:
    from trajmeter.kernels import (
        Int64Array,
        SpanBatch,
        TrajectoryArrays,
        TrajectoryFigureArrays,
    )

__all__ = [
    "KeyedSpans",
    "difference_batched",
    "intersection_batched",
    "measure_batched",
    "trajectory",
    "trajectory_figures",
    "union_batched",
]


class KeyedSpans(NamedTuple):
    """Spans of several files, in three arrays of one length."""

    key: Int64Array
    """Number of each span's file, 0 or more; numbers need not be dense."""
    start: Int64Array
    """First byte of each span."""
    end: Int64Array
    """The byte after the last of each span."""


def measure_batched(spans: SpanBatch) -> Int64Array:
    """Count the bytes that each row of spans covers; bytes that several spans cover count once.

    Args:
        spans: Rows of spans, each in any order. Spans outside all rows are ignored.

    Raises:
        ArrayError: An array is not a flat ``int64`` array, or ``end`` not as long as ``start``.
        OffsetsError: The offsets are empty, decrease, or lead outside the spans.
        NegativeSpanError: A span begins before byte 0; its position among all spans is named.
        ReversedSpanError: A span ends before it begins; its position is named.

    Example:
        >>> import numpy as np
        >>> from trajmeter.spans import SpanBatch
        >>> rows = SpanBatch(np.array([0, 8, 30]), np.array([10, 20, 40]), np.array([0, 2, 3]))
        >>> measure_batched(rows).tolist()
        [20, 10]
    """
    return active().measure_batched(*spans)


def union_batched(spans: SpanBatch) -> SpanBatch:
    """Merge each row of spans into sorted ones that neither overlap nor touch.

    Arguments and errors are those of :func:`measure_batched`.
    """
    return active().union_batched(*spans)


def intersection_batched(spans: SpanBatch, others: SpanBatch) -> SpanBatch:
    """Find the bytes that each row shares with its partner.

    Args:
        spans: Rows of spans, each in any order.
        others: Equally many rows; row i is the partner of row i. Errors call its arrays
            ``other_start``, ``other_end`` and ``other_offsets``.

    Raises:
        ArrayError: As for :func:`measure_batched`, or the numbers of rows differ.
        OffsetsError: The offsets are empty, decrease, or lead outside the spans.
        NegativeSpanError: A span begins before byte 0; its position among all spans is named.
        ReversedSpanError: A span ends before it begins; its position is named.
    """
    return active().intersection_batched(*spans, *others)


def difference_batched(spans: SpanBatch, others: SpanBatch) -> SpanBatch:
    """Find the bytes that each row covers and its partner does not.

    Arguments and errors are those of :func:`intersection_batched`.
    """
    return active().difference_batched(*spans, *others)


def trajectory(
    spans: KeyedSpans,
    *,
    step_offsets: Int64Array,
    trajectory_offsets: Int64Array,
    gold: KeyedSpans,
    gold_offsets: Int64Array,
) -> TrajectoryArrays:
    """Measure the steps of many trajectories: their size, and how much is new and gold.

    Args:
        spans: What all steps viewed.
        step_offsets: Step i viewed the spans ``step_offsets[i]`` to ``step_offsets[i + 1]``.
        trajectory_offsets: Trajectory i has the steps ``trajectory_offsets[i]`` to
            ``trajectory_offsets[i + 1]``, in chronological order.
        gold: What should have been viewed; errors call its arrays ``gold_key`` and so on.
        gold_offsets: Trajectory i has the gold ``gold_offsets[i]`` to ``gold_offsets[i + 1]``.

    Raises:
        ArrayError: An array is not a flat ``int64`` array, or arrays differ in length.
        OffsetsError: Offsets are empty, decrease, or lead outside what they split.
        NegativeSpanError: A span begins before byte 0.
        ReversedSpanError: A span ends before it begins.
        NegativeKeyError: A key is negative.
        TotalOverflowError: The sizes of a trajectory add up to more than 64 bits can hold.
    """
    return active().trajectory(*spans, step_offsets, trajectory_offsets, *gold, gold_offsets)


def trajectory_figures(
    measured: TrajectoryArrays, trajectory_offsets: Int64Array
) -> TrajectoryFigureArrays:
    """Compute coverage, AUC-coverage and redundancy from what :func:`trajectory` measured.

    Args:
        measured: What :func:`trajectory` returned.
        trajectory_offsets: The offsets it was called with.

    Raises:
        ArrayError: An array is not a flat ``int64`` array, or the arrays do not belong to one
            batch.
        OffsetsError: The offsets are empty, decrease, or lead outside the steps.
    """
    return active().trajectory_figures(*measured, trajectory_offsets)
