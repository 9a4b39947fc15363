"""The twin: every kernel in Python, with the standard library. It is the specification.

numpy appears at the edges only, to take the numbers out of arrays and to put results back.
"""

from __future__ import annotations

from trajmeter.kernels._python.assignment import assign
from trajmeter.kernels._python.context import context
from trajmeter.kernels._python.levels import level_advantages
from trajmeter.kernels._python.lines import (
    bytes_to_lines,
    line_starts,
    lines_to_bytes,
    lines_to_bytes_batched,
)
from trajmeter.kernels._python.means import check_values, gmean, gmean_grouped
from trajmeter.kernels._python.overlap import overlap_join
from trajmeter.kernels._python.sequences import (
    align,
    align_matches,
    edit_distance,
    edit_distance_matches,
)
from trajmeter.kernels._python.spans import (
    check_spans,
    difference,
    difference_batched,
    intersection,
    intersection_batched,
    intersection_measure,
    intersection_measure_batched,
    measure,
    measure_batched,
    union,
    union_batched,
)
from trajmeter.kernels._python.trajectory import trajectory, trajectory_figures
from trajmeter.kernels._python.turns import turn_counts

__all__ = [
    "align",
    "align_matches",
    "assign",
    "bytes_to_lines",
    "check_spans",
    "check_values",
    "context",
    "difference",
    "difference_batched",
    "edit_distance",
    "edit_distance_matches",
    "gmean",
    "gmean_grouped",
    "intersection",
    "intersection_batched",
    "intersection_measure",
    "intersection_measure_batched",
    "level_advantages",
    "line_starts",
    "lines_to_bytes",
    "lines_to_bytes_batched",
    "measure",
    "measure_batched",
    "overlap_join",
    "trajectory",
    "trajectory_figures",
    "turn_counts",
    "union",
    "union_batched",
]
