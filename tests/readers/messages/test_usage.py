"""Usage by each program's convention; the counts are those of one and the same call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers.messages import message_turns, message_usage
from trajmeter.readers.messages.usage import (
    anthropic_usage,
    inspect_usage,
    langchain_usage,
    openai_usage,
    pydantic_ai_usage,
    verifiers_usage,
)
from trajmeter.records import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# 100 tokens of prompt, 60 of them read from a cache and 30 written to one; 20 of completion, 5 of
# them reasoning.
OPENAI = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
    "completion_tokens_details": {"reasoning_tokens": 5},
}
LITELLM = {
    "prompt_tokens": 100,
    "completion_tokens": 20,
    "cache_read_input_tokens": 60,
    "cache_creation_input_tokens": 30,
    "completion_tokens_details": {"reasoning_tokens": 5},
}
LITELLM_OF_ANTHROPIC = {
    **LITELLM,
    "prompt_tokens_details": {"audio_tokens": None, "cached_tokens": 60, "text_tokens": None},
}
RESPONSES = {
    "input_tokens": 100,
    "output_tokens": 20,
    "input_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
    "output_tokens_details": {"reasoning_tokens": 5},
}
ANTHROPIC = {
    "input_tokens": 10,
    "cache_read_input_tokens": 60,
    "cache_creation_input_tokens": 30,
    "output_tokens": 20,
}
LANGCHAIN = {
    "input_tokens": 100,
    "output_tokens": 20,
    "input_token_details": {"cache_read": 60, "cache_creation": 30},
    "output_token_details": {"reasoning": 5},
}
INSPECT = {
    "input_tokens": 10,
    "output_tokens": 20,
    "input_tokens_cache_read": 60,
    "input_tokens_cache_write": 30,
    "reasoning_tokens": 5,
}
PYDANTIC_AI = {
    "input_tokens": 100,
    "output_tokens": 20,
    "cache_read_tokens": 60,
    "cache_write_tokens": 30,
    "output_reasoning_tokens": 5,
}
VERIFIERS = {
    "prompt_tokens": 40,
    "completion_tokens": 20,
    "cached_input_tokens": 60,
    "reasoning_tokens": 5,
}

ALL = Usage(
    input_tokens=100,
    output_tokens=20,
    cached_input_tokens=60,
    cache_write_tokens=30,
    reasoning_tokens=5,
)


@pytest.mark.parametrize(
    ("read", "counts", "usage"),
    [
        (openai_usage, OPENAI, ALL),
        (openai_usage, LITELLM, ALL),
        (openai_usage, LITELLM_OF_ANTHROPIC, ALL),
        (openai_usage, RESPONSES, ALL),
        (anthropic_usage, ANTHROPIC, ALL.model_copy(update={"reasoning_tokens": None})),
        (langchain_usage, LANGCHAIN, ALL),
        (inspect_usage, INSPECT, ALL),
        (pydantic_ai_usage, PYDANTIC_AI, ALL),
        (verifiers_usage, VERIFIERS, ALL.model_copy(update={"cache_write_tokens": None})),
    ],
)
def test_cached_tokens_are_part_of_the_input(
    read: Callable[[Mapping[str, Any]], Usage | None], counts: dict[str, Any], usage: Usage
) -> None:
    assert read(counts) == usage
    assert read({**counts, "total_tokens": 120}) is not None
    assert read({}) is None


def test_usage_of_pydantic_ai_that_no_model_reported_is_unknown() -> None:
    assert message_usage({"usage": dict.fromkeys(PYDANTIC_AI, 0)}) is None
    assert message_usage({"usage": {**dict.fromkeys(PYDANTIC_AI, 0), "cost": 0.5}}) is not None


@pytest.mark.parametrize(
    "message",
    [
        {"usage": OPENAI},
        {"usage": LITELLM},
        {"usage": RESPONSES},
        {"usage_metadata": LANGCHAIN},
        {"usage": INSPECT},
        {"usage": PYDANTIC_AI},
    ],
)
def test_the_usage_convention_is_detected_from_the_message(message: dict[str, Any]) -> None:
    assert message_usage(message) == ALL
    assert message_usage({"usage": ANTHROPIC}) == ALL.model_copy(update={"reasoning_tokens": None})


@pytest.mark.parametrize("message", [{}, {"usage": None}, {"usage": {}}, {"usage": 7}])
def test_no_usage_is_not_zero(message: dict[str, Any]) -> None:
    assert message_usage(message) is None


@pytest.mark.parametrize("count", [-1, True, "7", 1.5, 2**63, float("nan")])
def test_an_invalid_count_is_unknown(count: object) -> None:
    usage = openai_usage({"prompt_tokens": count, "completion_tokens": 3.0})
    assert usage == Usage(output_tokens=3)


@pytest.mark.parametrize("cost", [True, "0.5", 10**400, float("nan"), float("inf"), None])
def test_an_invalid_amount_is_unknown(cost: object) -> None:
    assert inspect_usage({"input_tokens": 3, "total_cost": cost}) == Usage(input_tokens=3)


def test_an_object_of_anthropic_without_its_stop_reason_keeps_its_usage() -> None:
    item = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Done."}]}
    usage = {"input_tokens": 3, "output_tokens": 2}
    held = message_turns([item, {**item, "model": "m", "usage": usage}])
    assert [turn.usage and turn.usage.output_tokens for turn in held.turns] == [None, 2]
    assert held.model == "m"
