"""From checks to a score of 0 to 10, and whether it passes."""

from __future__ import annotations

from typing import TypeVar

from trajmeter.metrics.rules.result import RuleScore
from trajmeter.records import Outcome

__all__ = ["FULL", "abstain", "fraction", "passes", "within_budget"]

_ScoreT = TypeVar("_ScoreT", bound=RuleScore)

FULL = 10.0
"""The best score, and the conventional one of a rule that abstains."""

_PASSING = 7.0

# Keeps a score that is 7 but for rounding from failing.
_SLACK = 1e-9


def passes(score: float, *, original: bool = False) -> bool:
    """Whether a score passes; the profile compares without allowing for rounding."""
    return score >= (_PASSING if original else _PASSING - _SLACK)


def fraction(passed: int, total: int) -> float:
    """Score of checks of which some passed; ``total`` is above 0."""
    return passed / total * FULL


def within_budget(ratio: float) -> float:
    """Score of a figure by its ratio to its budget: full up to 1, then inversely proportional."""
    return FULL if ratio <= 1.0 else FULL / ratio


def abstain(model: type[_ScoreT], reason: str) -> _ScoreT:
    """Score of a rule that has nothing to act on, for one of the reasons that rules have."""
    return model(outcome=Outcome.ABSTAINED, score=FULL, passed=True, reason=reason)
