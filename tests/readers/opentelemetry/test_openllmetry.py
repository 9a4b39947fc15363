"""Spans in the layouts of OpenLLMetry's instrumentations and of Traceloop's decorators."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.opentelemetry.test_spans import attributes, export, one, read, span
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ToolCall, Trajectory

FIRST = {"id": "c1", "name": "read_file", "arguments": '{"path": "a.py"}'}
SECOND = {"id": "c2", "name": "read_file", "arguments": '{"path": "b.py'}
USED = {
    "gen_ai.usage.prompt_tokens": 100,
    "gen_ai.usage.completion_tokens": 20,
    "gen_ai.usage.cache_read_input_tokens": 64,
    "gen_ai.usage.cache_creation_input_tokens": 8,
    "llm.usage.reasoning_tokens": 7,
}


def indexed(kind: str, *messages: dict[str, Any]) -> dict[str, Any]:
    """Messages as attributes, one for each field."""
    found: dict[str, Any] = {}
    for at, message in enumerate(messages):
        for key, value in message.items():
            if key == "tool_calls":
                for n, call in enumerate(value):
                    for name, each in call.items():
                        found[f"gen_ai.{kind}.{at}.tool_calls.{n}.{name}"] = each
            else:
                found[f"gen_ai.{kind}.{at}.{key}"] = value
    return found


def bare(name: str, start: int, end: int, about: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A span without an operation and without an agent."""
    own = {**span(name, start, end, name=name), "attributes": attributes(about)}
    return {**own, **fields}


def asked(start: int, sent: Any, said: Any, **fields: Any) -> dict[str, Any]:
    """A call of a model as instrumentations wrote it up to 0.53."""
    about = {
        "llm.request.type": "chat",
        "gen_ai.request.model": "m",
        **USED,
        **indexed("prompt", {"role": "user", "content": "Mend it."}, *sent),
        **indexed("completion", *said),
        **fields.pop("about", {}),
    }
    return bare("openai.chat", start, start + 2, about, **fields)


def did(kind: str, name: str, start: int, end: int, **fields: Any) -> dict[str, Any]:
    """A decorated function; ``given`` and ``output`` are what it was given and returned."""
    about: dict[str, Any] = {"traceloop.span.kind": kind, "traceloop.entity.name": name}
    for key, value in (
        ("input", fields.pop("given", None)),
        ("output", fields.pop("output", None)),
    ):
        if value is not None:
            about[f"traceloop.entity.{key}"] = json.dumps(value)
    return bare(f"{name}.{kind}", start, end, {**about, **fields.pop("about", {})}, **fields)


def answer(*calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    reason = "tool_calls" if calls else "stop"
    found = {"role": "assistant", "finish_reason": reason, **fields}
    return {**found, "tool_calls": calls} if calls else found


def result(content: Any, identity: str | None = "c1") -> dict[str, Any]:
    named = {} if identity is None else {"tool_call_id": identity}
    return {"role": "tool", "content": content, **named}


LOOKED = answer(FIRST, SECOND, content="I look.")
DONE = answer(content="Done.")
SENT = (LOOKED, result("x = 1"), result("no such file", "c2"))


def calls_of(attempt: Trajectory) -> list[ToolCall]:
    return [call for turn in attempt.turns or () for call in turn.tool_calls]


def test_messages_that_are_attributes_for_each_field(tmp_path: Path) -> None:
    attempt = one(tmp_path, asked(1, (), [LOOKED]), asked(5, SENT, [DONE]))
    looked, done = attempt.turns or ()
    assert (looked.text, done.text, attempt.final_output) == ("I look.", "Done.", "Done.")
    assert [(each.id, each.arguments, each.result) for each in looked.tool_calls] == [
        ("c1", {"path": "a.py"}, "x = 1"),
        ("c2", '{"path": "b.py', "no such file"),
    ]
    assert [(each.success, each.duration_seconds) for each in looked.tool_calls] == [
        (None, None)
    ] * 2
    assert looked.usage == Usage(
        input_tokens=100,
        output_tokens=20,
        cached_input_tokens=64,
        cache_write_tokens=8,
        reasoning_tokens=7,
    )
    assert (attempt.model, attempt.agent, attempt.unusable) == ("m", None, {})
    assert attempt.metadata == {"exit_status": "stop"}


def test_results_among_the_messages_of_the_conventions(tmp_path: Path) -> None:
    parts = [{"type": "tool_call", **FIRST}, {"type": "tool_call", **SECOND}]
    said = {"role": "assistant", "parts": parts}
    given = [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": key, "response": value}]}
        for key, value in (("c1", "x = 1"), ("c2", "no such file"))
    ]
    begun = {"role": "assistant", "parts": [{"type": "text", "content": "So"}]}
    sent = {"gen_ai.input.messages": json.dumps([said, *given, begun])}
    first = span("chat", 1, 2, about={"gen_ai.output.messages": json.dumps([said])})
    attempt = one(tmp_path, first, span("chat", 5, 6, about=sent))
    assert [each.result for each in calls_of(attempt)] == ["x = 1", "no such file"]


def test_decorated_functions_around_the_calls(tmp_path: Path) -> None:
    flow = did("workflow", "mend", 0, 20, spanId="w", output="Done.")
    agent = did("agent", "heron", 1, 19, spanId="a", parentSpanId="w")
    task = did("task", "ask", 1, 4, spanId="k", parentSpanId="a", given={"args": [], "kwargs": {}})
    ran = did("tool", "read_file", 4, 5, given={"args": ["a.py"], "kwargs": {}}, output={"x": 1})
    failed = {"status": {"code": 2, "message": "gone"}}
    # It began first, but its arguments are those of the first call.
    broke = did("tool", "read_file", 3, 4, given={"args": ["b.py"], "kwargs": {}}, **failed)
    good = {**SECOND, "arguments": '{"path": "b.py"}'}
    said = answer(FIRST, good, content="I look.")
    first = asked(1, (), [said], parentSpanId="k")
    sent = (said, result('{"x": 1}'), result("error: gone", "c2"))
    attempt = one(tmp_path, flow, agent, task, ran, broke, first, asked(6, sent, [DONE]))
    assert (attempt.agent, attempt.duration_seconds, attempt.failure) == ("heron", 20.0, None)
    assert len(attempt.turns or ()) == 2
    one_call, other = calls_of(attempt)
    assert (one_call.id, one_call.result, one_call.success) == ("c1", '{"x": 1}', True)
    assert (other.id, other.result, other.success) == ("c2", "error: gone", False)
    assert (other.error, other.duration_seconds) == ("gone", 1.0)


def test_what_functions_returned_where_no_later_call_has_it(tmp_path: Path) -> None:
    ran = did("tool", "read_file", 4, 5, given={"args": [], "kwargs": {"path": "a.py"}}, output="x")
    aside = did("tool", "log", 5, 6, given={"args": [], "kwargs": {"n": 1}}, output=None)
    unnamed = did("tool", "log", 6, 7, given={"args": [1], "kwargs": {}})
    attempt = one(tmp_path, asked(1, (), [answer(FIRST)]), ran, aside, unnamed)
    found = [(each.name, each.arguments, each.result) for each in calls_of(attempt)]
    assert found == [
        ("read_file", {"path": "a.py"}, "x"),
        ("log", {"n": 1}, None),
        ("log", None, None),
    ]
    assert list(attempt.unusable) == ["turns.tool_calls.arguments"]


def test_tools_of_langchain(tmp_path: Path) -> None:
    message = {"content": "x = 1", "type": "tool", "tool_call_id": "c2", "status": "success"}
    output = {"output": {"lc": 1, "type": "constructor", "kwargs": message}, "kwargs": {}}
    given = {"input_str": "{'path': 'a.py'}", "inputs": {"path": "a.py"}, "kwargs": {}}
    both = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.call.arguments": json.dumps(given),
        "gen_ai.tool.call.result": json.dumps(output),
    }
    named = did("tool", "read_file", 3, 4, given=given, output=output, about=both)
    plain = did("tool", "read_file", 4, 5, given=given, output={"output": "y", "kwargs": {}})
    silent = {**LOOKED, "content": '""'}  # how it writes an empty text
    attempt = one(tmp_path, asked(1, (), [silent]), named, plain)
    assert attempt.final_output is None
    assert [(each.id, each.result) for each in calls_of(attempt)] == [("c1", "y"), ("c2", "x = 1")]


@pytest.mark.parametrize(("content", "error"), [("gone", "gone"), ([], "the span failed")])
def test_a_tool_of_langchain_may_return_that_it_failed(
    tmp_path: Path, content: Any, error: str
) -> None:
    message = {"content": content, "type": "tool", "tool_call_id": "c1", "status": "error"}
    output = {"output": {"lc": 1, "kwargs": message}, "kwargs": {}}
    failed = did("tool", "read_file", 3, 4, given={"inputs": {"path": "a.py"}}, output=output)
    attempt = one(tmp_path, asked(1, (), [LOOKED]), failed)
    call, *_ = calls_of(attempt)
    assert (call.id, call.success, call.error) == ("c1", False, error)


def test_thoughts_and_results_of_anthropic(tmp_path: Path) -> None:
    thought = {"role": "thinking", "content": "Hm."}
    blocks = [
        {
            "type": "tool_result",
            "tool_use_id": "c1",
            "content": [{"type": "text", "text": "x = 1"}],
        },
        {"type": "tool_result", "tool_use_id": "c2", "content": "gone", "is_error": True},
    ]
    sent = ({"role": "assistant"}, {"role": "user", "content": json.dumps(blocks)})
    attempt = one(tmp_path, asked(1, (), [thought, LOOKED]), asked(5, sent, [DONE]))
    assert [turn.text for turn in attempt.turns or ()] == ["I look.", "Done."]
    assert [(each.result, each.success) for each in calls_of(attempt)] == [
        ("x = 1", True),
        ("gone", False),
    ]


def test_completions_are_calls_and_embeddings_are_not(tmp_path: Path) -> None:
    about = {"llm.request.type": "completion", **indexed("completion", {"content": "42"})}
    vector = bare("openai.embeddings", 3, 4, {"llm.request.type": "embedding", **USED})
    attempt = one(tmp_path, bare("openai.completion", 1, 2, about), vector)
    assert [turn.text for turn in attempt.turns or ()] == ["42"]
    _, (problem,) = read(tmp_path / "none.jsonl", export(vector, did("task", "ask", 0, 1)))
    assert problem.message.startswith("no span is a call of a model")


def test_a_refused_call_ends_the_run(tmp_path: Path) -> None:
    said = "maximum context length is 8 tokens"
    status = {"code": 2, "message": said}
    event = {"name": "exception", "attributes": attributes({"exception.type": "a.BadRequest"})}
    refused = asked(5, SENT, [], status=status, events=[event])
    attempt = one(tmp_path, asked(1, (), [LOOKED]), refused)
    assert attempt.failure == Failure(reason="budget_exhausted", message=said)
    assert attempt.metadata == {"exit_status": "BadRequest"}
    assert [each.result for each in calls_of(attempt)] == ["x = 1", "no such file"]


def test_a_framework_and_a_client_that_both_write_count_once(tmp_path: Path) -> None:
    outer = asked(0, SENT, [DONE], spanId="o")
    inner = asked(1, (), [{"role": "assistant"}], spanId="i", parentSpanId="o")
    before = asked(-5, (), [LOOKED], spanId="b")
    attempt = one(tmp_path, before, outer, inner)
    assert [turn.usage and turn.usage.input_tokens for turn in attempt.turns or ()] == [100, 100]
    assert [each.result for each in calls_of(attempt)] == ["x = 1", "no such file"]


def test_indexes_with_gaps_and_of_any_size(tmp_path: Path) -> None:
    about = {
        "llm.request.type": "chat",
        "gen_ai.completion.999999999.content": "last",
        "gen_ai.completion.7.tool_calls.900000000.name": "write",
        "gen_ai.completion.7.tool_calls.10.name": "read",
        "gen_ai.completion.7.tool_calls.9.name": "list",
        f"gen_ai.completion.{'9' * 5000}.content": "lost",
        "gen_ai.completion.-1.content": "lost",
        "gen_ai.completion.\u0663.content": "lost",
        "gen_ai.completion.x": "lost",
        "gen_ai.completion.7.tool_calls": "lost",
    }
    attempt = one(tmp_path, bare("openai.chat", 1, 2, about))
    assert attempt.final_output == "last"
    assert [each.name for each in calls_of(attempt)] == ["list", "read", "write"]


@pytest.mark.parametrize("value", [3, True, 0.5, ["a"], {"a": 1}, "", '""', "[", "[3]", "null"])
def test_values_that_are_no_text(value: Any, tmp_path: Path) -> None:
    odd = {"role": value, "content": value, "finish_reason": value, "tool_calls": [FIRST]}
    call = {"id": value, "name": value, "arguments": value}
    sent = (odd, {"role": "tool", "content": value, "tool_call_id": value}, odd)
    ran = did("tool", "read_file", 3, 4, about={"traceloop.entity.input": value})
    kind = did(
        "tool", "x", 4, 5, about={"traceloop.span.kind": value, "traceloop.entity.name": value}
    )
    first = asked(1, (), [odd, {"tool_calls": [call]}])
    attempt = one(tmp_path, first, ran, kind, asked(6, sent, [DONE]))
    assert attempt.final_output == "Done."
    assert calls_of(attempt)[0].id == "c1"


def test_calls_and_results_without_ids(tmp_path: Path) -> None:
    calls = [{key: call[key] for key in ("name", "arguments")} for call in (FIRST, SECOND)]
    said = answer(*calls)
    sent = (said, result("x = 1", None), result("y = 2", None))
    refused = asked(4, sent, [], status={"code": 2, "message": "429"})
    attempt = one(tmp_path, asked(1, (), [said]), refused, asked(7, sent, [DONE]))
    assert [each.result for each in calls_of(attempt)] == ["x = 1", "y = 2"]
    assert attempt.unusable == {}
    # Those of calls of which nothing is known are left.
    attempt = one(tmp_path, asked(1, (), [DONE]), asked(7, sent, [DONE]))
    assert (calls_of(attempt), attempt.unusable) == ([], {})


def test_the_first_result_of_a_call_is_its_result(tmp_path: Path) -> None:
    said = answer(FIRST)
    sent = (said, result("x = 1"), result("again"), result("other", "c9"))
    later = (*sent, DONE, result("changed"))
    attempt = one(tmp_path, asked(1, (), [said]), asked(4, sent, [DONE]), asked(7, later, [DONE]))
    assert [each.result for each in calls_of(attempt)] == ["x = 1"]
    assert attempt.unusable == {}


def test_a_number_of_too_many_digits_is_none(tmp_path: Path) -> None:
    first = asked(1, (), [DONE])
    for each in first["attributes"]:
        if each["key"] == "gen_ai.usage.prompt_tokens":
            each["value"] = {"intValue": "9" * 5000}
    (turn,) = one(tmp_path, first).turns or ()
    assert turn.usage is not None
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (None, 20)
