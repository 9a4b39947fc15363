"""The names of the kernels, and the constants that they and their callers agree on.

Importing it is quick, as the arrays and the contract need numpy.
"""

from __future__ import annotations

__all__ = [
    "GMEAN_RELATIVE_TOLERANCE",
    "INT64_MAX",
    "KERNEL_NAMES",
    "LARGEST_POSITION",
    "NO_NUMBER",
    "TURN_COUNTS",
]

INT64_MAX = 2**63 - 1
"""The largest number that arrays of 64-bit integers can hold."""

LARGEST_POSITION = 2**62
"""Largest line or byte of a file. Numbers in logs are clamped to it, so that sums of a few of them
fit in 64 bits."""


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

TURN_COUNTS = (
    "turns",
    "first_turn_valid",
    "first_program",
    "parse_failures",
    "no_code_turns",
    "multi_code_block_turns",
    "failed_turns",
    "dominant_error",
    "followed_failures",
    "recovered_failures",
    "repeated_failures",
    "first_recorded_call",
    "first_call",
    "calls",
    "repeated_calls",
    "successful_calls",
    "known_calls",
)
"""The counts of each run. ``first_turn_valid`` is 1, 0, or -1 if unknown; ``dominant_error`` is the
code of a reason, or -1. ``first_recorded_call`` is the number of the first turn with a call, and
``first_call`` that of the first turn with a call that did not fail; or ``NO_NUMBER``."""

NO_NUMBER = -(2**63)
"""Represents a turn without a recorded number, or a missing turn."""

GMEAN_RELATIVE_TOLERANCE = 1e-14
"""Maximum relative difference between the geometric means of the two backends.

Both multiply the same mantissas, but in another order, and round differently.
"""
