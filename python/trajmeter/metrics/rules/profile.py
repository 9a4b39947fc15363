"""Compatibility profiles of the rules."""

from __future__ import annotations

from dataclasses import dataclass

from trajmeter.metrics.profile import Profile

__all__ = ["DEFAULT", "PROFILES", "RulesProfile"]

_SEARCHED = frozenset(("transcript_contains", "output_contains", "tool_called"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesProfile(Profile):
    """How an original grades differently."""

    passing_score: float = 7.0 - 1e-9
    """Lowest score that passes; by default one that is 7 but for rounding does."""
    graded_types: frozenset[str] = _SEARCHED | {"transcript_not_contains"}
    """Types of assertion that are graded without a judge."""
    any_value_names_a_tool: bool = False
    """Whether a tool's name may be any value, compared as it is; else it has to be text."""
    budgets: tuple[str, ...] = ("max_credits", "max_cost_usd", "max_tokens")
    """Budgets for usage, besides the time budget."""
    unrecorded_abstains: bool = False
    """Whether a figure that was not recorded has its rule abstain; else the rule is not scored.

    Any duration then counts as recorded, and so do credits that are not 0 or less; else a figure
    is recorded where it is finite and 0 or more.
    """
    judge_gets_every_assertion: bool = False
    """Whether a judge is asked about every assertion, and whatever it answers is a verdict."""
    failed_rule_scores_zero: bool = False
    """Whether a rule that cannot be applied scores 0; else it is not scored."""


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
"""The default first."""
