"""Traces of openai-agents: spans with tokens, times and the calls of tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import read_trajectories
from trajmeter.records import Failure, Trajectory, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem

TRACE = {"object": "trace", "id": "trace_1", "workflow_name": "w", "metadata": None}
USAGE = {
    "input_tokens": 100,
    "output_tokens": 20,
    "total_tokens": 120,
    "input_tokens_details": {"cached_tokens": 60},
    "output_tokens_details": {"reasoning_tokens": 5},
}
READ = '{"path": "a.py"}'


def span(start: int, end: int, data: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "object": "trace.span",
        "id": f"span_{start}",
        "trace_id": "trace_1",
        "parent_id": "span_0",
        "started_at": f"2026-01-02T03:04:{start:02}.000000+00:00",
        "ended_at": f"2026-01-02T03:04:{end:02}.500000+00:00",
        "span_data": data,
        "error": None,
        **fields,
    }


def agent(**fields: Any) -> dict[str, Any]:
    return span(0, 30, {"type": "agent", "name": "heron"}, parent_id=None, **fields)


def response(start: int, **fields: Any) -> dict[str, Any]:
    return span(start, start + 2, {"type": "response", "usage": USAGE}, **fields)


def function(start: int, output: Any = "x = 1", **fields: Any) -> dict[str, Any]:
    data = {"type": "function", "name": "read_file", "input": READ, "output": output}
    return span(start, start + 1, data, **fields)


def read(path: Path, *lines: Any) -> tuple[list[Trajectory], list[ReadProblem]]:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    problems: list[ReadProblem] = []
    return [*read_trajectories(path, on_problem=problems.append)], problems


@pytest.mark.parametrize(
    "lines", [("[5]", TRACE, response(1)), (TRACE, "[1]", response(1), "null")]
)
def test_a_line_that_is_not_an_object_is_reported_and_the_others_read(
    tmp_path: Path, lines: tuple[Any, ...]
) -> None:
    path = tmp_path / "t.jsonl"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts))
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert (attempt.task_id, len(attempt.turns or ())) == ("trace_1", 1)
    places = [number for number, line in enumerate(lines, 1) if isinstance(line, str)]
    assert [problem.line for problem in problems] == places
    assert problems[0].message.startswith("expected an object, got ")


def test_a_line_of_another_kind_is_reported_and_the_others_read(tmp_path: Path) -> None:
    lines = [TRACE, {**response(1), "object": [1]}, response(3), {"object": "song"}, response(5)]
    (attempt,), problems = read(tmp_path / "t.jsonl", *lines)
    assert len(attempt.turns or ()) == 2
    assert [(problem.line, problem.message) for problem in problems] == [
        (2, "object is [1], expected a trace or a span"),
        (4, "object is 'song', expected a trace or a span"),
    ]
    attempts, problems = read(tmp_path / "t.jsonl", TRACE, *[{"object": "song"}] * 2)
    assert (attempts, len(problems)) == ([], 1)


def test_a_trace_is_an_attempt(tmp_path: Path) -> None:
    about = {"type": "custom", "name": "turn", "data": {"usage": USAGE}}
    turn = span(1, 9, about, id="span_turn")
    lines = [TRACE, response(1), function(5), turn, response(10), agent()]
    (attempt,), problems = read(tmp_path / "t.jsonl", *lines)
    assert problems == []
    assert (attempt.task_id, attempt.agent, attempt.model) == ("trace_1", "heron", None)
    assert (attempt.duration_seconds, attempt.failure, attempt.usage) == (30.5, None, None)
    looked, done = attempt.turns or ()
    (call,) = looked.tool_calls
    assert (call.name, call.arguments, call.id) == ("read_file", {"path": "a.py"}, None)
    assert (call.result, call.success, call.duration_seconds) == ("x = 1", True, 1.5)
    assert [view.path for view in looked.views or ()] == ["a.py"]
    assert (looked.agent, looked.duration_seconds, done.duration_seconds) == ("heron", 5.5, 2.5)
    assert looked.usage == Usage(
        input_tokens=100,
        output_tokens=20,
        total_tokens=120,
        cached_input_tokens=60,
        reasoning_tokens=5,
    )


def test_generations_hold_what_was_said(tmp_path: Path) -> None:
    call = {"id": "c1", "function": {"name": "read_file", "arguments": READ}}
    message = {"role": "assistant", "content": "I look.", "tool_calls": [call]}
    data = {"type": "generation", "model": "m", "output": [message], "usage": USAGE}
    (attempt,), _ = read(tmp_path / "t.jsonl", TRACE, span(1, 2, data), function(5), agent())
    (turn,) = attempt.turns or ()
    assert (attempt.model, turn.text, attempt.final_output) == ("m", "I look.", "I look.")
    assert [(each.id, each.result) for each in turn.tool_calls] == [("c1", "x = 1")]


def test_failures(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    failed = function(5, "sorry", error={"message": "non-fatal", "data": {}})
    stopped = agent(error={"message": "Max turns exceeded", "data": {"max_turns": 1}})
    (attempt,), _ = read(path, TRACE, response(1), failed, stopped)
    (turn,) = attempt.turns or ()
    assert (turn.tool_calls[0].success, turn.tool_calls[0].error) == (False, "non-fatal")
    assert turn.error == Failure(reason="tool_error", message="non-fatal")
    assert attempt.failure == Failure(reason="max_turns_exceeded", message="Max turns exceeded")
    assert attempt.metadata == {"exit_status": "Max turns exceeded"}
    refused = span(1, 2, {"type": "response"}, error={"message": "500"})
    (attempt,), _ = read(path, TRACE, refused, response(3), agent(error={"message": "Odd"}))
    assert len(attempt.turns or ()) == 1
    assert attempt.failure == Failure(reason="error", message="Odd")


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Error code: 400 - context_length_exceeded", "budget_exhausted"),
        ("Error code: 500", "error"),
    ],
)
def test_a_last_request_that_was_refused_ended_the_run(
    said: str, reason: str, tmp_path: Path
) -> None:
    error = {"message": "Error getting response", "data": {"error": said}}
    refused = span(5, 6, {"type": "response"}, error=error)
    (attempt,), _ = read(tmp_path / "t.jsonl", TRACE, response(1), refused, agent())
    assert attempt.failure == Failure(reason=reason, message="Error getting response")
    (attempt,), _ = read(tmp_path / "t.jsonl", TRACE, response(1), refused, response(7), agent())
    assert attempt.failure is None


def test_several_traces_and_a_named_task(tmp_path: Path) -> None:
    other = {**TRACE, "id": "trace_2", "metadata": {"task_id": "shelf-1"}}
    spans = [response(1), {**response(2), "trace_id": "trace_2"}]
    attempts, _ = read(tmp_path / "t.jsonl", TRACE, other, *spans)
    assert [(each.task_id, each.attempt) for each in attempts] == [
        ("trace_1", None),
        ("shelf-1", "trace_2"),
    ]
    assert [len(each.turns or ()) for each in attempts] == [1, 1]


def test_a_broken_line_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(f"{json.dumps(TRACE)}\n{json.dumps(response(1))}\n{{broken\n")
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert (len(attempt.turns or ()), [each.line for each in problems]) == (1, [3])


def test_a_span_that_was_exported_again_counts_once(tmp_path: Path) -> None:
    begun = [response(1, ended_at=None), function(5, None, ended_at=None)]
    lines = [TRACE, *begun, response(1), function(5), agent(), TRACE, agent()]
    (attempt,), _ = read(tmp_path / "t.jsonl", *lines)
    (turn,) = attempt.turns or ()
    (call,) = turn.tool_calls
    assert (call.result, call.duration_seconds, turn.duration_seconds) == ("x = 1", 1.5, 5.5)


def test_a_generation_without_output_and_usage_is_not_a_turn(tmp_path: Path) -> None:
    empty = {"type": "generation", "model": "m", "output": None, "usage": None}
    (attempt,), _ = read(tmp_path / "t.jsonl", TRACE, response(1), span(5, 6, empty), agent())
    assert len(attempt.turns or ()) == 1
    unsaid = {**empty, "usage": USAGE}  # content is not recorded
    (attempt,), _ = read(tmp_path / "t.jsonl", TRACE, span(1, 2, unsaid), agent())
    assert len(attempt.turns or ()) == 1


def test_tools_of_agents_that_run_at_the_same_time_belong_to_their_own_answers(
    tmp_path: Path,
) -> None:
    (attempt,), problems = read(
        tmp_path / "trace.jsonl",
        TRACE,
        response(1, parent_id="turn_a"),
        response(4, parent_id="turn_b"),
        function(7, "of a", parent_id="turn_a"),
        function(8, "of b", parent_id="turn_b"),
        function(9, "of the last", parent_id="turn_c"),
    )
    assert problems == []
    results = [[call.result for call in turn.tool_calls] for turn in attempt.turns or ()]
    assert results == [["of a"], ["of b", "of the last"]]


def test_an_agent_that_failed_within_a_tool_did_not_end_the_run(tmp_path: Path) -> None:
    error = {"message": "Max turns exceeded", "data": {}}
    inner = span(4, 6, {"type": "agent", "name": "helper"}, parent_id="span_3", error=error)
    refused = response(5, parent_id="span_4", error=error)
    lines = [TRACE, agent(), response(1), function(3), inner, refused]
    (attempt,), _ = read(tmp_path / "trace.jsonl", *lines)
    assert attempt.failure is None
    (attempt,), _ = read(tmp_path / "trace.jsonl", *lines, agent(error=error))
    assert attempt.failure == Failure(reason="max_turns_exceeded", message="Max turns exceeded")
