"""The figures that hosts show by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.records import Score

__all__ = ["FIGURES", "cause_of", "outcome_label", "why_unscored"]

FIGURES: dict[str, tuple[str, ...]] = {
    "tools": ("exact", "f1", "precision", "recall"),
    "context": (
        "file.coverage",
        "file.precision",
        "line.coverage",
        "line.precision",
        "line.f1",
        "auc_coverage",
        "redundancy",
    ),
    "turns": ("turn_count", "repeated_tool_calls", "tool_call_success_rate", "recovered_errors"),
    "rules": (
        "assertion_pass_rate",
        "tool_usage",
        "error_handling",
        "completeness",
        "latency",
        "cost_budget",
    ),
}
"""Short names of figures by family, without the family's name."""


def outcome_label(scores: Iterable[Score]) -> str:
    """Outcome of an attempt: ``scored``, ``abstained``, or why it was not scored."""
    listed = [*scores]
    for score in listed:
        if score.counts:
            return score.outcome.value
    causes = [score.cause.value for score in listed if score.cause is not None]
    return causes[0] if causes else "abstained"


def cause_of(score: Score) -> str:
    """Why a figure has no value, in one word: its cause, or that the metric abstained."""
    return score.outcome.value if score.cause is None else score.cause.value


def why_unscored(score: Score) -> str:
    """Why a figure has no value, with the metric's explanation."""
    cause = cause_of(score)
    return f"{cause}: {score.reason}" if score.reason else cause
