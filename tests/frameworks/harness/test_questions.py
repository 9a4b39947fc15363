"""One question: what the harness measures itself, and what it takes from the agent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.frameworks.harness import AskingOptions, FunctionAgent, ask_question
from trajmeter.frameworks.results import AnswerOutcome
from trajmeter.records import Question

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.frameworks.results import QuestionResult

QUESTION = Question(
    id="q", text="where", expected_answer="pier", expected_sources=("a.md",), metadata={"k": 1}
)


async def reporting(_: str) -> dict[str, Any]:
    return {
        "text": "pier",
        "sources_used": ["a.md", "a.md", "b.md", "b.md"],
        "usage": {
            "prompt_tokens": 7,
            "completion_tokens": 3,
            "total_tokens": 500,
            "latency_seconds": 3_600.0,
            "model_name": "a-model-nobody-sells",
        },
        "metadata": {"tool_trace": ["sql"]},
    }


async def silent(_: str) -> str:
    return "pier"


async def failing(_: str) -> str:
    raise LookupError("no index")


async def late(_: str) -> str:
    raise TimeoutError


def asked(function: Callable[[str], Any], *, original: bool = False) -> QuestionResult:
    options = AskingOptions(timeout_seconds=60.0, original=original)
    agent: Any = FunctionAgent(function)
    return asyncio.run(ask_question(agent, QUESTION, options))


def test_time_is_measured_tokens_added_up_and_the_agents_own_figures_stand_beside() -> None:
    got = asked(reporting)
    assert got.latency_seconds is not None
    assert got.latency_seconds < 60.0
    assert got.reported_latency_seconds == 3_600.0
    assert (got.prompt_tokens, got.completion_tokens, got.total_tokens) == (7, 3, 10)
    assert (got.model_name, got.priced, got.estimated_cost_usd) == (
        "a-model-nobody-sells",
        False,
        0.0,
    )
    assert got.retrieval_precision == 0.5  # a.md of a.md and b.md
    assert (got.question_text, got.expected_answer, got.actual_answer) == ("where", "pier", "pier")
    assert (got.question_metadata, got.answer_metadata) == ({"k": 1}, {"tool_trace": ["sql"]})


def test_the_original_believes_the_agent() -> None:
    got = asked(reporting, original=True)
    assert (got.latency_seconds, got.total_tokens) == (3_600.0, 500)
    unreported = asked(silent, original=True)
    assert unreported.latency_seconds is not None
    assert (unreported.reported_latency_seconds, unreported.total_tokens) == (None, 0)


@pytest.mark.parametrize("original", [False, True])
def test_a_failure_took_until_it_failed_and_nothing_in_the_original(original: bool) -> None:
    got = asked(failing, original=original)
    assert (got.outcome, got.error) == (AnswerOutcome.FAILED, "LookupError: no index")
    assert got.judge_reasoning == "Framework query error: LookupError: no index"
    assert got.latency_seconds is not None
    assert (got.latency_seconds == 0.0) is original


def test_an_agents_own_time_out_is_a_failure_but_in_the_original() -> None:
    assert asked(late).outcome is AnswerOutcome.FAILED
    got = asked(late, original=True)
    assert (got.outcome, got.latency_seconds) == (AnswerOutcome.TIMED_OUT, 60.0)


async def untidy(_: str) -> dict[str, Any]:
    return {"text": "pier", "sources_used": "a.md", "metadata": "sql"}


def test_a_result_says_what_of_its_answer_could_not_be_read() -> None:
    got = asked(untidy)
    assert (got.outcome, got.actual_answer) == (AnswerOutcome.ANSWERED, "pier")
    assert (got.retrieval_precision, got.answer_metadata) == (1.0, {})
    (problem,) = got.answer_problems
    assert problem.startswith("answer.metadata: ")
