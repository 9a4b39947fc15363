"""Putting several frameworks' results of one scenario side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.answers import (
    aggregates,
    goes_unjudged,
    mean,
    outcome,
    outcomes,
    timed_latencies,
)
from trajmeter.frameworks.compared import (
    ComparedFigure,
    ComparedQuestion,
    ComparedResult,
    Comparison,
    Latency,
    excerpt,
)
from trajmeter.frameworks.judging import judging_of
from trajmeter.frameworks.scorecard import scorecards
from trajmeter.metrics.answers import FRAMEWORK_COMPARISON, compute_aggregates
from trajmeter.records import AnswerOutcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.frameworks.scorecard import Scorecard
    from trajmeter.records import FrameworkEvaluation

__all__ = ["compare", "percentile"]

_SCORES = ("correctness", "completeness", "faithfulness")
_UNSAID = {"scenario_name": "", "evaluation_profile": "default", "evaluation_mode": "baseline"}
"""What a result file that does not say was made with."""


def compare(
    evaluations: Sequence[tuple[str, FrameworkEvaluation]], *, original: bool = False
) -> Comparison:
    """Put results of one scenario side by side.

    Values of questions are taken as written; means and percentiles are computed from them anew, and
    taken from the file where it lists no questions. Questions are joined by id.

    Args:
        evaluations: Name of each result file, and what it holds.
        original: Aggregate and score as the ``framework-comparison`` profile does.

    Returns:
        The comparison, in the order given.

    Raises:
        ConfigurationError: There is nothing to compare, or the results are of different scenarios,
            modes or scenario profiles; the message names them.
    """
    if not evaluations:
        raise ConfigurationError("nothing to compare: expected at least one result file, got none")
    for field in ("scenario_name", "evaluation_profile", "evaluation_mode"):
        _same(evaluations, field)
    first = evaluations[0][1]
    profile = first.evaluation_profile or "default"
    current = [
        _refreshed(evaluation, profile=profile, original=original) for _, evaluation in evaluations
    ]
    cards = scorecards(current, original=original)
    return Comparison(
        scenario=first.scenario_name,
        scenario_type=first.scenario_type,
        mode=first.evaluation_mode,
        scenario_profile=profile,
        results=tuple(
            _result(file, evaluation, card, original=original)
            for (file, _), evaluation, card in zip(evaluations, current, cards, strict=True)
        ),
    )


def percentile(values: Sequence[float], percent: float) -> float | None:
    """Percentile by linear interpolation between the two nearest ranks; ``None`` for no values.

    Example:
        >>> percentile([1.0, 2.0, 3.0, 11.0], 75)  # rank 0.75 * 3 = 2.25: 3 + 0.25 * (11 - 3)
        5.0
    """
    if not values:
        return None
    ordered = sorted(values)
    rank = percent / 100.0 * (len(ordered) - 1)
    low = math.floor(rank)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (rank - low) * (ordered[high] - ordered[low])


def _refreshed(
    evaluation: FrameworkEvaluation, *, profile: str, original: bool
) -> FrameworkEvaluation:
    """The evaluation with its aggregates computed from its questions."""
    refreshed = _aggregated(evaluation, profile=profile, original=original)
    unjudged = goes_unjudged(evaluation) and not original
    return _without_judging(refreshed) if unjudged else refreshed


def _without_judging(evaluation: FrameworkEvaluation) -> FrameworkEvaluation:
    deviations = {f"{score}_run_stddev" for score in _SCORES}
    extra = evaluation.extra_aggregates
    return evaluation.model_copy(
        update={
            **dict.fromkeys(f"avg_{score}" for score in _SCORES),
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
        # A figure that today's rules leave out must not survive as the file has it.
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


def _result(
    file: str, evaluation: FrameworkEvaluation, card: Scorecard, *, original: bool
) -> ComparedResult:
    averaged = evaluation.run_count > 1
    counted = outcomes(evaluation)
    timed = timed_latencies(evaluation.questions, averaged=averaged, original=original)
    return ComparedResult(
        file=file,
        framework=evaluation.framework_name,
        run_count=evaluation.run_count,
        outcomes={kind: counted[kind] for kind in AnswerOutcome},
        summary=_summary(evaluation, timed=len(timed)),
        tokens_per_run=_per_run(evaluation.total_tokens, evaluation.run_count),
        cost_usd_per_run=_per_run(evaluation.total_cost_usd, evaluation.run_count),
        judging=judging_of(evaluation),
        latency=Latency(p50=percentile(timed, 50), p95=percentile(timed, 95), n=len(timed)),
        scorecard=card,
        extra_aggregates=evaluation.extra_aggregates,
        extra_aggregates_error=evaluation.extra_aggregates_error,
        code_quality=evaluation.code_quality,
        questions={
            question.question_id: ComparedQuestion(
                **question.model_dump(exclude={"outcome"}),
                outcome=outcome(question, averaged=averaged),
                excerpt=excerpt(question.actual_answer or ""),
            )
            for question in evaluation.questions
        },
    )


def _summary(evaluation: FrameworkEvaluation, *, timed: int) -> dict[str, ComparedFigure]:
    questions = evaluation.questions
    having = {
        "avg_latency": timed,
        "total_tokens": sum(bool(q.total_tokens) for q in questions),
        "total_cost_usd": sum(bool(q.estimated_cost_usd) for q in questions),
        "avg_retrieval_precision": sum(q.retrieval_precision is not None for q in questions),
        "avg_retrieval_recall": sum(q.retrieval_recall is not None for q in questions),
    } | {
        f"avg_{score}": sum(getattr(q, f"{score}_score") is not None for q in questions)
        for score in _SCORES
    }
    deviations = {
        f"avg_{score}": evaluation.extra_aggregates.get(f"{score}_run_stddev") for score in _SCORES
    }
    return {
        field: ComparedFigure(
            value=getattr(evaluation, field),
            n=0 if getattr(evaluation, field) is None else n,
            of=len(questions),
            run_stddev=deviations.get(field) if evaluation.run_count > 1 else None,
        )
        for field, n in having.items()
    }


def _per_run(total: float | None, runs: int) -> float | None:
    return None if total is None else total / runs


def _same(evaluations: Sequence[tuple[str, FrameworkEvaluation]], field: str) -> None:
    values: dict[str, str] = {}
    for file, evaluation in evaluations:
        values.setdefault(str(getattr(evaluation, field) or _UNSAID[field]), file)
    if len(values) > 1:
        listed = ", ".join(f"{value} ({file})" for value, file in values.items())
        raise ConfigurationError(f"results to compare must share their {field}, got: {listed}")
