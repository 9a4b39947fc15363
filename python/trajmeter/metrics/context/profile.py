"""Profiles of the context metrics: the default, and how ContextBench differs from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.metrics.profile import Profile

if TYPE_CHECKING:
    from trajmeter.kernels import ContextRules

__all__ = ["PROFILES", "ContextProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextProfile(Profile):
    """Options that decide how figures are computed from views and gold."""

    rules: ContextRules = "default"
    """Rules of the kernel: how lines map to bytes, which definitions a view touches, and what
    replaces the steps or the final context if an attempt lacks them."""
    takes_any_file_left: bool = False
    """Whether a path refers to the first file found as its leading folders are dropped, including
    bare names, and gold paths are not looked up."""
    keeps_empty_definitions: bool = False
    """Whether definitions of zero length count."""
    lines_of_initial_gold: bool = False
    """Whether lines are compared only with the initial gold ranges, instead of all ranges."""
    counts_reversed_lines: bool = False
    """Whether reversed ranges have a negative number of lines, instead of none."""
    declared_final_only: bool = False
    """Whether the final context consists only of final views; otherwise, without final views, it is
    the union of all views."""
    voids_whole_attempt: bool = False
    """Whether an attempt without gold, snapshot or final context has no figures at all."""
    empty_ratio: float | None = None
    """Value of a ratio whose denominator is 0 or less."""
    empty_line_coverage: float | None = None
    """Line coverage of the steps if gold has no lines at all."""
    empty_redundancy: float | None = None
    """Redundancy if its denominator is 0 or less."""
    gold_patch_stands_in: bool = False
    """Whether an attempt without a patch is scored with the gold patch."""
    scores_every_deletion: bool = False
    """Whether deleted lines are scored 0 without gold or without a readable diff, instead of
    abstaining or assigning."""


PROFILES = (
    ContextProfile(),
    ContextProfile(
        name="contextbench",
        rules="as_written",
        takes_any_file_left=True,
        keeps_empty_definitions=True,
        lines_of_initial_gold=True,
        counts_reversed_lines=True,
        declared_final_only=True,
        voids_whole_attempt=True,
        empty_ratio=1.0,
        empty_line_coverage=0.0,
        empty_redundancy=0.0,
        gold_patch_stands_in=True,
        scores_every_deletion=True,
    ),
)
"""The default, then ContextBench, quirks included."""
