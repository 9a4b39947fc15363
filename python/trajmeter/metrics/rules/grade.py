"""Converts checks to a score from 0 to 10, and decides whether it passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from trajmeter.metrics.rules.profile import DEFAULT
from trajmeter.metrics.rules.result import RuleScore
from trajmeter.records import Outcome
from trajmeter.records.record import default_fields, frozen

if TYPE_CHECKING:
    from trajmeter.metrics.rules.profile import RulesProfile

__all__ = ["FULL", "abstain", "fraction", "grade", "within_budget"]

_ScoreT = TypeVar("_ScoreT", bound=RuleScore)

FULL = 10.0
"""The best score, which is also the conventional score of a rule that abstains."""


def grade(
    model: type[_ScoreT],
    score: float,
    reason: str,
    details: dict[str, Any],
    *,
    profile: RulesProfile = DEFAULT,
) -> _ScoreT:
    """Create the score of a rule that was applied, including whether it passes.

    Args:
        model: Model of the rule's scores.
        score: The score.
        reason: Why the score has its value.
        details: Values for the fields specific to this model.
        profile: Defines the passing score.
    """
    return frozen(
        model,
        {
            "outcome": Outcome.SCORED,
            "cause": None,
            "score": score,
            "passed": score >= profile.passing_score,
            "reason": reason,
            **details,
        },
    )


def fraction(passed: int, total: int) -> float:
    """Score for the share of passed checks; ``total`` must be above 0."""
    return passed / total * FULL


def within_budget(ratio: float) -> float:
    """Score of a figure by its ratio to its budget: full up to 1, then inversely proportional."""
    return FULL if ratio <= 1.0 else FULL / ratio


def abstain(model: type[_ScoreT], reason: str) -> _ScoreT:
    """Score of a rule that has nothing to check, with its reason."""
    abstained = {"outcome": Outcome.ABSTAINED, "score": FULL, "passed": True, "reason": reason}
    return frozen(model, default_fields(model, **abstained))
