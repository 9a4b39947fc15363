"""Results of several frameworks in one scenario: every figure that reports show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pydantic import Field

from trajmeter.errors import ConfigurationError
from trajmeter.frameworks.aggregates import judging_of, outcome, outcomes, timed_latencies
from trajmeter.frameworks.refreshing import refreshed
from trajmeter.frameworks.repeats import with_run_outcomes
from trajmeter.frameworks.results import SCORES, AnswerOutcome, QuestionResult
from trajmeter.frameworks.scorecard import Scorecard, scorecards
from trajmeter.records import CodeQuality, JudgeRecord, Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.frameworks.result_files import NamedResult
    from trajmeter.frameworks.results import FrameworkEvaluation

__all__ = [
    "ComparedFigure",
    "ComparedQuestion",
    "ComparedResult",
    "Comparison",
    "Latency",
    "build_comparison",
    "percentile",
]

_EXCERPT_CHARACTERS = 300
_UNRECORDED = {"scenario_name": "", "evaluation_profile": "default", "evaluation_mode": "baseline"}
"""Provenance of a result file that does not record it."""


class ComparedFigure(Record):
    """A summary figure, with the number of questions it covers."""

    value: float | None
    """The figure; ``None`` if no question has it."""
    n: int
    """Questions that have the figure."""
    of: int
    """All questions."""
    run_stddev: float | None = None
    """Sample standard deviation over runs, for judge scores of repeated runs."""


class Latency(Record):
    """Distribution of the latency over questions, in seconds."""

    p50: float | None
    """Median, by linear interpolation."""
    p95: float | None
    """95th percentile, by linear interpolation."""
    n: int
    """Questions that have a latency; time-outs count at their limit, failures do not."""


class ComparedQuestion(QuestionResult):
    """One question's result, with an excerpt of the answer."""

    excerpt: str
    """The answer's first 300 characters, with an ellipsis if there are more."""

    def shown(self) -> str:
        """The answer as shown in reports: the error of a failed question, or the excerpt."""
        return _excerpt(self.error) if self.error else self.excerpt


class ComparedResult(Record):
    """One framework's result."""

    file: str
    """Result file from which it was read."""
    framework: str
    """Name of the framework."""
    run_count: int
    """Runs that the file averages."""
    outcomes: dict[AnswerOutcome, int | None]
    """Questions answered, timed out and failed, over all runs; each ``None`` for an average that
    does not record them and is not compared together with its runs."""
    summary: dict[str, ComparedFigure]
    """Means, and sums of tokens and cost, by field name in the result file."""
    tokens_per_run: float | None
    """Mean tokens per run, comparable between files with different numbers of runs."""
    cost_usd_per_run: float | None
    """Mean cost per run, comparable in the same way."""
    judging: JudgeRecord | None
    """Tokens, cost and calls of the judge over all runs, separate from the agent's; ``None`` if not
    recorded or nothing was judged."""
    latency: Latency
    """Percentiles of the latency."""
    scorecard: Scorecard
    """Capability, efficiency and developer experience, relative to the others."""
    extra_aggregates: dict[str, Any]
    """The scenario profile's figures."""
    extra_aggregates_error: str | None
    """Why the scenario profile has no aggregates of its own."""
    code_quality: CodeQuality | None
    """Quality of the implementation."""
    questions: dict[str, ComparedQuestion]
    """Every question, by id."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Versions of this package, Python and the price table, as recorded in the file."""
    started_at: str | None = None
    """UTC time at which the run began, ISO 8601."""


class Comparison(Record):
    """Results of one scenario side by side."""

    scenario: str
    """Name of the scenario."""
    scenario_type: str | None
    """Kind of scenario."""
    mode: str | None
    """Mode in which it was run."""
    scenario_profile: str
    """Scenario profile."""
    results: tuple[ComparedResult, ...]
    """One per result, in their order."""

    def question_texts(self) -> dict[str, str]:
        """Text of every question of any result, by id, in order of first appearance."""
        texts: dict[str, str] = {}
        for result in self.results:
            for question_id, question in result.questions.items():
                texts.setdefault(question_id, question.question_text)
        return texts


def build_comparison(results: Sequence[NamedResult], *, original: bool = False) -> Comparison:
    """Compare results of one scenario.

    Values of questions are used as written; means and percentiles are recomputed from them, or
    taken from the file if it lists no questions. Questions are joined by id.

    Args:
        results: The results, one for each framework.
        original: Aggregate and score like the ``framework-comparison`` profile.

    Returns:
        The comparison, in the order of the results.

    Raises:
        ConfigurationError: There is nothing to compare, or the results are of different scenarios,
            modes or scenario profiles; the message names them.
    """
    if not results:
        raise ConfigurationError("nothing to compare: expected at least one result file, got none")
    for field in ("scenario_name", "evaluation_profile", "evaluation_mode"):
        _check_same(results, field)
    first = results[0].evaluation
    profile = first.evaluation_profile or "default"
    evaluations = [result.evaluation for result in results]
    if not original:
        evaluations = with_run_outcomes(evaluations)
    current = [refreshed(each, profile=profile, original=original) for each in evaluations]
    cards = scorecards(current, original=original)
    return Comparison(
        scenario=first.scenario_name,
        scenario_type=first.scenario_type,
        mode=first.evaluation_mode,
        scenario_profile=profile,
        results=tuple(
            _result(result.name, evaluation, card, original=original)
            for result, evaluation, card in zip(results, current, cards, strict=True)
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
        outcomes={kind: None if counted is None else counted[kind] for kind in AnswerOutcome},
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
                excerpt=_excerpt(question.actual_answer or ""),
            )
            for question in evaluation.questions
        },
        versions=evaluation.versions,
        started_at=evaluation.started_at,
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
        for score in SCORES
    }
    deviations = {
        f"avg_{score}": evaluation.extra_aggregates.get(f"{score}_run_stddev") for score in SCORES
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


def _check_same(results: Sequence[NamedResult], field: str) -> None:
    values: dict[str, str] = {}
    for name, evaluation in results:
        values.setdefault(str(getattr(evaluation, field) or _UNRECORDED[field]), name)
    if len(values) > 1:
        listed = ", ".join(f"{value} ({name})" for value, name in values.items())
        raise ConfigurationError(f"results to compare must share their {field}, got: {listed}")


def _excerpt(answer: str) -> str:
    """The beginning of an answer, with an ellipsis if there is more."""
    if len(answer) <= _EXCERPT_CHARACTERS:
        return answer
    return answer[:_EXCERPT_CHARACTERS] + "…"
