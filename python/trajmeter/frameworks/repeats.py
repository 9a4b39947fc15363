"""Repeated runs of one framework, averaged question by question."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.aggregates import mean, outcome, timed_latencies, total_judging
from trajmeter.frameworks.results import SCORES, AnswerOutcome, FrameworkEvaluation
from trajmeter.metrics.answers import generic_aggregates
from trajmeter.metrics.answers.figures import means

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.frameworks.results import QuestionResult

__all__ = ["average", "representative"]

_AVERAGED = (
    "reported_latency_seconds",
    *(f"{score}_score" for score in SCORES),
    "retrieval_precision",
    "retrieval_recall",
)
_SUMMED = ("prompt_tokens", "completion_tokens", "total_tokens", "estimated_cost_usd")


def average(runs: Sequence[FrameworkEvaluation], *, original: bool = False) -> FrameworkEvaluation:
    """Average several runs of one framework over one scenario.

    Scores, latency and retrieval are averaged per question, over the runs that include it; tokens
    and cost are summed. The answer shown is the one closest to the mean correctness. Deviations are
    sample deviations (n - 1) and need two values. Aggregates of the scenario profile are the means
    of the runs' aggregates.

    Args:
        runs: Single runs, in order; a single one is returned unchanged.
        original: Average like the ``framework-comparison`` profile: profile aggregates are lost,
            and the placeholder of a time-out may represent a question that other runs answered.

    Returns:
        An evaluation with ``run_id`` -1 and the number of runs.

    Raises:
        ConfigurationError: ``runs`` is empty, the runs are of different frameworks or scenarios, or
            one of them is itself an average.
    """
    _check(runs)
    if len(runs) == 1:
        return runs[0]
    by_id: dict[str, list[QuestionResult]] = {}
    for run in runs:
        for question in run.questions:
            by_id.setdefault(question.question_id, []).append(question)
    questions = tuple(_average_question(copies, original=original) for copies in by_id.values())
    deviations = {
        f"{score}_run_stddev": _stddev(
            mean(getattr(question, f"{score}_score") for question in run.questions) for run in runs
        )
        for score in SCORES
    }
    extra = generic_aggregates([question.extra_metrics for question in questions])
    if not original:
        extra = _means_by_key([run.extra_aggregates for run in runs]) | extra
    first = runs[0]
    return first.model_copy(
        update={
            "questions": questions,
            **{field: mean(getattr(q, name) for q in questions) for field, name in _MEANS.items()},
            "total_tokens": sum(question.total_tokens or 0 for question in questions),
            "total_cost_usd": sum(question.estimated_cost_usd or 0.0 for question in questions),
            "extra_aggregates": extra
            | {key: value for key, value in deviations.items() if value is not None}
            | {"run_count": float(len(runs))},
            "code_quality": next((run.code_quality for run in runs if run.code_quality), None),
            "extra_aggregates_error": _first(run.extra_aggregates_error for run in runs),
            "run_id": -1,
            "run_count": len(runs),
            "finished_at": runs[-1].finished_at,
        }
    )


_MEANS = {
    "avg_latency": "latency_seconds",
    "avg_correctness": "correctness_score",
    "avg_completeness": "completeness_score",
    "avg_faithfulness": "faithfulness_score",
    "avg_retrieval_precision": "retrieval_precision",
    "avg_retrieval_recall": "retrieval_recall",
}


def representative(copies: Sequence[QuestionResult], *, original: bool = False) -> QuestionResult:
    """The run's answer closest to the mean correctness; ties go to the earliest run.

    Time-outs and failures represent a question only if no run answered it.
    """
    answered = [q for q in copies if outcome(q, averaged=False) is AnswerOutcome.ANSWERED]
    candidates = copies if original or not answered else answered
    middle = mean(question.correctness_score for question in copies)
    judged = [question for question in candidates if question.correctness_score is not None]
    if middle is None or not judged:
        return candidates[0]
    return min(judged, key=lambda question: abs((question.correctness_score or 0.0) - middle))


def with_run_outcomes(evaluations: Sequence[FrameworkEvaluation]) -> list[FrameworkEvaluation]:
    """Complete averages that do not record the outcomes of their runs, from these runs.

    Args:
        evaluations: Results of one scenario.

    Returns:
        The results in order. An average is completed if its framework has as many single runs as it
        averages, and their tokens add up to its own.
    """
    return [_completed(each, evaluations) for each in evaluations]


def _completed(
    averaged: FrameworkEvaluation, others: Sequence[FrameworkEvaluation]
) -> FrameworkEvaluation:
    runs = [
        other
        for other in others
        if other.framework_name == averaged.framework_name and other.run_count == 1
    ]
    is_known = all(question.run_outcomes is not None for question in averaged.questions)
    if averaged.run_count == 1 or is_known or len(runs) != averaged.run_count:
        return averaged
    questions = []
    for question in averaged.questions:
        own = question.question_id
        copies = [each for run in runs for each in run.questions if each.question_id == own]
        if sum(each.total_tokens or 0 for each in copies) != (question.total_tokens or 0):
            return averaged
        counts = Counter(outcome(each, averaged=False) for each in copies)
        questions.append(question.model_copy(update={"run_outcomes": dict(counts)}))
    return averaged.model_copy(update={"questions": questions})


def _average_question(copies: Sequence[QuestionResult], *, original: bool) -> QuestionResult:
    chosen = representative(copies, original=original)
    figures: dict[str, Any] = dict(_means_by_key([q.extra_metrics for q in copies]))
    deviation = _stddev(question.correctness_score for question in copies)
    if deviation is not None:
        figures["correctness_stddev"] = deviation
    counts = Counter(outcome(question, averaged=False) for question in copies)
    causes = Counter(q.judge.cause for q in copies if q.judge is not None and q.judge.cause)
    # A run without tokens costs nothing, whatever its model.
    paid = [question for question in copies if question.total_tokens] or copies
    known = [question.priced for question in paid if question.priced is not None]
    return chosen.model_copy(
        update={
            **{field: mean(getattr(q, field) for q in copies) for field in _AVERAGED},
            "latency_seconds": mean(timed_latencies(copies, averaged=False, original=original)),
            **{field: _total(getattr(q, field) for q in copies) for field in _SUMMED},
            "extra_metrics": figures,
            "extra_metrics_error": _first(question.extra_metrics_error for question in copies),
            "run_outcomes": dict(counts),
            "run_judge_causes": dict(causes),
            "priced": all(known) if known else None,
            "judge": total_judging(question.judge for question in copies),
        }
    )


def _means_by_key(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return means(rows, **{key: key for row in rows for key in row})


def _first(errors: Iterable[str | None]) -> str | None:
    return next((error for error in errors if error is not None), None)


def _stddev(values: Iterable[float | None]) -> float | None:
    present = [float(value) for value in values if value is not None]
    return statistics.stdev(present) if len(present) > 1 else None


def _total(values: Iterable[float | None]) -> float | None:
    present = [value for value in values if value is not None]
    return sum(present) if present else None


def _check(runs: Sequence[FrameworkEvaluation]) -> None:
    if not runs:
        raise ConfigurationError("nothing to average: expected at least one run, got none")
    for field in ("framework_name", "scenario_name", "evaluation_profile", "evaluation_mode"):
        values = sorted({str(getattr(run, field)) for run in runs})
        if len(values) > 1:
            raise ConfigurationError(
                f"runs to average must share their {field}, got: {', '.join(values)}"
            )
    averages = [i for i, run in enumerate(runs) if run.run_count > 1]
    if averages:
        raise ConfigurationError(
            f"result {averages[0] + 1} is itself an average of several runs; pass single runs"
        )
