"""Traces and observations of Langfuse, as its public API gives them."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read, read_one, write_lines
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path

CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "read_file", "arguments": '{"path": "a.py"}'},
}
ANSWER = {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}
RESULT = {"content": "x = 1", "type": "tool", "tool_call_id": "c1", "status": "success"}
PRIVATE = "sk-not-to-be-kept"


def observation(number: int, kind: str, start: int, **fields: Any) -> dict[str, Any]:
    """An observation of 1 second; the first is the root of the others."""
    return {
        "id": f"o{number}",
        "traceId": "t1",
        "type": kind,
        "name": kind.lower(),
        "startTime": f"2026-01-02T03:04:{start:02}.250Z",
        "endTime": f"2026-01-02T03:04:{start + 1:02}.250Z",
        "parentObservationId": "o1" if number > 1 else None,
        "model": None,
        "modelParameters": {"api_key": PRIVATE},
        "input": None,
        "output": None,
        "metadata": {},
        "usageDetails": {},
        "costDetails": {},
        "usage": {"input": 0, "output": 0, "total": 0, "unit": "TOKENS"},
        "calculatedTotalCost": None,
        "level": "DEFAULT",
        "statusMessage": None,
        **fields,
    }


def asked(number: int, start: int, output: Any, **fields: Any) -> dict[str, Any]:
    return observation(number, "GENERATION", start, output=output, **fields)


def called(number: int, start: int, output: Any, **fields: Any) -> dict[str, Any]:
    named = {"name": "read_file", "input": {"path": "a.py"}}
    return observation(number, "TOOL", start, output=output, **named | fields)


def trace(*observations: Any, **fields: Any) -> dict[str, Any]:
    return {
        "id": "t1",
        "timestamp": "2026-01-02T03:04:00.250Z",
        "name": "solve",
        "sessionId": "s1",
        "userId": None,
        "metadata": {"task_id": "shelf-1"},
        "input": None,
        "output": None,
        "observations": [*observations],
        **fields,
    }


ROOT = observation(1, "AGENT", 0, name="heron", endTime="2026-01-02T03:04:20.250Z")
COUNTS = {"input": 50, "output": 6, "total": 98, "input_cached_tokens": 40}
COUNTS["output_reasoning_tokens"] = 2
OBSERVATIONS = [
    ROOT,
    asked(
        2,
        1,
        ANSWER,
        model="heron-1",
        usageDetails=COUNTS,
        costDetails={"input": 0.001, "output": 0.0011, "total": 0.0021},
    ),
    called(3, 3, RESULT),
    asked(4, 5, "Done."),
]


def test_each_field_of_a_trace(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "traces.jsonl", trace(*OBSERVATIONS)))
    assert (attempt.task_id, attempt.attempt, attempt.agent) == ("shelf-1", "t1", "heron")
    assert (attempt.model, attempt.final_output, attempt.failure) == ("heron-1", "Done.", None)
    assert (attempt.duration_seconds, attempt.metadata, attempt.unusable) == (20, {}, {})
    assert attempt.turns is not None
    first, last = attempt.turns
    assert (first.text, first.agent, last.text) == ("I look.", "heron", "Done.")
    assert (first.duration_seconds, last.duration_seconds) == (3, 1)
    assert first.usage == Usage(
        input_tokens=90,
        output_tokens=8,
        cached_input_tokens=40,
        reasoning_tokens=2,
        total_tokens=98,
        cost_usd=0.0021,
    )
    assert last.usage is None
    (call,) = first.tool_calls
    assert (call.name, call.id, call.arguments) == ("read_file", "c1", {"path": "a.py"})
    assert (call.result, call.success, call.duration_seconds) == ("x = 1", True, 1)
    assert PRIVATE not in attempt.model_dump_json()


META = {"page": 1, "limit": 50, "totalItems": 1, "totalPages": 1}
TEXTS = [
    {
        **each,
        **{
            key: json.dumps(each[key])
            for key in ("input", "output", "metadata")
            if isinstance(each[key], dict)
        },
    }
    for each in OBSERVATIONS
]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(trace(*OBSERVATIONS), indent=1),
        json.dumps([trace(*OBSERVATIONS)]),
        json.dumps([{**each, "metadata": {"task_id": "shelf-1"}} for each in OBSERVATIONS]),
        "\n".join(map(json.dumps, [*OBSERVATIONS[::-1], trace()])),
        json.dumps({"trace": trace(), "observations": OBSERVATIONS}, indent=2),
        json.dumps({"data": [trace(*OBSERVATIONS)], "meta": META}),
        json.dumps({"data": [*OBSERVATIONS, trace()], "meta": META}),
        json.dumps(trace(*TEXTS, metadata='{"task_id": "shelf-1"}')),
    ],
    ids=[
        "one",
        "a list",
        "observations",
        "lines",
        "a download",
        "a page",
        "a page of both",
        "text",
    ],
)
def test_traces_are_read_in_any_layout(content: str, tmp_path: Path) -> None:
    expected = read_one(write_lines(tmp_path / "traces.jsonl", trace(*OBSERVATIONS)))
    path = tmp_path / "traces"
    path.write_bytes(gzip.compress(content.encode()))
    assert read_one(path).model_copy(update={"source": expected.source}) == expected


def test_a_long_download_is_recognised(tmp_path: Path) -> None:
    whole = {"trace": trace(input="x" * 100_000), "observations": OBSERVATIONS}
    (tmp_path / "trace.json").write_text(json.dumps(whole, indent=2))
    assert read_one(tmp_path / "trace.json").task_id == "shelf-1"


def test_an_observation_with_its_trace_is_an_observation(tmp_path: Path) -> None:
    about = {"id": "t1", "timestamp": "2026-01-02T03:04:01Z", "sessionId": None, "userId": None}
    lines = [{**each, "trace": about} for each in OBSERVATIONS]
    found = read_one(write_lines(tmp_path / "b", *lines))
    assert found.turns == read_one(write_lines(tmp_path / "a", *OBSERVATIONS)).turns


def test_the_model_has_either_of_two_names(tmp_path: Path) -> None:
    named = {"model": None, "providedModelName": "heron-2"}
    attempt = read_one(write_lines(tmp_path / "a", trace(asked(2, 1, "x", **named))))
    assert attempt.model == "heron-2"


def test_the_trace_names_the_task_before_its_observations(tmp_path: Path) -> None:
    named = {**ROOT, "metadata": {"task_id": "other"}}
    attempt = read_one(write_lines(tmp_path / "a", trace(named, asked(2, 1, "x"))))
    assert attempt.task_id == "shelf-1"
    attempt = read_one(write_lines(tmp_path / "b", trace(asked(2, 1, "x"), metadata=None)))
    assert (attempt.task_id, attempt.attempt) == ("t1", None)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (
            {"usage": {"input": None}, "promptTokens": 5, "completionTokens": 3, "totalTokens": 8},
            Usage(input_tokens=5, output_tokens=3, total_tokens=8),
        ),
        (
            {"usage": None, "promptTokens": 5, "completionTokens": 3, "totalTokens": 8},
            Usage(input_tokens=5, output_tokens=3, total_tokens=8),
        ),
        (
            {"usageDetails": {"input": 5, "output": 3, "cache_read_input_tokens": 4}},
            Usage(input_tokens=9, output_tokens=3, cached_input_tokens=4),
        ),
        (  # the total says that the input includes the cached tokens
            {
                "usageDetails": {
                    "input": 9,
                    "output": 3,
                    "total": 12,
                    "cache_read_input_tokens": 4,
                    "cache_creation_input_tokens": 2,
                }
            },
            Usage(
                input_tokens=9,
                output_tokens=3,
                total_tokens=12,
                cached_input_tokens=4,
                cache_write_tokens=2,
            ),
        ),
        (
            {"usageDetails": {"input": 5, "output": 3, "input_cache_read": 4, "input_priority": 9}},
            Usage(input_tokens=9, output_tokens=3, cached_input_tokens=4),
        ),
        ({"usageDetails": {"total": 12}}, Usage(total_tokens=12)),
        (
            {"usageDetails": {"prompt_tokens": 9, "completion_tokens": 3}},
            Usage(input_tokens=9, output_tokens=3),
        ),
        (
            {"usage": {"input": 9, "output": 3, "total": 12, "unit": "TOKENS"}},
            Usage(input_tokens=9, output_tokens=3, total_tokens=12),
        ),
        ({"usage": {"input": 9, "output": 3, "total": 12, "unit": "CHARACTERS"}}, None),
        ({"calculatedTotalCost": 0.5}, Usage(cost_usd=0.5)),
        ({"costDetails": {"input": 0, "output": 0, "total": 0}}, None),
        ({"totalCost": "0.5"}, Usage(cost_usd=0.5)),
        ({"totalCost": "unknown"}, None),
        ({}, None),
    ],
)
def test_usage(fields: dict[str, Any], expected: Usage | None, tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "a", trace(ROOT, asked(2, 1, "x", **fields))))
    assert attempt.turns is not None
    assert attempt.turns[0].usage == expected


def test_nested_generations_count_once(tmp_path: Path) -> None:
    outer = asked(2, 1, ANSWER, usageDetails=COUNTS)
    step = observation(3, "SPAN", 1, parentObservationId="o2")
    inner = asked(4, 1, ANSWER, parentObservationId="o3")
    attempt = read_one(write_lines(tmp_path / "a", trace(ROOT, outer, step, inner)))
    assert attempt.turns is not None
    (turn,) = attempt.turns
    assert turn.usage is not None
    assert turn.usage.input_tokens == 90
    assert [call.id for call in turn.tool_calls] == ["c1"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"input": {"args": ["a.py"], "kwargs": {}}}, "c1"),
        ({"input": {"args": [], "kwargs": {"path": "a.py"}}}, "c1"),
        ({"input": '{"path": "a.py"}'}, "c1"),
        ({"metadata": {"tool_call_id": "c1"}, "input": {}}, "c1"),
        ({"name": "write_file", "input": {"args": [], "kwargs": {"path": "b"}}}, "o3"),
        ({"name": "write_file", "input": {"args": ["b"], "kwargs": {}}}, "o3"),
    ],
)
def test_results_of_decorated_functions(
    fields: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    tool = called(3, 3, {"lines": 3}, **fields)
    attempt = read_one(write_lines(tmp_path / "a", trace(ROOT, asked(2, 1, ANSWER), tool)))
    assert attempt.turns is not None
    (call,) = (each for each in attempt.turns[0].tool_calls if each.result is not None)
    assert (call.id, call.result) == (expected, {"lines": 3})
    if expected == "o3":
        given = fields["input"]
        assert call.arguments == (given if given["args"] else given["kwargs"])


def test_results_sent_to_the_next_generation(tmp_path: Path) -> None:
    sent = [ANSWER, {"role": "tool", "tool_call_id": "c1", "content": "x = 1"}]
    runs = [ROOT, asked(2, 1, ANSWER), asked(3, 4, "x", input={"messages": sent, "tools": []})]
    attempt = read_one(write_lines(tmp_path / "a", trace(*runs)))
    assert attempt.turns is not None
    assert attempt.turns[0].tool_calls[0].result == "x = 1"


def test_a_tool_that_failed(tmp_path: Path) -> None:
    tool = called(3, 3, None, level="ERROR", statusMessage="bad")
    attempt = read_one(write_lines(tmp_path / "a", trace(ROOT, asked(2, 1, ANSWER), tool)))
    assert attempt.turns is not None
    (call,) = attempt.turns[0].tool_calls
    assert (call.id, call.success, call.error) == ("c1", False, "bad")
    assert attempt.failure is None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("it went wrong", Failure(reason="error", message="it went wrong")),
        ("ValueError: bad", Failure(reason="ValueError", message="ValueError: bad")),
        (None, Failure(reason="error", message="the span failed")),
        (
            "prompt is too long",
            Failure(reason="budget_exhausted", message="prompt is too long"),
        ),
    ],
)
def test_the_root_says_how_the_attempt_failed(
    message: str | None, expected: Failure, tmp_path: Path
) -> None:
    root = {**ROOT, "type": "SPAN", "level": "ERROR", "statusMessage": message}
    attempt = read_one(write_lines(tmp_path / "a", trace(root, asked(2, 1, ANSWER))))
    assert attempt.failure == expected


def test_agents_are_named_by_their_observations(tmp_path: Path) -> None:
    """A root that is a step of the program gives its name only if there is no agent."""
    root = {**ROOT, "type": "SPAN", "name": "solve"}
    inner = observation(2, "AGENT", 1, name="wren")
    answers = [asked(3, 1, "x", parentObservationId="o2"), asked(4, 3, "y")]
    attempt = read_one(write_lines(tmp_path / "a", trace(root, inner, *answers)))
    assert attempt.agent == "wren"
    assert [turn.agent for turn in attempt.turns or ()] == ["wren", None]
    attempt = read_one(write_lines(tmp_path / "b", trace(root, answers[1])))
    assert attempt.agent == "solve"


def test_a_root_may_keep_a_parent_of_another_program(tmp_path: Path) -> None:
    root = {**ROOT, "type": "SPAN", "parentObservationId": "x", "isRootObservation": True}
    attempt = read_one(write_lines(tmp_path / "a", trace(root, asked(2, 1, "x"))))
    assert attempt.agent == "heron"


def test_the_text_that_the_root_returned_is_the_final_output(tmp_path: Path) -> None:
    root = {**ROOT, "output": "42"}
    assert read_one(write_lines(tmp_path / "a", trace(root, asked(2, 1, "x")))).final_output == "42"


def test_an_object_that_the_root_returned_is_not_its_text(tmp_path: Path) -> None:
    root = {**ROOT, "output": json.dumps({"messages": [ANSWER]})}
    assert read_one(write_lines(tmp_path / "a", trace(root, asked(2, 1, "x")))).final_output == "x"


def test_text_of_a_tool_is_kept_even_if_it_is_json(tmp_path: Path) -> None:
    tool = called(3, 3, '{"lines":3}')
    attempt = read_one(write_lines(tmp_path / "a", trace(ROOT, asked(2, 1, ANSWER), tool)))
    assert attempt.turns is not None
    assert attempt.turns[0].tool_calls[0].result == '{"lines":3}'


def test_bad_lines_are_reported_and_the_others_read(tmp_path: Path) -> None:
    unnamed = [{**ROOT, "traceId": None}, {**trace(ROOT), "id": None}]
    lines = [OBSERVATIONS[0], '{"id": ', "[1]", {"song": 1}, *OBSERVATIONS[1:], *unnamed]
    path = write_lines(tmp_path / "a.jsonl", *lines)
    (attempt,), problems = read(path)
    assert len(attempt.turns or ()) == 2
    places = [(str(path), number) for number in (2, 3, 4, 8, 9)]
    assert [(each.file, each.line) for each in problems] == places
    assert problems[2].message == "expected a trace with observations, or an observation"
    assert problems[3].message == "a trace without an id, or an observation without a traceId"


@pytest.mark.parametrize("observations", [None, 1, "o1"])
def test_a_trace_without_observations_loses_no_other(observations: object, tmp_path: Path) -> None:
    about = {"timestamp": "2026-01-02T03:04:05.000Z", "sessionId": None, "userId": None}
    bare = {"id": "t2", **about, "observations": observations}
    attempts, _ = read(write_lines(tmp_path / "a.jsonl", trace(*OBSERVATIONS), bare))
    assert [len(attempt.turns or ()) for attempt in attempts] == [2]


def test_a_trace_without_models_and_tools_is_a_problem(tmp_path: Path) -> None:
    attempts, problems = read(write_lines(tmp_path / "a", trace(), trace(ROOT, id="t2")))
    assert attempts == []
    assert [each.message for each in problems] == ["no observation is of a model or of a tool"]


def test_a_trace_that_is_too_long_for_the_beginning_is_recognised(tmp_path: Path) -> None:
    long = {**trace(), "input": "x" * 100_000, "observations": OBSERVATIONS}
    assert len(read_one(write_lines(tmp_path / "a", long)).turns or ()) == 2


@pytest.mark.parametrize(
    "row",
    [
        {"task_id": "a", "turns": [], "observations": ["x"], "sessionId": "s"},
        {"task_id": "a", "turns": [], "traceId": "t", "userId": "u"},
        {"task_id": "a", "turns": [], "type": "SPAN", "startTime": "t", "userId": "u"},
        {"task_id": "a", "turns": [], "data": [{"type": "SPAN", "startTime": "t"}], "meta": {}},
    ],
)
def test_rows_of_another_format_are_left_to_it(row: dict[str, Any], tmp_path: Path) -> None:
    assert read_one(write_lines(tmp_path / "a.jsonl", row)).task_id == "a"
