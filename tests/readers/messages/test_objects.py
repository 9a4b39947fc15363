"""Messages that are objects of programs, or mappings that hold such objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.readers.messages.test_turns import ARGUMENTS, ONE_CALL, TEXT, Dumped, only_call
from trajmeter.readers.messages import message_turns


@pytest.mark.parametrize("key", ["content", "tool_calls"])
@pytest.mark.parametrize("program", ["openai", "anthropic", "inspect", "langchain", "verifiers"])
def test_objects_may_be_parts_of_mappings(program: str, key: str) -> None:
    """As in ``{"role": "assistant", "content": response.content}``."""
    messages = [
        {**message, key: [*map(Dumped, message[key])]}
        if isinstance(message.get(key), list)
        else message
        for message in ONE_CALL[program]
    ]
    assert message_turns(messages) == message_turns(ONE_CALL[program])


def test_results_may_be_objects() -> None:
    parts = [Dumped({"type": "text", "text": "x = 1", "annotations": None})]
    messages = [ONE_CALL["openai"][0], {**ONE_CALL["openai"][1], "content": parts}]
    assert message_turns(messages) == message_turns(ONE_CALL["openai"])


def test_objects_of_pydantic_ai_are_read_as_it_writes_them() -> None:
    theirs = pytest.importorskip("pydantic_ai.messages", reason="pydantic-ai is not installed")
    picture = theirs.BinaryContent(data=b"\xff\xd8", media_type="image/jpeg")
    part = {"tool_name": "read", "tool_call_id": "c1"}
    messages = [
        theirs.ModelRequest(parts=[theirs.UserPromptPart(content="Look.")]),
        theirs.ModelResponse(
            parts=[theirs.TextPart("I look."), theirs.ToolCallPart(args=TEXT, **part)]
        ),
        theirs.ModelRequest(parts=[theirs.ToolReturnPart(content=picture, **part)]),
    ]
    held = message_turns(messages)
    call = only_call(held)
    assert (call.arguments, call.result, call.success) == (ARGUMENTS, {"type": "image"}, True)
    assert (held.unusable, held.final_output) == ({}, "I look.")
    written = theirs.ModelMessagesTypeAdapter.dump_python(messages, mode="json")
    assert message_turns(written) == held


def test_what_pydantic_ai_s_models_run_themselves_are_calls() -> None:
    part = {"tool_name": "web_search", "tool_call_id": "s"}
    parts = [
        {**part, "part_kind": "builtin-tool-call", "args": {"query": "q"}},
        {**part, "part_kind": "builtin-tool-return", "content": "found"},
    ]
    call = only_call(message_turns([{"kind": "response", "parts": parts}]))
    assert (call.name, call.result, call.success) == ("web_search", "found", True)


def test_an_object_of_another_kind_is_reported_with_its_class() -> None:
    held = message_turns([object(), ("user", "q"), "q", None])
    assert [reason.rpartition(" ")[2] for reason in held.unusable.values()] == [
        "object",
        "tuple",
        "text",
        "null",
    ]


def test_an_object_that_a_mapping_repeats_is_one_call() -> None:
    part = {"type": "server_tool_use", "id": "c", "name": "f", "input": {}}
    call = Dumped({"id": "c", "name": "f", "args": {}})
    only_call(message_turns([{"role": "assistant", "content": [part], "tool_calls": [call]}]))


def test_usage_may_be_an_object() -> None:
    message = {"role": "assistant", "content": "x"}
    usage = {"input_tokens": 5, "output_tokens": 6, "cache_read_input_tokens": 1}
    read = message_turns([{**message, "usage": Dumped(usage)}])
    assert read.turns[0].usage is not None
    assert read == message_turns([{**message, "usage": usage}])


@dataclass
class Linked:
    """A message that knows another one."""

    role: str
    content: Any
    other: Linked | None = None


def test_objects_that_cannot_be_written_are_reported_or_omitted() -> None:
    linked = Linked("assistant", "x")
    linked.other = linked
    messages = [linked, Dumped, Linked, {"role": "assistant", "content": [linked, Dumped, "y"]}]
    held = message_turns(messages)
    assert [reason.rpartition(" ")[2] for reason in held.unusable.values()] == [
        "Linked",
        "type",
        "type",
    ]
    assert held.final_output == "y"


def test_results_nested_too_deeply_are_reported() -> None:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    messages = [ONE_CALL["openai"][0], {**ONE_CALL["openai"][1], "content": nested}]
    assert only_call(message_turns(messages)).result == "a list that is nested too deeply"
