"""Answers of models in the shapes of their programs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from trajmeter.readers.opentelemetry.answers import Answer, answer_of, sent_messages
from trajmeter.records import Usage

TEXT: Any = {"type": "text", "content": "I look."}
CALL: Any = {"type": "tool_call", "id": "c1", "name": "read_file", "arguments": {"path": "a.py"}}
ARGUMENTS = '{"path": "a.py"}'
OPENAI_CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "read_file", "arguments": ARGUMENTS},
}
OPENAI = {"role": "assistant", "content": "I look.", "tool_calls": [OPENAI_CALL]}
LANGCHAIN_CALL = {"name": "read_file", "args": {"path": "a.py"}, "id": "c1", "type": "tool_call"}
LANGCHAIN = {"type": "ai", "content": "I look.", "tool_calls": [LANGCHAIN_CALL]}
PARTS = [
    {"type": "thinking", "thinking": "Hm."},
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a.py"}},
]
ITEMS: Any = [
    {"type": "reasoning", "id": "rs", "summary": []},
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "I look."}],
    },
    {"type": "function_call", "call_id": "c1", "name": "read_file", "arguments": ARGUMENTS},
]
SCORED = '{"message": "hi", "score": 1}'
TEXTS = ('{"answer":42}', "{}", "[1,2]", "42", '"x"', "{", SCORED)
"""Text of answers that is, or looks like, JSON."""
USER = {"role": "user", "content": "Look."}


@pytest.mark.parametrize(
    "output",
    [
        OPENAI,
        [OPENAI],
        [USER, OPENAI],
        {"messages": [USER, OPENAI]},
        {"output": OPENAI},
        {"choices": [{"message": OPENAI, "finish_reason": "stop"}]},
        LANGCHAIN,
        {"lc": 1, "kwargs": LANGCHAIN},
        {"type": "ai", "data": LANGCHAIN},
        {"generations": [[{"text": "I look.", "message": {"lc": 1, "kwargs": LANGCHAIN}}]]},
        {"generations": [{"message": LANGCHAIN}]},
        {"role": "assistant", "content": PARTS},
        {"message": {"role": "assistant", "content": PARTS}},
        PARTS,
        [{"type": "human", "content": "Look."}, {**LANGCHAIN, "content": PARTS}],
        {"object": "response", "output": ITEMS},
        ITEMS,
        json.dumps(OPENAI),
        json.dumps(ITEMS),
        {"parts": [TEXT, CALL], "role": "assistant"},
    ],
)
def test_shapes_of_one_answer(output: Any) -> None:
    assert answer_of(output).parts == [TEXT, CALL]


@pytest.mark.parametrize(
    ("output", "parts"),
    [
        ("I look.", [TEXT]),
        ({"output": "I look."}, [TEXT]),
        ({"generations": [[{"text": "I look."}]]}, [TEXT]),
        ({"choices": [{"text": "I look."}]}, [TEXT]),
        (["I ", "look."], [{"type": "text", "content": text} for text in ("I ", "look.")]),
        ({"role": "assistant", "content": None, "refusal": "I look."}, [TEXT]),
        (ITEMS[2], [CALL]),
        *[(text, [{"type": "text", "content": text}]) for text in TEXTS],
        ({"message": "hi", "score": 1}, [{"type": "text", "content": SCORED}]),
        ({"answer": 42}, [{"type": "text", "content": '{"answer": 42}'}]),
        ([{"a": "é"}], [{"type": "text", "content": '[{"a": "é"}]'}]),
        (5, [{"type": "text", "content": "5"}]),
        (None, []),
        ("", []),
        ([], []),
        ({}, []),
        ({"output": None}, []),
        ({"generations": []}, []),
        ({"role": "assistant", "content": None}, []),
        ({"tool_calls": [{"id": "c1"}]}, [{"id": "c1", "type": "tool_call"}]),
    ],
)
def test_other_answers(output: Any, parts: list[Any]) -> None:
    assert answer_of(output).parts == parts


def test_calls_with_invalid_arguments_keep_their_error() -> None:
    invalid: Any = {"name": "f", "args": "{", "id": "c1", "error": "no JSON"}
    (call,) = answer_of({"type": "ai", "content": "", "invalid_tool_calls": [invalid]}).parts
    expected = {"type": "tool_call", "id": "c1", "name": "f", "arguments": "{"}
    assert call == {**expected, "parse_error": "no JSON"}


OPENAI_USAGE = {
    "prompt_tokens": 9,
    "completion_tokens": 3,
    "prompt_tokens_details": {"cached_tokens": 4},
}
ANTHROPIC_USAGE = {"input_tokens": 5, "output_tokens": 3, "cache_read_input_tokens": 4}
LANGCHAIN_USAGE = {
    "input_tokens": 9,
    "output_tokens": 3,
    "input_token_details": {"cache_read": 4},
}


@pytest.mark.parametrize(
    "output",
    [
        {
            "model": "heron",
            "usage": OPENAI_USAGE,
            "choices": [{"message": OPENAI, "finish_reason": "stop"}],
        },
        {
            "model": "heron",
            "usage_metadata": LANGCHAIN_USAGE,
            "choices": [{"message": OPENAI, "finish_reason": "stop"}],
        },
        {
            "role": "assistant",
            "content": PARTS,
            "model": "heron",
            "stop_reason": "stop",
            "usage": ANTHROPIC_USAGE,
        },
        {
            "generations": [[{"message": LANGCHAIN, "generation_info": {"finish_reason": "stop"}}]],
            "llm_output": {"token_usage": OPENAI_USAGE, "model_name": "heron"},
        },
        {
            **LANGCHAIN,
            "usage_metadata": LANGCHAIN_USAGE,
            "response_metadata": {"model_name": "heron", "finish_reason": "stop"},
        },
    ],
)
def test_what_is_recorded_with_an_answer(output: Any) -> None:
    usage = Usage(input_tokens=9, output_tokens=3, cached_input_tokens=4)
    assert answer_of(output) == Answer([TEXT, CALL], usage, "heron", "stop")


@pytest.mark.parametrize(
    "given",
    [
        {"messages": [USER, {"role": "tool", "content": "x", "tool_call_id": "c1"}]},
        {
            "messages": [
                [{"lc": 1, "kwargs": {"type": "tool", "content": "x", "tool_call_id": "c1"}}]
            ]
        },
        {"input": [{"type": "function_call_output", "call_id": "c1", "output": "x"}]},
        [{"role": "tool", "content": "x", "tool_call_id": "c1"}],
        '[{"role": "tool", "content": "x", "tool_call_id": "c1"}]',
    ],
)
def test_results_sent_to_a_model(given: Any) -> None:
    *_, result = sent_messages(given)
    assert isinstance(result, dict)
    assert [result[key] for key in ("role", "tool_call_id", "content")] == ["tool", "c1", "x"]


@pytest.mark.parametrize("given", [None, "hi", {"input": "hi"}, {"q": 1}, [], [[]], [1], {}])
def test_inputs_without_messages(given: Any) -> None:
    assert sent_messages(given) == []
