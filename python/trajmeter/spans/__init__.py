"""Byte spans: sets of one file, many sets at once, and spans seen step by step."""

from __future__ import annotations

from trajmeter.kernels import SpanBatch, TrajectoryArrays, TrajectoryFigureArrays
from trajmeter.spans.batches import (
    KeyedSpans,
    difference_batched,
    intersection_batched,
    measure_batched,
    trajectory,
    trajectory_figures,
    union_batched,
)
from trajmeter.spans.span_set import SpanSet, difference, intersection, measure, union

__all__ = [
    "KeyedSpans",
    "SpanBatch",
    "SpanSet",
    "TrajectoryArrays",
    "TrajectoryFigureArrays",
    "difference",
    "difference_batched",
    "intersection",
    "intersection_batched",
    "measure",
    "measure_batched",
    "trajectory",
    "trajectory_figures",
    "union",
    "union_batched",
]
