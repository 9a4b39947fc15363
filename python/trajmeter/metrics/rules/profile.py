"""Compatibility profiles of the rules."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["DEFAULT", "PROFILES", "RulesProfile"]

_SEARCHED = frozenset(("transcript_contains", "output_contains", "tool_called"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesProfile(Profile):
    """How an original's grading differs."""

    passing_score: float = 7.0 - 1e-9
    """Lowest score that passes; by default, 7 with a tolerance for rounding."""
    graded_types: frozenset[str] = _SEARCHED | {"transcript_not_contains"}
    """Types of assertion that are graded without a judge."""
    any_value_names_a_tool: bool = False
    """Whether a tool's name may be any value, compared as it is; otherwise it must be text."""
    budgets: tuple[str, ...] = ("max_credits", "max_cost_usd", "max_tokens")
    """Budgets for usage, in addition to the time budget."""
    unrecorded_abstains: bool = False
    """Whether a rule abstains if its figure was not recorded; otherwise it is not scored.

    If it abstains, any duration counts as recorded, and so do credits unless they are 0 or less;
    otherwise a figure counts as recorded if it is finite and 0 or more.
    """
    judge_gets_every_assertion: bool = False
    """Whether a judge is asked about every assertion, and every answer counts as a verdict."""
    failed_rule_scores_zero: bool = False
    """Whether a rule that cannot be applied scores 0; otherwise it is not scored."""


DEFAULT = RulesProfile()

PROFILES = (
    DEFAULT,
    RulesProfile(
        name="transform-gym",
        passing_score=7.0,
        graded_types=_SEARCHED,
        any_value_names_a_tool=True,
        budgets=("max_credits",),
        unrecorded_abstains=True,
        judge_gets_every_assertion=True,
        failed_rule_scores_zero=True,
    ),
)
"""Profiles of the metric, the default first."""
