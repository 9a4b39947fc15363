"""What is read of MLflow's traces, and what is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read, read_one, turns_of, write_lines
from tests.readers.mlflow.examples import (
    ANSWER,
    COUNTS,
    PRIVATE,
    ROOT,
    ROW,
    SPANS,
    TRACE,
    asked,
    called,
    completion,
    span,
    trace,
)
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path


def test_each_field_of_a_trace(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "traces.jsonl", TRACE))
    assert (attempt.task_id, attempt.attempt, attempt.agent) == ("shelf-1", "tr-1", "heron")
    assert (attempt.model, attempt.final_output, attempt.failure) == ("heron-1", "Done.", None)
    assert (attempt.duration_seconds, attempt.passed, attempt.unusable) == (20, True, {})
    assert attempt.metadata == {
        "exit_status": "stop",
        "session": "s1",
        "scores": {"passed": True, "relevance": 0.8},
    }
    first, last = turns_of(attempt)
    assert (first.text, first.agent, last.text) == ("I look.", "heron", "Done.")
    assert (first.duration_seconds, last.duration_seconds) == (3, 1)
    assert first.usage == Usage(
        input_tokens=90,
        output_tokens=8,
        cached_input_tokens=40,
        cache_write_tokens=5,
        total_tokens=98,
        cost_usd=0.0021,
    )
    assert last.usage is None
    (call,) = first.tool_calls
    assert (call.name, call.id, call.arguments) == ("read_file", "c1", {"path": "a.py"})
    assert (call.result, call.success, call.duration_seconds) == ("x = 1", True, 1)
    assert PRIVATE not in attempt.model_dump_json()


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"tags": {}}, ("tr-1", None)),
        ({"tags": {"task_id": "7"}}, ("7", "tr-1")),
        ({"tags": None, "trace_metadata": {"task_id": "shelf-2"}}, ("shelf-2", "tr-1")),
    ],
)
def test_the_task(info: dict[str, Any], expected: tuple[Any, Any], tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "a", trace(*SPANS, **info)))
    assert (attempt.task_id, attempt.attempt) == expected


def test_an_attribute_names_the_task(tmp_path: Path) -> None:
    named = {**SPANS[3], "attributes": {**SPANS[3]["attributes"], "task_id": '"shelf-3"'}}
    attempt = read_one(write_lines(tmp_path / "a", trace(ROOT, named, tags={})))
    assert (attempt.task_id, attempt.attempt) == ("shelf-3", "tr-1")


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        ({}, None),
        ({"chat.tokenUsage": {}, "llm.cost": {"input_cost": 1}}, None),
        ({"chat.tokenUsage": {"input_tokens": 3}}, Usage(input_tokens=3)),
        ({"chat.tokenUsage": {"input_tokens": -1, "output_tokens": "3"}}, None),
        ({"llm.cost": {"total_cost": 0.0}}, Usage(cost_usd=0)),
        ({"llm.cost": {"total_cost": "much"}}, None),
    ],
)
def test_usage(about: dict[str, Any], expected: Usage | None, tmp_path: Path) -> None:
    spans = (ROOT, asked(2, 1, "x", about=about))
    (turn,) = turns_of(read_one(write_lines(tmp_path / "a", trace(*spans))))
    assert turn.usage == expected


def test_usage_in_the_answer_counts_more(tmp_path: Path) -> None:
    own = {"prompt_tokens": 50, "completion_tokens": 8, "total_tokens": 58}
    about = {"chat.tokenUsage": COUNTS, "llm.cost": {"total_cost": 0.5}}
    spans = (ROOT, asked(2, 1, completion(ANSWER, usage=own), about=about))
    (turn,) = turns_of(read_one(write_lines(tmp_path / "a", trace(*spans))))
    assert turn.usage == Usage(input_tokens=50, output_tokens=8, total_tokens=58, cost_usd=0.5)


def exception(kind: str, message: str) -> dict[str, Any]:
    about = {"exception.type": kind, "exception.message": message, "exception.stacktrace": "…"}
    return {"name": "exception", "time_unix_nano": 1, "attributes": about}


def test_failures(tmp_path: Path) -> None:
    failed = {"code": "STATUS_CODE_ERROR"}
    root = {
        **ROOT,
        "status": {**failed, "message": "RecursionError: too deep"},
        "events": [exception("RecursionError", "too deep")],
    }
    tool = called(4, 3, None, status={**failed, "message": "b.py"})
    tool["events"] = [exception("FileNotFoundError", "b.py")]
    broken = asked(6, 7, None, status={**failed, "message": ""})
    attempt = read_one(write_lines(tmp_path / "a", trace(root, SPANS[2], tool, broken)))
    assert attempt.failure == Failure(reason="RecursionError", message="RecursionError: too deep")
    assert attempt.metadata["exit_status"] == "RecursionError"
    (turn,) = turns_of(attempt)
    (call,) = turn.tool_calls
    assert (call.success, call.error, call.result) == (False, "b.py", None)


def test_broken_traces_lose_no_others(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "traces.jsonl",
        TRACE,
        {"info": {"trace_id": "tr-2", "trace_metadata": {}}},
        {"info": {"trace_metadata": {}}, "data": {"spans": []}},
        {**ROW, "trace_id": "tr-3", "trace": "{", "spans": 7},
        trace(SPANS[2], 1, None, trace_id="tr-4"),
        "{",
        "[1]",
    )
    attempts, problems = read(path)
    assert [each.source.record for each in attempts if each.source] == ["tr-1", "tr-4"]
    assert [(each.line, each.message) for each in problems] == [
        (2, "trace tr-2: expected a list of spans in data"),
        (3, "expected a trace: an object with info and data, or with its spans"),
        (4, "trace tr-3: expected a list of spans in data"),
        (5, "spans[1]: expected an object, got a number"),
        (5, "spans[2]: expected an object, got null"),
        (6, problems[5].message),
        (7, "expected an object, got a list"),
    ]


def test_traces_without_models_and_tools(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "traces.jsonl", trace(span(1, "CHAIN", 0)), trace(trace_id="2"))
    attempts, problems = read(path)
    assert attempts == []
    assert [each.message for each in problems] == ["no span is of a model or of a tool"]
    found = read_one(write_lines(tmp_path / "b", trace(span(1, "CHAIN", 0), trace_id="2"), TRACE))
    assert found.attempt == "tr-1"
