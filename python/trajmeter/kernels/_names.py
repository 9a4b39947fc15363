"""The names of the kernels, apart from their contract: importing that one takes far longer."""

from __future__ import annotations

__all__ = ["KERNEL_NAMES"]

KERNEL_NAMES = (
    "measure",
    "measure_batched",
    "union",
    "union_batched",
    "intersection",
    "intersection_batched",
    "difference",
    "difference_batched",
    "line_starts",
    "bytes_to_lines",
    "gmean",
    "gmean_grouped",
    "cluster_means",
    "sign_flips",
    "level_advantages",
    "trajectory",
    "trajectory_figures",
    "turn_counts",
    "align",
    "align_matches",
    "edit_distance",
    "edit_distance_matches",
    "assign",
    "edited_lines",
    "likeness",
    "context_files",
    "context",
    "context_batch",
    "edit_gold",
    "edit_counts",
)
"""Every kernel, in the order of :class:`trajmeter.kernels.Kernels`."""
