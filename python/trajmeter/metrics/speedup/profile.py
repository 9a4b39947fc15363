"""Profiles of the speedup metrics: the default, and where fc-eval departs from it."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["PROFILES", "SpeedupProfile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedupProfile(Profile):
    """Whose benchmarks an attempt is scored by, when it failed, and what of a run counts."""

    scores_merged_tables: bool = False
    """Whether an attempt is scored by the merge of its trial's files, in which an agent may get
    another's benchmarks and what is missing counts as speedup 1 and advantage 0; otherwise by its
    own table alone."""
    uncounted_tests_fail: bool = False
    """Whether captured tests that were not run, or that have exactly one error, are failures."""
    missing_snapshot_fails: bool = False
    """Whether an attempt failed its snapshot where neither that nor its tests are recorded."""
    any_cost_counts: bool = False
    """Whether every recorded cost counts, also one below 0 or not finite."""
    ignores_turns: bool = False
    """Whether the tokens and costs of turns are never added up."""
    counts_each_attempt: bool = False
    """Whether a run counts each attempt by itself, and a trial as resolved where its last agent
    says so; otherwise the attempts at a task count together."""


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
