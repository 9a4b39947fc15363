"""Computes the aggregates of a framework's results again, by the current rules."""

from __future__ import annotations

from trajmeter.frameworks.aggregates import aggregates, is_unjudged, mean, timed_latencies
from trajmeter.frameworks.results import SCORES, FrameworkEvaluation
from trajmeter.metrics.answers import FRAMEWORK_COMPARISON, compute_aggregates

__all__ = ["refreshed"]


def refreshed(
    evaluation: FrameworkEvaluation, *, profile: str, original: bool
) -> FrameworkEvaluation:
    """The evaluation with its aggregates computed from its questions."""
    current = _aggregated(evaluation, profile=profile, original=original)
    unjudged = is_unjudged(evaluation) and not original
    return _without_judging(current) if unjudged else current


def _without_judging(evaluation: FrameworkEvaluation) -> FrameworkEvaluation:
    deviations = {f"{score}_run_stddev" for score in SCORES}
    extra = evaluation.extra_aggregates
    return evaluation.model_copy(
        update={
            **dict.fromkeys(f"avg_{score}" for score in SCORES),
            "extra_aggregates": {k: v for k, v in extra.items() if k not in deviations},
        }
    )


def _aggregated(
    evaluation: FrameworkEvaluation, *, profile: str, original: bool
) -> FrameworkEvaluation:
    questions = evaluation.questions
    if not questions:
        return evaluation
    averaged = evaluation.run_count > 1
    if not averaged:
        fields = aggregates(questions, profile=profile, original=original)
        # A figure that the current rules omit must not survive from the file.
        figures = [question.extra_metrics for question in questions]
        stale = compute_aggregates(profile, figures, profile=FRAMEWORK_COMPARISON).figures
        kept = {k: v for k, v in evaluation.extra_aggregates.items() if k not in stale}
        fields["extra_aggregates"] = kept | fields["extra_aggregates"]
        return evaluation.model_copy(update=fields)
    figures = [question.extra_metrics for question in questions]
    rebuilt = {} if original else compute_aggregates(profile, figures).figures
    return evaluation.model_copy(
        update={
            **aggregates(questions, profile=profile, original=original),
            "avg_latency": mean(timed_latencies(questions, averaged=True, original=original)),
            "extra_aggregates": rebuilt | evaluation.extra_aggregates,
        }
    )
