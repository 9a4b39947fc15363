"""Spans that follow OpenInference's conventions, printed by the SDK or exported by Phoenix."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read, read_one, write_lines
from tests.readers.opentelemetry.test_sdk_spans import span as by_the_conventions
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ToolCall, Trajectory

FIRST = ("c1", "read_file", '{"path": "a.py"}')
SECOND = ("c2", "read_file", '{"path": "b.py"}')
USED = {
    "llm.token_count.prompt": 100,
    "llm.token_count.completion": 20,
    "llm.token_count.total": 120,
    "llm.token_count.prompt_details.cache_read": 64,
    "llm.token_count.prompt_details.cache_write": 8,
    "llm.token_count.completion_details.reasoning": 7,
    "llm.cost.total": 0.0021,
}


def span(kind: str, number: int, start: int, end: int, about: Any, **fields: Any) -> dict[str, Any]:
    """A span as the SDK prints it; the first is the root of the others."""
    return {
        "name": fields.pop("name", kind.lower()),
        "context": {"trace_id": "0x0a", "span_id": f"0x0{number}"},
        "parent_id": "0x01" if number > 1 else None,
        "start_time": f"2026-03-01T10:00:{start:02}.000000Z",
        "end_time": f"2026-03-01T10:00:{end:02}.500000Z",
        "status": {"status_code": "OK"},
        "attributes": {"openinference.span.kind": kind, **about},
        "events": [],
        **fields,
    }


def messages(side: str, *given: dict[str, Any]) -> dict[str, Any]:
    """Messages as attributes, one for each field."""
    return {
        f"llm.{side}_messages.{at}.message.{key}": value
        for at, fields in enumerate(given)
        for key, value in fields.items()
    }


def called(*calls: tuple[Any, ...], text: str | None = "I look.") -> dict[str, Any]:
    found: dict[str, Any] = {"role": "assistant"}
    if text is not None:
        found["content"] = text
    for at, (identity, name, arguments) in enumerate(calls):
        if identity is not None:
            found[f"tool_calls.{at}.tool_call.id"] = identity
        found[f"tool_calls.{at}.tool_call.function.name"] = name
        found[f"tool_calls.{at}.tool_call.function.arguments"] = arguments
    return found


def answered(content: str, identity: str | None = "c1") -> dict[str, Any]:
    named = {} if identity is None else {"tool_call_id": identity}
    return {"role": "tool", "content": content, **named}


def asked(number: int, start: int, *said: Any, sent: Any = (), **fields: Any) -> dict[str, Any]:
    about = {
        "llm.model_name": "heron-1-2026",
        "llm.invocation_parameters": '{"model": "heron-1"}',
        **messages("input", {"role": "user", "content": "Mend it."}, *sent),
        **messages("output", *said),
        **fields.pop("about", {}),
    }
    return span("LLM", number, start, start + 1, about, **fields)


def ran(number: int, start: int, given: Any, output: Any, **fields: Any) -> dict[str, Any]:
    about = {"tool.name": "read_file", "input.value": given, "output.value": output}
    known = {key: each for key, each in about.items() if each is not None}
    return span("TOOL", number, start, start + 1, {**known, **fields.pop("about", {})}, **fields)


ROOT = span("AGENT", 1, 0, 20, {"agent.name": "heron", "output.value": "Done."}, name="solve")
SENT = (called(FIRST, SECOND), answered("x = 1"), answered("gone", "c2"))
SPANS = [
    asked(4, 10, called(text="Done."), sent=SENT, about={"llm.finish_reason": "stop"}),
    ran(3, 5, FIRST[2], "x = 1", about={"tool.id": "c1", "tool.parameters": '{"path": "str"}'}),
    asked(2, 1, called(FIRST, SECOND), about={**USED, "metadata": '{"task_id": "shelf-1"}'}),
    ROOT,
]


def calls_of(attempt: Trajectory) -> list[ToolCall]:
    return [call for turn in attempt.turns or () for call in turn.tool_calls]


def test_each_field_of_a_trace(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "spans.jsonl", *SPANS))
    assert (attempt.task_id, attempt.attempt, attempt.agent) == ("shelf-1", "0a", "heron")
    assert (attempt.model, attempt.final_output, attempt.failure) == ("heron-1", "Done.", None)
    assert (attempt.duration_seconds, attempt.unusable) == (20.5, {})
    assert attempt.metadata == {"exit_status": "stop"}
    first, last = attempt.turns or ()
    assert (first.text, first.agent, last.text, last.usage) == ("I look.", "heron", "Done.", None)
    assert first.usage == Usage(
        input_tokens=100,
        output_tokens=20,
        cached_input_tokens=64,
        cache_write_tokens=8,
        reasoning_tokens=7,
        total_tokens=120,
        cost_usd=0.0021,
    )
    one, other = first.tool_calls
    assert (one.id, one.name, one.arguments) == ("c1", "read_file", {"path": "a.py"})
    assert (one.result, one.success, one.duration_seconds) == ("x = 1", True, 1.5)
    assert (other.arguments, other.result, other.success) == ({"path": "b.py"}, "gone", None)


def test_nested_models_count_once_with_chains_between(tmp_path: Path) -> None:
    outer = asked(2, 1, called(text="Done."), about=USED)
    chain = span("CHAIN", 3, 1, 2, {}, parent_id="0x02")
    inner = asked(4, 1, called(text="Done."), parent_id="0x03")
    attempt = read_one(write_lines(tmp_path / "a", ROOT, outer, chain, inner))
    (turn,) = attempt.turns or ()
    assert turn.usage is not None
    assert turn.usage.total_tokens == 120


def test_parts_of_messages(tmp_path: Path) -> None:
    said = {
        "role": "assistant",
        "content": "I look.",
        "contents.0.message_content.type": "reasoning",
        "contents.0.message_content.text": "Hm.",
        "contents.1.message_content.type": "text",
        "contents.1.message_content.text": "I look.",
        "contents.2.message_content.type": "tool_use",
        "contents.2.tool_call.id": "c1",
        "contents.2.tool_call.function.name": "read_file",
        "contents.2.tool_call.function.arguments": '{"path": "a.py"}',
    }
    given = {
        "role": "tool",
        "tool_call_id": "c1",
        "contents.0.message_content.type": "text",
        "contents.0.message_content.text": "x = 1",
    }
    older = {"role": "assistant", "function_call_name": "stop"}
    older["function_call_arguments_json"] = "{}"
    lines = [asked(2, 1, said), asked(3, 3, older, sent=(said, given))]
    attempt = read_one(write_lines(tmp_path / "a", *lines))
    assert [turn.text for turn in attempt.turns or ()] == ["I look.", None]
    assert [(each.name, each.arguments, each.result) for each in calls_of(attempt)] == [
        ("read_file", {"path": "a.py"}, "x = 1"),
        ("stop", {}, None),
    ]


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ({"llm.choices.0.completion.text": "42", "llm.choices.1.completion.text": "43"}, "42"),
        ({"output.value": '{"choices": [{"message": {"content": "42"}}]}'}, "42"),
        ({"output.value": "42 is it"}, "42 is it"),
        ({"output.value": "__REDACTED__"}, None),
        ({}, None),
    ],
)
def test_answers_without_messages(about: Any, text: str | None, tmp_path: Path) -> None:
    (turn,) = read_one(write_lines(tmp_path / "a", span("LLM", 1, 0, 1, about))).turns or ()
    assert (turn.text, turn.usage) == (text, None)


def test_results_of_anthropic_are_parts(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "x = 1"}]
    listed = answered(json.dumps([{"type": "file"}]), "c2")
    sent = (called(FIRST, SECOND), answered(json.dumps(parts)), listed)
    lines = [asked(2, 1, called(FIRST, SECOND)), asked(3, 3, called(text="Done."), sent=sent)]
    calls = calls_of(read_one(write_lines(tmp_path / "a", *lines)))
    assert [each.result for each in calls] == ["x = 1", '[{"type": "file"}]']


def test_tools_of_frameworks_are_matched_to_calls(tmp_path: Path) -> None:
    message = {"type": "tool", "data": {"content": "gone", "tool_call_id": "c1", "status": "error"}}
    given = '{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"path": "b.py"}}'
    alone = ran(5, 8, "a.py", "y", about={"tool.name": "open", "tool_call.id": "c3"})
    tools = [ran(3, 5, given, "x"), ran(4, 6, "a.py", json.dumps(message)), alone]
    path = write_lines(tmp_path / "a", asked(2, 1, called(FIRST, SECOND)), *tools)
    found = [(each.name, each.id, each.arguments) for each in calls_of(read_one(path))]
    assert found == [
        ("read_file", "c1", {"path": "a.py"}),
        ("read_file", "c2", {"path": "b.py"}),
        ("open", "c3", "a.py"),
    ]
    results = [(each.result, each.success) for each in calls_of(read_one(path))]
    assert results == [("gone", False), ("x", True), ("y", True)]


def test_ids_that_are_used_again_are_of_the_latest_turn(tmp_path: Path) -> None:
    lines = [
        asked(2, 1, called(FIRST)),
        ran(3, 3, FIRST[2], "x = 1"),
        asked(4, 5, called(FIRST)),
        ran(5, 7, FIRST[2], "x = 2", end_time="2026-03-01T10:00:09Z"),
    ]
    calls = calls_of(read_one(write_lines(tmp_path / "a", *lines)))
    assert [(each.result, each.duration_seconds) for each in calls] == [
        ("x = 1", 1.5),
        ("x = 2", 2),
    ]


def test_errors(tmp_path: Path) -> None:
    said = "OSError('gone')Traceback (most recent call last):\n\n  File"
    failed = ran(3, 5, FIRST[2], None, status={"status_code": "ERROR", "description": said})
    event = {"name": "exception", "attributes": {"exception.type": "a.BadRequest"}}
    status = {"status_code": "ERROR", "description": "maximum context length is 8 tokens"}
    refused = asked(4, 9, {"role": "assistant"}, status=status, events=[event])
    root = {**ROOT, "status": status, "events": [event]}
    attempt = read_one(
        write_lines(tmp_path / "a", asked(2, 1, called(FIRST)), failed, refused, root)
    )
    assert len(attempt.turns or ()) == 1
    (call,) = calls_of(attempt)
    assert (call.success, call.error, call.result) == (False, "OSError('gone')", None)
    message = "maximum context length is 8 tokens"
    assert attempt.failure == Failure(reason="budget_exhausted", message=message)
    assert attempt.metadata == {"exit_status": "BadRequest"}


def test_what_surrounds_the_trace_of_an_agent_is_no_agent(tmp_path: Path) -> None:
    status = {"status_code": "ERROR", "description": "Error in agent run: {'error': 'gone'}"}
    around = span("AGENT", 1, 0, 20, {"metadata": "{}"}, name="Agent workflow")
    agent = span("AGENT", 2, 1, 9, {"agent.name": "heron"}, status=status)
    attempt = read_one(
        write_lines(tmp_path / "a", around, agent, asked(3, 2, called(FIRST), parent_id="0x02"))
    )
    assert (attempt.agent, attempt.duration_seconds) == ("heron", 20.5)
    assert attempt.failure == Failure(reason="error", message=status["description"])
    assert [turn.agent for turn in attempt.turns or ()] == ["heron"]


@pytest.mark.parametrize(
    ("kind", "name", "about", "agent"),
    [
        ("CHAIN", "graph", {}, "graph"),
        ("CHAIN", "graph", {"output.value": "Done."}, "graph"),
        ("AGENT", "heron.run", {"input.value": "Mend it."}, "heron"),
        ("AGENT", "solve", {"agent.name": "heron"}, "heron"),
    ],
)
def test_the_root_may_name_the_agent(
    kind: str, name: str, about: Any, agent: str, tmp_path: Path
) -> None:
    root = span(kind, 1, 0, 20, about, name=name)
    attempt = read_one(write_lines(tmp_path / "a", asked(2, 1, called(FIRST)), root))
    assert (attempt.agent, attempt.final_output) == (agent, about.get("output.value", "I look."))


def test_both_conventions_count_once(tmp_path: Path) -> None:
    about = {
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": []}]),
        "gen_ai.usage.input_tokens": 100,
    }
    client = by_the_conventions("chat", 3, 4, **about) | {"parent_id": "0x02"}
    same = asked(4, 6, called(SECOND), about={"gen_ai.operation.name": "chat", **USED, **about})
    tool = ran(5, 8, SECOND[2], "y", about={"tool.id": "c2"})
    conventional = {"gen_ai.tool.name": "read_file", "gen_ai.tool.call.result": "z"}
    inner = by_the_conventions("execute_tool", 9, 9, **conventional) | {"parent_id": "0x05"}
    outer = asked(2, 1, called(FIRST), about=USED, end_time="2026-03-01T10:00:05Z")
    attempt = read_one(write_lines(tmp_path / "a", ROOT, inner, tool, client, outer, same))
    assert [turn.usage and turn.usage.input_tokens for turn in attempt.turns or ()] == [100, 100]
    assert [(each.id, each.result) for each in calls_of(attempt)] == [("c2", "z")]


def test_one_bad_span_does_not_lose_the_others(tmp_path: Path) -> None:
    bad: list[Any] = [
        {**ROOT, "context": {"trace_id": None, "span_id": []}, "parent_id": 7, "events": 3},
        {**asked(9, 1), "attributes": {"openinference.span.kind": ["LLM"]}},
        {"name": "lost"},
        "{",
        3,
    ]
    attempts, problems = read(write_lines(tmp_path / "spans.jsonl", SPANS[0], *bad, *SPANS[1:]))
    assert [(each.task_id, len(each.turns or ())) for each in attempts] == [("shelf-1", 2)]
    assert [(each.line, re.split("[,:]", each.message)[0]) for each in problems] == [
        (4, "expected a span with its context and parent_id"),
        (5, "invalid JSON"),
        (6, "expected an object"),
    ]
