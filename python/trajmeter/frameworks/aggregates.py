"""Aggregates of one framework's result: outcomes, means, tokens, cost, and judge usage."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from trajmeter.frameworks.results import AnswerOutcome
from trajmeter.metrics.answers import compute_aggregates, generic_aggregates
from trajmeter.metrics.answers.profile import DEFAULT, FRAMEWORK_COMPARISON
from trajmeter.records import JudgeRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.frameworks.results import FrameworkEvaluation, QuestionResult

__all__ = [
    "FAILED_ANSWER",
    "TIMED_OUT_ANSWER",
    "aggregates",
    "is_timed",
    "is_unjudged",
    "judging_of",
    "mean",
    "outcome",
    "outcomes",
    "timed_latencies",
    "total_judging",
]

TIMED_OUT_ANSWER = "Query timed out before producing an answer."
"""Placeholder answer of a question that timed out."""
FAILED_ANSWER = "Framework query failed before producing an answer."
"""Placeholder answer of a question whose framework raised."""

_PLACEHOLDERS = {
    ("timeout", TIMED_OUT_ANSWER): AnswerOutcome.TIMED_OUT,
    ("error", FAILED_ANSWER): AnswerOutcome.FAILED,
}


def outcome(question: QuestionResult, *, averaged: bool) -> AnswerOutcome | None:
    """Outcome of a question, recognised by its placeholders in files that do not record it.

    Args:
        question: The question.
        averaged: Whether it averages several runs. Its model name and answer are then those of one
            representative run and say nothing about the others.

    Returns:
        The recorded outcome, or that of a placeholder, or ``answered``; ``None`` for an average
        that does not record it.
    """
    if question.outcome is not None:
        return question.outcome
    if averaged:
        return None
    placeholders = (question.model_name or "", question.actual_answer or "")
    return _PLACEHOLDERS.get(placeholders, AnswerOutcome.ANSWERED)


def outcomes(evaluation: FrameworkEvaluation) -> Counter[AnswerOutcome] | None:
    """Numbers of questions answered, timed out and failed, over all runs of the file.

    ``None`` for an average that does not record the outcomes of its runs.
    """
    averaged = evaluation.run_count > 1
    counts: Counter[AnswerOutcome] = Counter()
    for question in evaluation.questions:
        if question.run_outcomes is not None:
            counts.update(question.run_outcomes)
            continue
        kind = None if averaged else outcome(question, averaged=False)
        if kind is None:
            return None
        counts[kind] += 1
    return counts


def is_unjudged(evaluation: FrameworkEvaluation) -> bool:
    """Whether a framework answered questions, but no judge scored any of its answers.

    A judge gives 1-5, so scores that are all 0 were set by rule for time-outs and failures: their
    mean would suggest bad answers although none was judged. An average of runs without recorded
    outcomes counts as judged.
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
    """Latencies for means and percentiles: those of answers, and the limit for time-outs.

    The time until a failure is not a latency and is omitted, unless ``original`` is set.
    """
    return [
        question.latency_seconds
        for question in questions
        if question.latency_seconds is not None
        and (original or is_timed(question, averaged=averaged))
    ]


def is_timed(question: QuestionResult, *, averaged: bool) -> bool:
    """Whether any run of a question was answered or timed out; failures have no latency."""
    if averaged and question.run_outcomes is not None:  # the answer shown is that of only one run
        counts = question.run_outcomes.items()
        return any(count for kind, count in counts if kind is not AnswerOutcome.FAILED)
    return outcome(question, averaged=averaged) is not AnswerOutcome.FAILED


def aggregates(
    questions: Sequence[QuestionResult], *, profile: str, original: bool = False
) -> dict[str, Any]:
    """Every aggregate field of a single run's result file.

    Args:
        questions: The questions of one run.
        profile: Name of the scenario profile.
        original: Aggregate like the ``framework-comparison`` profile.

    Returns:
        Fields of :class:`~trajmeter.frameworks.results.FrameworkEvaluation`, by name. A mean of no
        values is ``None``.
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
    """Mean of the values that are not ``None``; ``None`` without any."""
    present = [value for value in values if value is not None]
    return sum(present) / len(present) if present else None


def total_judging(records: Iterable[JudgeRecord | None]) -> JudgeRecord | None:
    """Sum of tokens, cost and calls; ``None`` if nothing was judged.

    The cost is ``None`` if that of any part is; the model is ``None`` if the parts differ. Causes
    of failures belong to single calls and are omitted; an average counts them separately.

    Example:
        >>> total = total_judging([JudgeRecord(cost_usd=0.25, attempts=n) for n in (1, 3)])
        >>> total.cost_usd, total.attempts
        (0.5, 4)
    """
    present = [record for record in records if record is not None]
    if not present:
        return None
    costs = [record.cost_usd for record in present if record.cost_usd is not None]
    models = {record.model for record in present}
    return JudgeRecord(
        model=models.pop() if len(models) == 1 else None,
        prompt_tokens=sum(record.prompt_tokens for record in present),
        completion_tokens=sum(record.completion_tokens for record in present),
        cost_usd=sum(costs) if len(costs) == len(present) else None,
        attempts=sum(record.attempts for record in present),
        replayed=all(record.replayed for record in present),
    )


def judging_of(evaluation: FrameworkEvaluation) -> JudgeRecord | None:
    """Usage for judging a framework's answers and reviewing its code."""
    review = evaluation.code_quality.judge if evaluation.code_quality else None
    return total_judging([*(question.judge for question in evaluation.questions), review])
