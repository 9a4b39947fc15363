"""Spans of MLflow, exported over OTLP or in its own traces."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read_one, turns_of, write_lines
from tests.readers.mlflow.examples import (
    ANSWER,
    ASKED,
    CALL,
    COUNTS,
    RESULT,
    ROOT,
    SPANS,
    TRACE,
    asked,
    called,
    completion,
    span,
    trace,
)

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Trajectory


def attributes(given: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": each}} for key, each in given.items()]


def exported(value: dict[str, Any]) -> dict[str, Any]:
    """A span in OTLP's JSON."""
    parent = value["parent_span_id"]
    return {
        "traceId": "a9c7782b9fe9320803af6a91b209b130",
        "spanId": base64.b64decode(value["span_id"]).hex(),
        "parentSpanId": base64.b64decode(parent).hex() if parent else None,
        "name": value["name"],
        "startTimeUnixNano": str(value["start_time_unix_nano"]),
        "endTimeUnixNano": str(value["end_time_unix_nano"]),
        "attributes": attributes(value["attributes"]),
        "events": [
            {**each, "attributes": attributes(each["attributes"])} for each in value["events"]
        ],
        "status": value["status"],
    }


def export(*spans: dict[str, Any], **resource: str) -> dict[str, Any]:
    found = {"scope": {"name": "mlflow"}, "spans": [*map(exported, spans)]}
    about = {f"trajmeter.{key}": each for key, each in resource.items()}
    return {
        "resourceSpans": [{"resource": {"attributes": attributes(about)}, "scopeSpans": [found]}]
    }


def of(tmp_path: Path, *spans: dict[str, Any]) -> Trajectory:
    return read_one(write_lines(tmp_path / "traces.jsonl", trace(*spans)))


def test_exports_have_the_turns_of_the_trace(tmp_path: Path) -> None:
    expected = read_one(write_lines(tmp_path / "a", TRACE))
    attempt = read_one(write_lines(tmp_path / "b", export(*SPANS)))
    assert attempt.turns == expected.turns
    assert (attempt.agent, attempt.model, attempt.final_output) == ("heron", "heron-1", "Done.")
    assert (attempt.task_id, attempt.passed) == ("a9c7782b9fe9320803af6a91b209b130", None)


@pytest.mark.parametrize("task", ["7", "shelf-1"])
def test_the_resource_or_an_attribute_names_the_task(task: str, tmp_path: Path) -> None:
    assert read_one(write_lines(tmp_path / "a", export(*SPANS, task_id=task))).task_id == task
    named = {**ROOT, "attributes": {**ROOT["attributes"], "trajmeter.task_id": json.dumps(task)}}
    assert read_one(write_lines(tmp_path / "b", export(named, *SPANS[1:]))).task_id == task


def test_the_conventions_of_generative_ai_are_read_as_before(tmp_path: Path) -> None:
    about = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "heron-1"}
    parts = [{"role": "assistant", "parts": [{"type": "text", "content": "Done."}]}]
    about["gen_ai.output.messages"] = json.dumps(parts)
    found = read_one(write_lines(tmp_path / "a", export({**SPANS[2], "attributes": about})))
    assert (found.model, found.final_output) == ("heron-1", "Done.")


@pytest.mark.parametrize("parts", [(), ("CHAIN",), ("CHAIN", "PARSER")])
def test_nested_models_count_once(parts: tuple[str, ...], tmp_path: Path) -> None:
    outer = asked(2, 1, completion(ANSWER), about={"chat.tokenUsage": COUNTS})
    between = [span(3 + at, kind, 1, parent=2 + at) for at, kind in enumerate(parts)]
    inner = asked(9, 1, completion(ANSWER), parent=2 + len(parts))
    (turn,) = turns_of(of(tmp_path, ROOT, outer, *between, inner))
    assert turn.usage is not None
    assert turn.usage.input_tokens == 90
    assert [call.id for call in turn.tool_calls] == ["c1"]


def test_parts_of_a_program_in_a_circle(tmp_path: Path) -> None:
    parts = [span(2, "CHAIN", 1, parent=3), span(3, "CHAIN", 1, parent=2)]
    models = [asked(number, number, "Done.", parent=2) for number in (4, 5)]
    assert len(turns_of(of(tmp_path, ROOT, *parts, *models))) == 2


def named(number: int, title: str, **about: Any) -> dict[str, Any]:
    made = span(number, "AGENT", 0, name=title)
    made["attributes"] |= {key: json.dumps(each) for key, each in about.items()}
    return made


@pytest.mark.parametrize(
    ("agents", "expected"),
    [
        ([named(1, "solve")], ("solve", "solve")),
        ([named(1, "Agent.run", name="heron")], ("heron", "heron")),
        (
            [named(1, "ToolAgent.run", name=None, agent_name="ToolAgent")],
            ("ToolAgent", "ToolAgent"),
        ),
        (
            [named(1, "Runner.run", **{"mlflow.openai.agent_run_root": True}), named(2, "heron")],
            ("heron", "heron"),
        ),
        ([named(1, "heron"), named(2, "osprey")], ("heron", "osprey")),
        ([span(1, "CHAIN", 0, name="LangGraph")], ("LangGraph", None)),
        ([span(1, "UNKNOWN", 0, name="main"), named(2, "heron")], ("heron", "heron")),
    ],
)
def test_agents(
    agents: list[dict[str, Any]], expected: tuple[str, str | None], tmp_path: Path
) -> None:
    attempt = of(tmp_path, *agents, asked(3, 1, "Done.", parent=len(agents)))
    (turn,) = turns_of(attempt)
    assert (attempt.agent, turn.agent) == expected


def test_tools_of_smolagents_are_matched_by_their_arguments(tmp_path: Path) -> None:
    other = {**CALL, "id": "c2", "function": {"name": "read_file", "arguments": '{"path": "b.py"}'}}
    ran = [
        called(
            3 + at,
            3 + at,
            {"_value": path},
            name="SimpleTool.__call__",
            about={"spanInputs": {"sanitize_inputs_outputs": True, "kwargs": {"path": path}}},
        )
        for at, path in enumerate(("b.py", "a.py", "c.py"))
    ]
    (turn,) = turns_of(
        of(tmp_path, ROOT, asked(2, 1, {**ANSWER, "tool_calls": [CALL, other]}), *ran)
    )
    assert [(each.name, each.arguments, each.result) for each in turn.tool_calls] == [
        ("read_file", {"path": "a.py"}, "a.py"),
        ("read_file", {"path": "b.py"}, "b.py"),
        ("SimpleTool.__call__", {"path": "c.py"}, "c.py"),
    ]


def test_tools_of_langchain_name_their_call(tmp_path: Path) -> None:
    given = {"content": "gone", "type": "tool", "tool_call_id": "c1", "status": "error"}
    tool = called(3, 3, given, name="reader")
    tool["attributes"]["tool_call_id"] = '"c1"'
    (turn,) = turns_of(of(tmp_path, ROOT, asked(2, 1, completion(ANSWER)), tool))
    (call,) = turn.tool_calls
    assert (call.name, call.result, call.success) == ("read_file", "gone", False)


def test_results_that_only_the_next_model_was_sent(tmp_path: Path) -> None:
    last = asked(3, 3, completion({"role": "assistant", "content": "Done."}), ANSWER, RESULT)
    first, _ = turns_of(of(tmp_path, ROOT, asked(2, 1, completion(ANSWER)), last))
    assert [call.result for call in first.tool_calls] == ["x = 1"]


def chunk(*calls: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choices = [{"delta": {"tool_calls": [*calls] or None}, "finish_reason": reason}]
    value = json.dumps({"choices": choices, "object": "chat.completion.chunk"})
    return {"name": "mlflow.chunk.item.0", "attributes": {"mlflow.chunk.value": value}}


def part(index: int, arguments: str | None, **call: Any) -> dict[str, Any]:
    return {
        "index": index,
        "id": call.get("id"),
        "function": {"name": call.get("name"), "arguments": arguments},
    }


STREAM = [
    chunk(part(0, '{"path": ', id="c1", name="read_file")),
    chunk(part(0, '"a.py"}'), part(1, None, id="c2", name="stop")),
    chunk(reason="tool_calls"),
    {"name": "mlflow.chunk.item.3", "attributes": {"mlflow.chunk.value": '{"choices": []}'}},
    {"name": "mlflow.chunk.item.4", "attributes": {"mlflow.chunk.value": "cut off"}},
]


def test_calls_of_streamed_answers(tmp_path: Path) -> None:
    answer = completion({"role": "assistant", "content": "I look.", "tool_calls": None})
    streamed = {**asked(2, 1, answer), "events": STREAM}
    attempt = of(tmp_path, ROOT, streamed, called(3, 3, "x = 1"))
    (turn,) = turns_of(attempt)
    assert turn.text == "I look."
    one, other = turn.tool_calls
    assert (one.id, one.arguments, one.result) == ("c1", {"path": "a.py"}, "x = 1")
    assert (other.id, other.name) == ("c2", "stop")
    assert attempt.metadata["exit_status"] == "tool_calls"


def test_a_call_in_many_pieces_is_joined_in_linear_time(tmp_path: Path) -> None:
    text, count = "a" * 16_000_000, 400_000  # to copy the text for each piece takes ten minutes
    first = part(0, f'{{"path": "{text}', id="c1", name="read_file")
    pieces = chunk(first, *[part(0, "b")] * count, part(0, '"}'))
    streamed = {**asked(2, 1, completion({"content": "I look."})), "events": [pieces]}
    (turn,) = turns_of(of(tmp_path, ROOT, streamed))
    assert turn.tool_calls[0].arguments == {"path": text + "b" * count}


def test_recorded_calls_count_more_than_those_of_a_stream(tmp_path: Path) -> None:
    streamed = {**asked(2, 1, completion(ANSWER)), "events": STREAM}
    (turn,) = turns_of(of(tmp_path, ROOT, streamed))
    assert [call.id for call in turn.tool_calls] == ["c1"]


@pytest.mark.parametrize(
    "output",
    [
        completion(ANSWER),
        [ANSWER],
        [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "I look."}],
            },
            {
                "type": "function_call",
                "call_id": "c1",
                "name": "read_file",
                "arguments": '{"path": "a.py"}',
            },
        ],
        {
            "kind": "response",
            "parts": [
                {"part_kind": "text", "content": "I look."},
                {
                    "part_kind": "tool-call",
                    "tool_name": "read_file",
                    "args": '{"path": "a.py"}',
                    "tool_call_id": "c1",
                },
            ],
        },
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "c1", "name": "read_file", "input": {"path": "a.py"}},
            ],
        },
    ],
    ids=["completion", "messages", "items", "pydantic-ai", "Anthropic"],
)
def test_answers_of_each_program(output: Any, tmp_path: Path) -> None:
    (turn,) = turns_of(of(tmp_path, ROOT, asked(2, 1, output)))
    assert turn.text == "I look."
    (call,) = turn.tool_calls
    assert (call.id, call.name, call.arguments) == ("c1", "read_file", {"path": "a.py"})


def test_a_manual_span_of_text(tmp_path: Path) -> None:
    about = {"spanInputs": "Mend it.", "spanOutputs": "Done."}
    attempt = of(tmp_path, span(1, "LLM", 0, about=about))
    assert (attempt.agent, attempt.final_output) == (None, "Done.")
    assert ASKED["content"] not in attempt.model_dump_json()
