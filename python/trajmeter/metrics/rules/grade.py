"""From checks to a score of 0 to 10, and whether it passes."""

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
"""The best score, and the conventional one of a rule that abstains."""


def grade(
    model: type[_ScoreT],
    score: float,
    reason: str,
    details: dict[str, Any],
    *,
    profile: RulesProfile = DEFAULT,
) -> _ScoreT:
    """Give the score of a rule that was applied, and whether it passes.

    Args:
        model: Model of the rule's scores.
        score: The score.
        reason: Why it is this one.
        details: A value for every field that only this model has.
        profile: Whose passing score counts.
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
    """Score of checks of which some passed; ``total`` is above 0."""
    return passed / total * FULL


def within_budget(ratio: float) -> float:
    """Score of a figure by its ratio to its budget: full up to 1, then inversely proportional."""
    return FULL if ratio <= 1.0 else FULL / ratio


def abstain(model: type[_ScoreT], reason: str) -> _ScoreT:
    """Score of a rule that has nothing to act on, for one of the reasons that rules have."""
    said = {"outcome": Outcome.ABSTAINED, "score": FULL, "passed": True, "reason": reason}
    return frozen(model, default_fields(model, **said))
