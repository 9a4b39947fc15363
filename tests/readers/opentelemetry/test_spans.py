"""Spans of OpenTelemetry by the conventions for generative AI, in OTLP's JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import read_trajectories
from trajmeter.records import Failure, Trajectory, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem

AGENT = {"gen_ai.agent.name": "heron"}
READ = {"type": "tool_call", "id": "c1", "name": "read_file", "arguments": {"path": "a.py"}}
SAY = {"type": "text", "content": "Done."}


def typed(value: Any) -> dict[str, Any]:
    """A value as OTLP wraps it."""
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case list():
            return {"arrayValue": {"values": [typed(each) for each in value]}}
        case dict():
            return {"kvlistValue": {"values": attributes(value)}}
    return {"stringValue": value}


def attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": typed(value)} for key, value in values.items()]


def span(operation: str, start: int, end: int, **fields: Any) -> dict[str, Any]:
    """A span of some seconds; ``about`` are its attributes."""
    about = {"gen_ai.operation.name": operation, **fields.pop("about", {})}
    return {
        "traceId": "t1",
        "spanId": f"{operation}-{start}",
        "name": f"{operation} x",
        "startTimeUnixNano": f"{1_760_000_000 + start}000000000",
        "endTimeUnixNano": f"{1_760_000_000 + end}000000000",
        "attributes": attributes({**AGENT, **about}),
        "status": {},
        **fields,
    }


def chat(start: int, *parts: Any, **about: Any) -> dict[str, Any]:
    messages = [{"role": "assistant", "parts": [*parts], "finish_reason": "stop"}]
    usage = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20}
    said = {"gen_ai.output.messages": json.dumps(messages)} if parts else {}
    model = {"gen_ai.request.model": "m", "gen_ai.response.finish_reasons": ["stop"]}
    return span("chat", start, start + 2, about={**model, **usage, **said, **about})


def tool(start: int, identity: str | None = "c1", **fields: Any) -> dict[str, Any]:
    about = {
        "gen_ai.tool.name": "read_file",
        "gen_ai.tool.call.arguments": '{"path": "a.py"}',
        "gen_ai.tool.call.result": "x = 1",
        **fields.pop("about", {}),
    }
    if identity is not None:
        about["gen_ai.tool.call.id"] = identity
    known = {key: value for key, value in about.items() if value is not None}
    return span("execute_tool", start, start + 1, about=known, **fields)


def export(*spans: Any, **resource: Any) -> dict[str, Any]:
    about = {"attributes": attributes(resource)}
    return {"resourceSpans": [{"resource": about, "scopeSpans": [{"spans": list(spans)}]}]}


def read(path: Path, *exports: Any) -> tuple[list[Trajectory], list[ReadProblem]]:
    path.write_text("".join(f"{json.dumps(each)}\n" for each in exports))
    problems: list[ReadProblem] = []
    return [*read_trajectories(path, on_problem=problems.append)], problems


def one(tmp_path: Path, *spans: Any, **resource: Any) -> Trajectory:
    (attempt,), problems = read(tmp_path / "spans.jsonl", export(*spans, **resource))
    assert problems == []
    return attempt


def test_a_trace_is_an_attempt_in_any_order_of_spans(tmp_path: Path) -> None:
    agent = span("invoke_agent", 0, 20, about={"gen_ai.aggregated_usage.input_tokens": 200})
    cached = {
        "gen_ai.usage.cache_read.input_tokens": 60,
        "gen_ai.usage.cache_creation.input_tokens": 30,
        "gen_ai.usage.reasoning.output_tokens": 5,
    }
    spans = [chat(10, SAY), tool(5), chat(1, READ, **cached), agent]
    attempt = one(tmp_path, *spans)
    assert (attempt.task_id, attempt.agent, attempt.model) == ("t1", "heron", "m")
    assert (attempt.attempt, attempt.duration_seconds, attempt.usage) == (None, 20.0, None)
    assert (attempt.failure, attempt.metadata) == (None, {"exit_status": "stop"})
    looked, said = attempt.turns or ()
    (call,) = looked.tool_calls
    assert (call.name, call.arguments, call.result) == ("read_file", {"path": "a.py"}, "x = 1")
    assert (call.id, call.success, call.duration_seconds) == ("c1", True, 1.0)
    assert (looked.agent, looked.duration_seconds) == ("heron", 5.0)
    assert looked.usage == Usage(
        input_tokens=100,
        output_tokens=20,
        cached_input_tokens=60,
        cache_write_tokens=30,
        reasoning_tokens=5,
    )
    assert [view.path for view in looked.views or ()] == ["a.py"]
    assert (said.text, said.usage, attempt.final_output) == (
        "Done.",
        Usage(input_tokens=100, output_tokens=20),
        "Done.",
    )


def test_a_document_and_lines_hold_the_same(tmp_path: Path) -> None:
    path = tmp_path / "spans.json"
    first, _ = read(path, export(chat(1, READ)), export(tool(5), chat(10, SAY)))
    path.write_text(json.dumps(export(chat(1, READ), tool(5), chat(10, SAY)), indent=1))
    assert [*read_trajectories(path)] == first


def test_lines_may_be_lists_of_exports_of_which_the_first_is_empty(tmp_path: Path) -> None:
    expected, _ = read(tmp_path / "spans.jsonl", export(chat(1, READ)), export(tool(5)))
    lines: list[Any] = [[], [export(chat(1, READ))], [], [export(tool(5))]]
    assert read(tmp_path / "spans.jsonl", *lines) == (expected, [])
    assert read(tmp_path / "spans.jsonl", [], export(chat(1, READ), tool(5))) == (expected, [])


def test_each_trace_is_an_attempt(tmp_path: Path) -> None:
    other = [{**each, "traceId": "t2"} for each in (chat(3, READ), tool(6))]
    attempts, _ = read(tmp_path / "s.jsonl", export(chat(1, SAY), other[0]), export(other[1]))
    assert [(each.task_id, len(each.turns or ())) for each in attempts] == [("t1", 1), ("t2", 1)]
    assert str(attempts[1].source).endswith("s.jsonl: t2")


def test_a_task_may_be_named(tmp_path: Path) -> None:
    named = chat(1, SAY, **{"trajmeter.task_id": "shelf-1"})
    for attempt in (
        one(tmp_path, named),
        one(tmp_path, chat(1, SAY), **{"trajmeter.task_id": "shelf-1"}),
    ):
        assert (attempt.task_id, attempt.attempt) == ("shelf-1", "t1")


def test_calls_are_in_the_order_of_the_messages_not_of_the_tools(tmp_path: Path) -> None:
    second = {**READ, "id": "c2", "arguments": '{"path": "b.py'}
    attempt = one(tmp_path, chat(1, READ, second), tool(5, "c2"), tool(6, "c1"))
    (turn,) = attempt.turns or ()
    assert [call.id for call in turn.tool_calls] == ["c1", "c2"]
    # Arguments that do not parse are text in the message, whatever the span of the tool has.
    assert turn.tool_calls[1].arguments == '{"path": "b.py'


def test_without_messages_calls_are_those_of_the_tools(tmp_path: Path) -> None:
    attempt = one(tmp_path, chat(1), tool(5), tool(6, None), chat(10))
    looked, _ = attempt.turns or ()
    assert [call.name for call in looked.tool_calls] == ["read_file", "read_file"]
    assert looked.text is None
    assert attempt.unusable == {}
    bare = {"gen_ai.tool.call.arguments": None, "gen_ai.tool.call.result": None}
    attempt = one(tmp_path, chat(1), tool(5, about=bare))
    ((call,),) = [turn.tool_calls for turn in attempt.turns or ()]
    assert (call.arguments, call.result, call.success) == (None, None, True)
    assert [turn.views for turn in attempt.turns or ()] == [None]
    assert attempt.leaks is None
    assert attempt.unusable == {
        "turns.tool_calls.arguments": "no message and no span has the arguments of a call"
    }


def test_tools_before_any_answer_are_a_turn(tmp_path: Path) -> None:
    (turn,) = one(tmp_path, tool(5)).turns or ()
    assert (len(turn.tool_calls), turn.usage) == (1, None)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"status": {"code": 2, "message": "gone"}}, "gone"),
        ({"status": {"code": "STATUS_CODE_ERROR"}, "about": {"error.type": "OSError"}}, "OSError"),
        ({"about": {"error.type": "OSError"}}, "OSError"),
    ],
)
def test_spans_of_tools_that_failed(fields: Any, error: str, tmp_path: Path) -> None:
    (turn,) = one(tmp_path, chat(1, READ), tool(5, **fields)).turns or ()
    (call,) = turn.tool_calls
    assert (call.success, call.error) == (False, error)
    assert (turn.views, turn.error) == ((), Failure(reason="tool_error", message=error))


def test_a_prompt_that_was_too_long_exhausted_the_budget(tmp_path: Path) -> None:
    said = "status_code: 400, body: {'code': 'context_length_exceeded'}"
    event = {"name": "exception", "attributes": attributes({"exception.type": "ModelHTTPError"})}
    agent = span("invoke_agent", 0, 9, status={"code": 2, "message": said}, events=[event])
    attempt = one(tmp_path, chat(1, SAY), agent)
    assert attempt.failure == Failure(reason="budget_exhausted", message=said)
    assert attempt.metadata == {"exit_status": "ModelHTTPError"}


def test_calls_that_are_not_objects_lose_nothing_else(tmp_path: Path) -> None:
    messages = json.dumps([{"role": "assistant", "content": "Hi.", "tool_calls": [3, None]}])
    attempt = one(tmp_path, chat(1, **{"gen_ai.output.messages": messages}))
    assert attempt.final_output == "Hi."


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        ("pydantic_ai.exceptions.UsageLimitExceeded", "budget_exhausted"),
        ("builtins.ValueError", "ValueError"),
    ],
)
def test_an_exception_of_an_agent_is_a_failure(raised: str, reason: str, tmp_path: Path) -> None:
    event = {"name": "exception", "attributes": attributes({"exception.type": raised})}
    agent = span("invoke_agent", 0, 9, status={"code": 2, "message": "too much"}, events=[event])
    attempt = one(tmp_path, chat(1, SAY), agent)
    assert attempt.failure == Failure(reason=reason, message="too much")
    assert attempt.metadata == {"exit_status": raised.rpartition(".")[2]}


def test_a_missing_answer_is_not_a_turn(tmp_path: Path) -> None:
    failed = span("chat", 1, 2, status={"code": 2, "message": "500"})
    assert len(one(tmp_path, failed, chat(3, SAY)).turns or ()) == 1


def test_older_names_and_structured_values(tmp_path: Path) -> None:
    old = {
        "gen_ai.usage.prompt_tokens": 7,
        "gen_ai.usage.completion_tokens": 3,
        "gen_ai.completion": json.dumps([{"role": "assistant", "content": "Hi."}]),
    }
    (turn,) = one(tmp_path, span("chat", 1, 2, about=old)).turns or ()
    assert (turn.text, turn.usage) == ("Hi.", Usage(input_tokens=7, output_tokens=3))
    structured = {"gen_ai.output.messages": [{"role": "assistant", "parts": [READ]}]}
    (turn,) = one(tmp_path, span("chat", 1, 2, about=structured)).turns or ()
    assert turn.tool_calls[0].arguments == {"path": "a.py"}


@pytest.mark.parametrize("is_packed", [False, True])
def test_answers_that_are_events(tmp_path: Path, *, is_packed: bool) -> None:
    call = {"id": "c1", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
    message = {"role": "assistant", "content": "Look.", "tool_calls": [call]}
    choice = {"index": 0, "finish_reason": "tool_calls", "message": message}
    about = {"gen_ai.event.content": json.dumps(choice)} if is_packed else choice
    events = [
        {"name": "gen_ai.user.message", "attributes": attributes({"content": "Mend it."})},
        {"name": "gen_ai.choice", "attributes": attributes(about)},
    ]
    attempt = one(tmp_path, span("chat", 0, 2, events=events), tool(3))
    (turn,) = attempt.turns or ()
    assert turn.text == "Look."
    assert [(each.name, each.arguments, each.result) for each in turn.tool_calls] == [
        ("read_file", {"path": "a.py"}, "x = 1")
    ]


def test_other_spans_are_left_out(tmp_path: Path) -> None:
    http = {**span("GET", 1, 2), "attributes": attributes({"http.method": "GET"})}
    path = tmp_path / "s.jsonl"
    attempts, problems = read(path, export(http, chat(3, SAY)))
    assert (len(attempts), problems) == (1, [])
    attempts, (problem,) = read(path, export(http))
    assert attempts == []
    assert problem.message.startswith("no span is a call of a model or of a tool")


def test_a_broken_line_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    lines = [
        json.dumps(export(chat(1, SAY))),
        '{"resourceSpans": [',
        json.dumps(export(chat(5, SAY))),
    ]
    path.write_text("\n".join(lines))
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert len(attempt.turns or ()) == 2
    assert [problem.line for problem in problems] == [2]


def test_a_call_of_which_framework_and_client_both_write_counts_once(tmp_path: Path) -> None:
    used = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20}
    outer = {**chat(0, SAY), "spanId": "o", "parentSpanId": "a"}
    failed = span("chat", 1, 2, spanId="f", parentSpanId="o", status={"code": 2, "message": "429"})
    inner = span("chat", 2, 3, spanId="i", parentSpanId="o", about=used)
    agent = span("invoke_agent", 0, 9, spanId="a")
    attempt = one(tmp_path, outer, failed, inner, agent)
    (turn,) = attempt.turns or ()
    assert turn.usage == Usage(input_tokens=100, output_tokens=20)
    assert turn.text == "Done."  # only the outer one tells


def test_spans_nested_in_a_cycle_are_read(tmp_path: Path) -> None:
    first = {**chat(0, SAY), "spanId": "x", "parentSpanId": "y"}
    second = {**chat(1, SAY), "spanId": "y", "parentSpanId": "x"}
    alone = {**chat(2, SAY), "spanId": "z", "parentSpanId": "z"}
    attempt = one(tmp_path, first, second, alone)
    assert attempt.final_output == "Done."


@pytest.mark.parametrize(("first", "expected"), [(True, None), (False, "429")])
def test_a_trace_without_an_agent_ends_as_its_last_call(
    tmp_path: Path, *, first: bool, expected: str | None
) -> None:
    refused = span("chat", 0 if first else 9, 10, status={"code": 2, "message": "429"})
    attempt = one(tmp_path, refused, chat(5, SAY))
    assert (attempt.failure and attempt.failure.message) == expected


def test_an_attempt_whose_model_never_answered_is_one_without_turns(tmp_path: Path) -> None:
    refused = span("chat", 1, 2, status={"code": 2, "message": "429"})
    attempt = one(tmp_path, refused)
    assert (attempt.turns, attempt.failure and attempt.failure.message) == ((), "429")


def test_a_sub_agent_that_failed_fails_not_the_run(tmp_path: Path) -> None:
    agent = span("invoke_agent", 0, 9, spanId="a")
    tool = span("execute_tool", 1, 4, spanId="t", parentSpanId="a")
    helper = span(
        "invoke_agent", 1, 3, spanId="h", parentSpanId="t", status={"code": 2, "message": "lost"}
    )
    attempt = one(tmp_path, helper, tool, chat(5, SAY), agent)
    assert attempt.failure is None


def test_a_workflow_that_failed_has_the_name_of_its_agent(tmp_path: Path) -> None:
    status = {"code": 2, "message": "MaxIterations"}
    workflow = span("invoke_workflow", 0, 9, spanId="w", status=status)
    workflow["attributes"] = attributes({"gen_ai.operation.name": "invoke_workflow"})
    agent = span("invoke_agent", 1, 8, spanId="a", parentSpanId="w")
    attempt = one(tmp_path, workflow, agent, chat(2, SAY))
    assert attempt.agent == "heron"
    assert attempt.failure == Failure(reason="budget_exhausted", message="MaxIterations")


def test_what_an_agent_came_to_by_a_call(tmp_path: Path) -> None:
    call = {"type": "tool_call", "id": "c9", "name": "final_result", "arguments": {"n": 1}}
    agent = span("invoke_agent", 0, 9, about={"final_result": '{"n": 1}'})
    assert one(tmp_path, agent, chat(1, call)).final_output == '{"n": 1}'


def test_a_span_that_was_exported_again_counts_once(tmp_path: Path) -> None:
    spans = export(chat(1, READ), tool(5), chat(10, SAY))
    (attempt,), problems = read(tmp_path / "spans.jsonl", spans, spans)
    assert problems == []
    assert [len(turn.tool_calls) for turn in attempt.turns or ()] == [1, 0]


def test_a_result_whose_content_was_not_recorded_is_unknown(tmp_path: Path) -> None:
    call = {"type": "tool_call", "id": "c1", "name": "read_file"}
    given = {"type": "tool_call_response", "id": "c1", "name": "read_file"}
    sent = json.dumps([{"role": "user", "parts": [given]}])
    attempt = one(tmp_path, chat(1, call), chat(10, SAY, **{"gen_ai.input.messages": sent}))
    (looked, _) = attempt.turns or ()
    assert [each.result for each in looked.tool_calls] == [None]


def test_a_span_about_something_else_has_no_task_of_its_resource(tmp_path: Path) -> None:
    request = {**span("GET", 0, 20), "attributes": attributes({"http.route": "/"})}
    agent = span("invoke_agent", 1, 19, about={"trajmeter.task_id": "own"})
    attempt = one(tmp_path, request, agent, chat(2), **{"trajmeter.task_id": "of the resource"})
    assert attempt.task_id == "own"
