"""Aggregates of one framework's answers: simple means, sums of tokens and cost, profile figures."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from trajmeter.metrics.answers import compute_aggregates, generic_aggregates
from trajmeter.metrics.answers.profile import DEFAULT, FRAMEWORK_COMPARISON
from trajmeter.records import AnswerOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.records import FrameworkEvaluation, QuestionResult

__all__ = [
    "FAILED_ANSWER",
    "TIMED_OUT_ANSWER",
    "aggregates",
    "goes_unjudged",
    "mean",
    "outcome",
    "outcomes",
    "timed_latencies",
]

TIMED_OUT_ANSWER = "Query timed out before producing an answer."
"""What stands as the answer of a question that timed out."""
FAILED_ANSWER = "Framework query failed before producing an answer."
"""What stands as the answer of a question whose framework raised."""

_PLACEHOLDERS = {
    ("timeout", TIMED_OUT_ANSWER): AnswerOutcome.TIMED_OUT,
    ("error", FAILED_ANSWER): AnswerOutcome.FAILED,
}


def outcome(question: QuestionResult, *, averaged: bool) -> AnswerOutcome:
    """What became of a question, also in files that tell it only by their placeholders.

    Args:
        question: The question.
        averaged: Whether it averages several runs. Its model name and answer are then those of one
            representative run and say nothing of the others.

    Returns:
        The recorded outcome, else the one that the placeholders tell, else ``answered``.
    """
    if question.outcome is not None:
        return question.outcome
    if averaged:
        return AnswerOutcome.ANSWERED
    told = (question.model_name or "", question.actual_answer or "")
    return _PLACEHOLDERS.get(told, AnswerOutcome.ANSWERED)


def outcomes(evaluation: FrameworkEvaluation) -> Counter[AnswerOutcome]:
    """How many questions were answered, timed out and failed, over all runs of the file."""
    averaged = evaluation.run_count > 1
    counts: Counter[AnswerOutcome] = Counter()
    for question in evaluation.questions:
        if question.run_outcomes is not None:
            counts.update(question.run_outcomes)
        else:
            counts[outcome(question, averaged=averaged)] += evaluation.run_count
    return counts


def goes_unjudged(evaluation: FrameworkEvaluation) -> bool:
    """Whether a framework answered questions, and no judge scored any of its answers.

    A judge gives 1-5, so scores that are all 0 are those that rules set for time-outs and failures:
    a mean of them would tell of bad answers where nobody looked at one. An average of runs that
    does not say what was answered is taken as judged.
    """
    averaged = evaluation.run_count > 1
    answered = any(
        question.run_outcomes.get(AnswerOutcome.ANSWERED, 0) > 0
        if question.run_outcomes is not None
        else not averaged and outcome(question, averaged=False) is AnswerOutcome.ANSWERED
        for question in evaluation.questions
    )
    scores = (
        score
        for question in evaluation.questions
        for score in (
            question.correctness_score,
            question.completeness_score,
            question.faithfulness_score,
        )
    )
    return answered and not any(scores)


def timed_latencies(
    questions: Iterable[QuestionResult], *, averaged: bool, original: bool = False
) -> list[float]:
    """Latencies that enter means and percentiles: those of answers, and the limit of time-outs.

    A failed question has no latency to speak of and is left out, unless ``original`` counts it.
    """
    return [
        question.latency_seconds
        for question in questions
        if question.latency_seconds is not None
        and (original or outcome(question, averaged=averaged) is not AnswerOutcome.FAILED)
    ]


def aggregates(
    questions: Sequence[QuestionResult], *, profile: str, original: bool = False
) -> dict[str, Any]:
    """Every aggregate field of a single run's result file.

    Args:
        questions: The questions of one run.
        profile: Name of the scenario profile.
        original: Aggregate as the ``framework-comparison`` profile does.

    Returns:
        Fields of :class:`~trajmeter.records.FrameworkEvaluation`, by name. A mean over nothing is
        ``None``.
    """
    figures = [question.extra_metrics for question in questions]
    rules = FRAMEWORK_COMPARISON if original else DEFAULT
    extra = compute_aggregates(profile, figures, profile=rules)
    return {
        "avg_latency": mean(timed_latencies(questions, averaged=False, original=original)),
        "total_tokens": sum(question.total_tokens or 0 for question in questions),
        "total_cost_usd": sum(question.estimated_cost_usd or 0.0 for question in questions),
        "avg_correctness": mean(question.correctness_score for question in questions),
        "avg_completeness": mean(question.completeness_score for question in questions),
        "avg_faithfulness": mean(question.faithfulness_score for question in questions),
        "avg_retrieval_precision": mean(question.retrieval_precision for question in questions),
        "avg_retrieval_recall": mean(question.retrieval_recall for question in questions),
        "extra_aggregates": generic_aggregates(figures) | extra.figures,
        "extra_aggregates_error": extra.error,
    }


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the values there are; ``None`` where there are none."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None
