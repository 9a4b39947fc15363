"""The scorecard: capability, efficiency and developer experience of compared frameworks, 0-100.

Efficiency and parts of developer experience compare the frameworks with each other, so a scorecard
is only valid for its set of frameworks: adding one may change every figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.frameworks.aggregates import mean, outcomes
from trajmeter.frameworks.results import AnswerOutcome
from trajmeter.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.frameworks.results import FrameworkEvaluation

__all__ = ["Capability", "DeveloperExperience", "Efficiency", "Scorecard", "scorecards"]

_JUDGE_SCALE = 5.0
_NO_RANGE = 1e-12
"""Smallest difference between best and worst that counts; below it, all get the same score."""
_WEIGHTS = {"latency": 0.4, "cost": 0.4, "tokens": 0.2}
_SIGNALS = (
    "branching_success_rate",
    "multi_hop_chain_success_rate",
    "branching_avg_grounded_hop_coverage",
    "multi_hop_avg_grounded_hop_coverage",
    "branching_avg_hop_coverage",
    "multi_hop_avg_hop_coverage",
)
_COORDINATION_SIGNALS = (
    "coordination_success_rate",
    "coordination_avg_grounded_hop_coverage",
    "coordination_avg_hop_coverage",
)


class Capability(Record):
    """How good the answers are."""

    value: float | None
    """Mean of the judge's part and of every signal, 0-100; ``None`` without any."""
    judge: float | None
    """Mean of correctness, completeness and faithfulness over 5, 0-1; ``None`` if not judged."""
    signals: dict[str, float]
    """Success rates and hop coverages of the scenario profile, each clipped to 0-1."""


class Efficiency(Record):
    """How few resources the answers need, relative to the other frameworks."""

    value: float | None
    """Weighted mean of the known parts, 0-100; ``None`` without any."""
    latency: float | None
    """Min-max of the mean latency, 0-1; time-outs count at their limit."""
    cost: float | None
    """Min-max of the cost per answered question, 0-1; ``None`` if a price is unknown."""
    tokens: float | None
    """Min-max of the tokens per answered question, 0-1; ``None`` if none are reported."""
    weights: dict[str, float]
    """Weight of each known part, rescaled to sum to 1."""


class DeveloperExperience(Record):
    """How pleasant the implementation is to work on."""

    value: float | None
    """Mean of the known parts, 0-100; ``None`` without any."""
    parts: dict[str, float]
    """``maintainability`` and ``complexity`` (min-max), ``annotations`` and ``review``, 0-1."""


class Scorecard(Record):
    """Three decision aids for one framework; they do not replace the figures they are based on."""

    capability: Capability
    """How good the answers are."""
    efficiency: Efficiency
    """How few resources they need."""
    developer_experience: DeveloperExperience
    """How pleasant the implementation is."""


def scorecards(
    evaluations: Sequence[FrameworkEvaluation], *, original: bool = False
) -> list[Scorecard]:
    """Score frameworks relative to each other.

    Args:
        evaluations: One result per framework, with the aggregates to compare.
        original: Score like the ``framework-comparison`` profile: efficiency is a third of the
            weighted sum and compares totals, a framework without a price wins on cost, and the
            signals of coordination do not count.

    Returns:
        One scorecard for each, in order.
    """
    latency = _lower_is_better([evaluation.avg_latency for evaluation in evaluations])
    cost = _lower_is_better([_cost(evaluation, original=original) for evaluation in evaluations])
    tokens = _lower_is_better(
        [_tokens(evaluation, original=original) for evaluation in evaluations]
    )
    experience = _developer_experience(evaluations)
    return [
        Scorecard(
            capability=_capability(evaluation, original=original),
            efficiency=_efficiency(
                {"latency": latency[i], "cost": cost[i], "tokens": tokens[i]}, original=original
            ),
            developer_experience=experience[i],
        )
        for i, evaluation in enumerate(evaluations)
    ]


def _capability(evaluation: FrameworkEvaluation, *, original: bool) -> Capability:
    judged = mean(
        None if score is None else min(max(score / _JUDGE_SCALE, 0.0), 1.0)
        for score in (
            evaluation.avg_correctness,
            evaluation.avg_completeness,
            evaluation.avg_faithfulness,
        )
    )
    names = _SIGNALS if original else _SIGNALS + _COORDINATION_SIGNALS
    signals = {
        name: min(max(float(value), 0.0), 1.0)
        for name in names
        if isinstance(value := evaluation.extra_aggregates.get(name), (bool, int, float))
    }
    return Capability(
        value=_percent(mean([judged, *signals.values()])), judge=judged, signals=signals
    )


def _efficiency(parts: Mapping[str, float | None], *, original: bool) -> Efficiency:
    present = {name: value for name, value in parts.items() if value is not None}
    total = sum(_WEIGHTS[name] for name in present)
    weights = {name: _WEIGHTS[name] / total for name in present}
    value = sum(weights[name] * present[name] for name in present) if present else None
    if original and value is not None:
        value /= len(_WEIGHTS)
    return Efficiency(value=_percent(value), weights=weights, **parts)


def _cost(evaluation: FrameworkEvaluation, *, original: bool) -> float | None:
    if original:
        return evaluation.total_cost_usd or 0.0
    paid = [question for question in evaluation.questions if question.total_tokens]
    priced = [question.priced for question in paid if question.priced is not None]
    total = evaluation.total_cost_usd or 0.0
    if paid and len(priced) == len(paid):
        known = all(priced)  # a model may be known to cost nothing
    else:
        known = total > 0.0 and all(question.estimated_cost_usd for question in paid)
    return _per_answer(evaluation, total) if known else None


def _tokens(evaluation: FrameworkEvaluation, *, original: bool) -> float | None:
    total = evaluation.total_tokens
    if original:
        return float(total or 0)
    return _per_answer(evaluation, total) if total else None


def _per_answer(evaluation: FrameworkEvaluation, total: float) -> float | None:
    if not evaluation.questions:
        return total / evaluation.run_count
    counts = outcomes(evaluation)
    if counts is None:  # not recorded, so each question of each run counts
        return total / (len(evaluation.questions) * evaluation.run_count)
    answered = counts[AnswerOutcome.ANSWERED]
    return total / answered if answered else None


def _developer_experience(
    evaluations: Sequence[FrameworkEvaluation],
) -> list[DeveloperExperience]:
    quality = [evaluation.code_quality for evaluation in evaluations]
    static = [q.static_metrics if q else None for q in quality]
    index = [m.maintainability_index if m else None for m in static]
    maintainability = [
        None if score is None else 1.0 - score if _differ(index) else score
        for score in _lower_is_better(index)
    ]
    complexity = _lower_is_better([m.avg_cyclomatic_complexity if m else None for m in static])
    result = []
    for i, (measures, whole) in enumerate(zip(static, quality, strict=True)):
        review = whole.code_review.avg_score if whole and whole.code_review else None
        candidates = {
            "maintainability": maintainability[i],
            "complexity": complexity[i],
            "annotations": measures.type_annotation_ratio if measures else None,
            "review": None if review is None else review / _JUDGE_SCALE,
        }
        parts = {
            name: min(max(value, 0.0), 1.0)
            for name, value in candidates.items()
            if value is not None
        }
        result.append(DeveloperExperience(value=_percent(mean(parts.values())), parts=parts))
    return result


def _lower_is_better(values: Sequence[float | None]) -> list[float | None]:
    """Min-max over the known values: 1.0 for the least, 0.0 for the greatest."""
    present = [value for value in values if value is not None]
    if not _differ(values):
        return [None if value is None else 1.0 for value in values]
    least, greatest = min(present), max(present)
    return [None if value is None else (greatest - value) / (greatest - least) for value in values]


def _differ(values: Sequence[float | None]) -> bool:
    present = [value for value in values if value is not None]
    return bool(present) and max(present) - min(present) >= _NO_RANGE


def _percent(value: float | None) -> float | None:
    return None if value is None else 100.0 * value
