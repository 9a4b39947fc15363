"""Asks, scores and judges one question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.frameworks.aggregates import FAILED_ANSWER, TIMED_OUT_ANSWER
from trajmeter.frameworks.harness.agents import TimedAnswer
from trajmeter.frameworks.harness.responses import respond
from trajmeter.frameworks.harness.workers import AgentWorkers
from trajmeter.frameworks.judging import judged_fields
from trajmeter.frameworks.results import AnswerOutcome, QuestionResult
from trajmeter.metrics.answers import compute_figures, retrieval
from trajmeter.metrics.answers.profile import DEFAULT, FRAMEWORK_COMPARISON

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajmeter.frameworks.harness.agents import Agent
    from trajmeter.judges import Judge
    from trajmeter.records import Question

__all__ = ["AskingOptions", "ask_question", "score_answer"]

_NO_SCORES = {"correctness_score": 0.0, "completeness_score": 0.0, "faithfulness_score": 0.0}


class _Answered(NamedTuple):
    """The part of an answer that scenario profiles see."""

    text: str
    sources: Sequence[str]
    metadata: Mapping[str, Any]


@dataclass(frozen=True)
class AskingOptions:
    """How questions are asked and scored."""

    profile: str = "default"
    """Scenario profile."""
    timeout_seconds: float = 120.0
    """Deadline of one question."""
    judge: Judge | None = None
    """Judge of the answers; ``None`` omits the judge's scores."""
    original: bool = False
    """Score like the ``framework-comparison`` profile."""


async def ask_question(
    agent: Agent | AgentWorkers,
    question: Question,
    options: AskingOptions,
    *,
    keep: Callable[[TimedAnswer], None] | None = None,
) -> QuestionResult:
    """Ask one question and score the answer.

    A time-out or an exception of the agent becomes a result with scores of 0, marked by its
    outcome. If the judge fails, its scores are missing; if the scenario profile raises, its figures
    are missing.

    Args:
        agent: Agent to ask.
        question: The question.
        options: Deadline, scenario profile and judge.
        keep: Called with the answer before it is judged, which may take long and be interrupted.

    Returns:
        The question's result.
    """
    limit = options.timeout_seconds
    if isinstance(agent, AgentWorkers):
        response = await agent.respond(question.text, timeout_seconds=limit)
    else:
        response = await respond(agent, question.text, timeout_seconds=limit)
    if response.timed_out or (options.original and response.raised_timeout):
        return _unanswered(question, options, AnswerOutcome.TIMED_OUT, limit)
    if response.answer is None:
        seconds = 0.0 if options.original else response.seconds
        return _unanswered(question, options, AnswerOutcome.FAILED, seconds, response.error)
    timed = TimedAnswer(answer=response.answer, seconds=response.seconds)
    if keep is not None:
        keep(timed)
    return await score_answer(question, timed, options)


async def score_answer(
    question: Question, timed: TimedAnswer, options: AskingOptions
) -> QuestionResult:
    """Score and judge an answer.

    Args:
        question: The question.
        timed: The answer.
        options: Scenario profile and judge.

    Returns:
        The question's result.
    """
    from trajmeter.prices import price_usd

    answer = timed.answer
    usage = answer.usage
    total = usage.prompt_tokens + usage.completion_tokens
    cost = price_usd(usage.model_name or "", usage.prompt_tokens, usage.completion_tokens)
    reported = usage.latency_seconds
    fields: dict[str, Any] = {}
    if options.judge is not None:
        fields = await judged_fields(
            options.judge,
            question=question.text,
            expected=question.expected_answer,
            actual=answer.text,
            sources=answer.sources_used,
        )
    return _result(
        question,
        _Answered(answer.text, answer.sources_used, answer.metadata),
        options,
        outcome=AnswerOutcome.ANSWERED,
        latency_seconds=reported if options.original and reported is not None else timed.seconds,
        reported_latency_seconds=reported,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        total_tokens=usage.total_tokens if options.original and usage.total_tokens else total,
        estimated_cost_usd=cost or 0.0,
        priced=cost is not None,
        model_name=usage.model_name,
        answer_problems=answer.problems,
        **fields,
    )


def _unanswered(
    question: Question,
    options: AskingOptions,
    outcome: AnswerOutcome,
    seconds: float,
    error: str | None = None,
) -> QuestionResult:
    timed_out = outcome is AnswerOutcome.TIMED_OUT
    placeholder = TIMED_OUT_ANSWER if timed_out else FAILED_ANSWER
    reason = (
        f"Query timed out after {seconds:g}s." if timed_out else f"Framework query error: {error}"
    )
    # Without an answer there are no hops; the original searches the placeholder for them.
    text = placeholder if options.original else ""
    return _result(
        question,
        _Answered(text, (), {}),
        options,
        shown=placeholder,
        outcome=outcome,
        error=error,
        latency_seconds=seconds,
        prompt_tokens=0,
        completion_tokens=0,
        total_tokens=0,
        estimated_cost_usd=0.0,
        model_name="timeout" if timed_out else "error",
        judge_reasoning=reason,
        **_NO_SCORES,
    )


def _result(
    question: Question,
    answer: _Answered,
    options: AskingOptions,
    *,
    shown: str | None = None,
    **fields: Any,  # noqa: ANN401 - fields of QuestionResult, which refuses unknown ones
) -> QuestionResult:
    rules = FRAMEWORK_COMPARISON if options.original else DEFAULT
    found = retrieval(answer.sources, question.expected_sources, profile=rules)
    extra = compute_figures(options.profile, question, answer, profile=rules)
    return QuestionResult(
        question_id=question.id,
        question_text=question.text,
        expected_answer=question.expected_answer,
        actual_answer=answer.text if shown is None else shown,
        sources_expected=question.expected_sources,
        sources_retrieved=tuple(answer.sources),
        retrieval_precision=found.precision,
        retrieval_recall=found.recall,
        extra_metrics=extra.figures,
        extra_metrics_error=extra.error,
        question_metadata=question.metadata,
        answer_metadata=dict(answer.metadata),
        **fields,
    )
