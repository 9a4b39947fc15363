"""Profiles of the speedup metrics: the default, and how fc-eval differs from it."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["PROFILES", "SpeedupProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedupProfile(Profile):
    """Options for which benchmarks an attempt is scored by, when it failed, and how runs count."""

    scores_merged_tables: bool = False
    """Whether an attempt is scored by the merge of its trial's files, in which an agent may get
    another's benchmarks, and missing figures count as speedup 1 and advantage 0; otherwise, only by
    its own table."""
    uncounted_tests_fail: bool = False
    """Whether captured tests that were not run, or with exactly one error, are failures."""
    missing_snapshot_fails: bool = False
    """Whether an attempt failed its snapshot if neither snapshot nor tests were recorded."""
    any_cost_counts: bool = False
    """Whether every recorded cost counts, even if negative or not finite."""
    ignores_turns: bool = False
    """Whether tokens and costs of turns are ignored, instead of summed."""
    counts_each_attempt: bool = False
    """Whether a run counts each attempt by itself, and its last agent decides whether a trial is
    resolved; otherwise the attempts at a task are averaged."""


PROFILES = (
    SpeedupProfile(),
    SpeedupProfile(
        name="fc-eval",
        scores_merged_tables=True,
        uncounted_tests_fail=True,
        missing_snapshot_fails=True,
        any_cost_counts=True,
        ignores_turns=True,
        counts_each_attempt=True,
    ),
)
"""The default, then fc-eval."""
