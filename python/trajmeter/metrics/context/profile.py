"""Profiles of the context metrics: the default, and where ContextBench departs from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.metrics.profile import Profile

if TYPE_CHECKING:
    from trajmeter.kernels import ContextRules

__all__ = ["PROFILES", "ContextProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextProfile(Profile):
    """How views, gold and sizes become figures."""

    rules: ContextRules = "default"
    """Rules of the kernel: how lines are cut into bytes, which definitions a view touches, and what
    the steps and the final context are where an attempt lacks them."""
    takes_any_file_left: bool = False
    """Whether a path means the first file that is left as its leading folders are dropped, bare
    names included, and paths of gold are taken as they are, without a search."""
    keeps_empty_definitions: bool = False
    """Whether definitions without a byte count."""
    lines_of_initial_gold: bool = False
    """Whether lines are compared with the initial gold ranges alone, instead of all."""
    counts_reversed_lines: bool = False
    """Whether reversed ranges count a negative number of lines, instead of nothing."""
    declared_final_only: bool = False
    """Whether only final views make a final context; otherwise all views do where there are
    none."""
    voids_whole_attempt: bool = False
    """Whether an attempt without gold, snapshot or final context has no figures at all."""
    empty_ratio: float | None = None
    """What stands for a ratio whose denominator is not above 0."""
    empty_line_coverage: float | None = None
    """The same for the steps' coverage of lines where gold has no lines at all."""
    empty_redundancy: float | None = None
    """The same for redundancy."""
    gold_patch_stands_in: bool = False
    """Whether an attempt without a patch gets the score of the gold patch."""
    scores_every_deletion: bool = False
    """Whether deleted lines are scored 0 without gold, or without a readable diff."""


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
