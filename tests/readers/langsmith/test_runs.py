"""Runs of LangSmith: one on each line, in a list, or nested in their root."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read, read_one, write_lines
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"name": "read_file", "args": {"path": "a.py"}, "id": "c1", "type": "tool_call"}
ANSWER = {
    "type": "ai",
    "content": "I look.",
    "tool_calls": [CALL],
    "response_metadata": {"model_name": "heron-1-2026", "finish_reason": "tool_calls"},
    "usage_metadata": {
        "input_tokens": 90,
        "output_tokens": 8,
        "total_tokens": 98,
        "input_token_details": {"cache_read": 40},
    },
}
ANSWER_COUNTS = {
    "input_tokens": 90,
    "output_tokens": 8,
    "total_tokens": 98,
    "cached_input_tokens": 40,
}
PRIVATE = "sk-not-to-be-kept"


def run(number: int, kind: str, start: int, **fields: Any) -> dict[str, Any]:
    """A run of 1 second; the first is the root of the others."""
    return {
        "id": f"r{number}",
        "trace_id": "r1",
        "parent_run_id": "r1" if number > 1 else None,
        "dotted_order": f"r1.r{number}",
        "name": kind,
        "run_type": kind,
        "start_time": f"2026-01-02T03:04:{start:02}.250000",
        "end_time": f"2026-01-02T03:04:{start + 1:02}.250000",
        "error": None,
        "status": "success",
        "extra": {},
        "reference_example_id": None,
        **fields,
    }


def generated(message: dict[str, Any]) -> dict[str, Any]:
    """A chat model's output, as LangChain serialises it."""
    whole = {"lc": 1, "type": "constructor", "id": [], "kwargs": message}
    return {"generations": [[{"text": "", "generation_info": None, "message": whole}]]}


def asked(number: int, start: int, outputs: Any, **fields: Any) -> dict[str, Any]:
    return run(number, "llm", start, outputs=outputs, **fields)


def called(number: int, start: int, outputs: Any, **fields: Any) -> dict[str, Any]:
    named = {"name": "read_file", "inputs": {"path": "a.py"}}
    return run(number, "tool", start, outputs=outputs, **named | fields)


ROOT = run(1, "chain", 0, name="heron", end_time="2026-01-02T03:04:20.250000", inputs={})
RESULT = {"content": "x = 1", "type": "tool", "name": "read_file", "tool_call_id": "c1"}
STOPPED = {"finish_reason": "stop"}
SETTINGS = {
    "metadata": {"ls_model_name": "heron-1", "task_id": "shelf-1"},
    "invocation_params": {"api_key": PRIVATE, "model": "other"},
}
RUNS = [
    ROOT,
    asked(2, 1, generated(ANSWER), extra=SETTINGS, total_cost="0.0021"),
    called(3, 3, {"output": {**RESULT, "status": "success"}}),
    asked(4, 5, generated({"type": "ai", "content": "Done.", "response_metadata": STOPPED})),
]


def test_each_field_of_a_trace(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "runs.jsonl", *RUNS))
    assert (attempt.task_id, attempt.attempt, attempt.agent) == ("shelf-1", "r1", "heron")
    assert (attempt.model, attempt.final_output, attempt.failure) == ("heron-1", "Done.", None)
    assert attempt.duration_seconds == 20
    assert attempt.metadata == {"exit_status": "stop"}
    assert attempt.turns is not None
    first, last = attempt.turns
    assert (first.text, last.text) == ("I look.", "Done.")
    assert (first.agent, last.agent) == (None, None)
    assert (first.duration_seconds, last.duration_seconds) == (3, 1)
    assert first.usage == Usage(**ANSWER_COUNTS, cost_usd=0.0021)
    assert last.usage is None
    (call,) = first.tool_calls
    assert (call.name, call.id, call.arguments) == ("read_file", "c1", {"path": "a.py"})
    assert (call.result, call.success, call.duration_seconds) == ("x = 1", True, 1)
    assert attempt.unusable == {}
    assert PRIVATE not in attempt.model_dump_json()


def nested(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The root with the others in it, without the ids that their place implies."""
    links = ("trace_id", "parent_run_id", "dotted_order")
    inner = [{key: each[key] for key in each if key not in links} for each in runs[1:]]
    return {**runs[0], "child_runs": inner}


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(RUNS),
        json.dumps({"runs": RUNS, "cursors": {"next": None}}, indent=1),
        "\n".join(map(json.dumps, [{"runs": RUNS}, {"runs": [], "cursors": {"next": None}}])),
        "\n".join(json.dumps({**each, "runs": [1]}) for each in RUNS),
        "\n".join(map(json.dumps, reversed(RUNS))),
        json.dumps(nested(RUNS)),
        "\n".join(map(json.dumps, [nested(RUNS), *RUNS])),
    ],
    ids=[
        "a list",
        "a page",
        "pages",
        "a key like a page's",
        "newest first",
        "nested",
        "nested and alone",
    ],
)
def test_runs_are_read_in_any_layout(content: str, tmp_path: Path) -> None:
    expected = read_one(write_lines(tmp_path / "runs.jsonl", *RUNS))
    path = tmp_path / "runs"
    path.write_bytes(gzip.compress(content.encode()))
    source = {"source": expected.source}
    assert read_one(path).model_copy(update=source) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, ("r1", None)),
        ({"reference_example_id": "e1"}, ("e1", "r1")),
        ({"extra": {"metadata": {"task_id": 7}}, "reference_example_id": "e1"}, ("7", "r1")),
    ],
)
def test_the_task_is_named_by_metadata_or_else_by_the_example(
    fields: dict[str, Any], expected: tuple[str, str | None], tmp_path: Path
) -> None:
    attempt = read_one(write_lines(tmp_path / "a", {**ROOT, **fields}, asked(2, 1, ANSWER)))
    assert (attempt.task_id, attempt.attempt) == expected


COUNTED = {"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12}


@pytest.mark.parametrize(
    ("fields", "outputs", "expected"),
    [
        (
            {
                **COUNTED,
                "prompt_token_details": {"cache_read": 4, "cache_creation": 2},
                "completion_token_details": {"reasoning": 1},
            },
            {"content": "x"},
            Usage(
                input_tokens=9,
                output_tokens=3,
                total_tokens=12,
                cached_input_tokens=4,
                cache_write_tokens=2,
                reasoning_tokens=1,
            ),
        ),
        (COUNTED, ANSWER, Usage(**ANSWER_COUNTS)),
        (dict.fromkeys(COUNTED, 0) | {"total_cost": 0}, {"content": "x"}, None),
        ({"total_cost": 0.5}, {"content": "x"}, Usage(cost_usd=0.5)),
        (
            {"extra": {"metadata": {"usage_metadata": {"input_tokens": 5, "output_tokens": 0}}}},
            {"content": "x"},
            Usage(input_tokens=5, output_tokens=0),
        ),
    ],
)
def test_usage_recorded_beside_an_answer(
    fields: dict[str, Any], outputs: Any, expected: Usage | None, tmp_path: Path
) -> None:
    attempt = read_one(write_lines(tmp_path / "a", ROOT, asked(2, 1, outputs, **fields)))
    assert attempt.turns is not None
    assert attempt.turns[0].usage == expected


def test_nested_runs_of_models_count_once(tmp_path: Path) -> None:
    outer = asked(2, 1, generated(ANSWER), **COUNTED)
    step = run(3, "chain", 1, parent_run_id="r2")
    inner = asked(4, 1, generated(ANSWER), parent_run_id="r3", prompt_tokens=9)
    attempt = read_one(write_lines(tmp_path / "a", ROOT, outer, step, inner))
    assert attempt.turns is not None
    (turn,) = attempt.turns
    assert [call.id for call in turn.tool_calls] == ["c1"]


def test_results_are_matched_by_name_and_order_without_ids(tmp_path: Path) -> None:
    calls = [{**CALL, "args": {"path": name}, "id": name} for name in ("a", "b", "c")]
    runs = [
        ROOT,
        asked(2, 1, {**ANSWER, "tool_calls": calls}),
        called(3, 3, {"output": "of b"}, inputs={"path": "b", "limit": 5}),
        called(4, 4, {"output": "of c"}, inputs={"path": "c"}),
        called(5, 5, {"lines": 3}, inputs={"path": "b"}),
    ]
    attempt = read_one(write_lines(tmp_path / "a", *runs))
    assert attempt.turns is not None
    results = {call.id: call.result for call in attempt.turns[0].tool_calls}
    # The third finds its call by its arguments; the first takes the first one of the name.
    assert results == {"a": "of b", "b": {"lines": 3}, "c": "of c"}


def test_results_that_no_run_records_are_those_sent_to_the_next_call(tmp_path: Path) -> None:
    sent = [{"lc": 1, "kwargs": ANSWER}, {"lc": 1, "kwargs": RESULT}]
    runs = [ROOT, asked(2, 1, ANSWER), asked(4, 5, {"content": "x"}, inputs={"messages": [sent]})]
    attempt = read_one(write_lines(tmp_path / "a", *runs))
    assert attempt.turns is not None
    (call,) = attempt.turns[0].tool_calls
    assert (call.result, call.duration_seconds) == ("x = 1", None)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"input": '{"path": "a.py"}'}, {"path": "a.py"}),
        ({"input": "{'path': 'a.py'}"}, "{'path': 'a.py'}"),
        ({"input": "a.py"}, "a.py"),
        ({"path": "a.py"}, {"path": "a.py"}),
        (CALL, {"path": "a.py"}),
        (None, None),
    ],
)
def test_arguments_of_a_tool_that_no_answer_names(
    inputs: Any, expected: Any, tmp_path: Path
) -> None:
    attempt = read_one(write_lines(tmp_path / "a", ROOT, called(3, 3, None, inputs=inputs)))
    assert attempt.turns is not None
    (call,) = attempt.turns[0].tool_calls
    assert call.arguments == expected
    assert (call.result, call.id) == (None, "c1" if inputs is CALL else "r3")
    assert bool(attempt.unusable) is (inputs is None)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"error": "ValueError('bad')Traceback (most recent call last):\n x"}, "ValueError('bad')"),
        ({"status": "error"}, "the span failed"),
        ({"outputs": {"output": {**RESULT, "status": "error"}}}, "x = 1"),
    ],
)
def test_a_tool_that_failed(fields: dict[str, Any], error: str, tmp_path: Path) -> None:
    tool = {**called(3, 3, {}, extra={"tool_call_id": "c1"}), **fields}
    attempt = read_one(write_lines(tmp_path / "a", ROOT, asked(2, 1, ANSWER), tool))
    assert attempt.turns is not None
    (call,) = attempt.turns[0].tool_calls
    assert (call.success, call.error) == (False, error)
    assert attempt.failure is None


TOO_LONG = "BadRequestError('context_length_exceeded')\n\nTraceback (most recent call last):\n/home"


@pytest.mark.parametrize(
    ("error", "reason", "message"),
    [
        ("ValueError('bad')", "ValueError", "ValueError('bad')"),
        ("openai.APIError: gone", "APIError", "openai.APIError: gone"),
        ("it went wrong", "error", "it went wrong"),
        ("GraphRecursionError('25')", "budget_exhausted", "GraphRecursionError('25')"),
        (TOO_LONG, "budget_exhausted", "BadRequestError('context_length_exceeded')"),
    ],
)
def test_the_root_says_how_the_attempt_failed(
    error: str, reason: str, message: str, tmp_path: Path
) -> None:
    runs = [{**ROOT, "error": error, "status": "error"}, asked(2, 1, ANSWER)]
    attempt = read_one(write_lines(tmp_path / "a", *runs))
    assert attempt.failure == Failure(reason=reason, message=message)


def test_an_error_that_the_root_caught_is_no_failure(tmp_path: Path) -> None:
    runs = [ROOT, asked(2, 1, {"output": None}, error="ValueError('x')"), asked(4, 5, ANSWER)]
    attempt = read_one(write_lines(tmp_path / "a", *runs))
    assert (attempt.failure, len(attempt.turns or ())) == (None, 1)


def test_a_model_alone_is_no_agent(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "a", {**asked(1, 1, ANSWER), "error": "X: y"}))
    assert (attempt.agent, attempt.failure) == (None, Failure(reason="X", message="X: y"))


def test_the_text_that_the_root_returned_is_the_final_output(tmp_path: Path) -> None:
    runs = [{**ROOT, "outputs": {"output": "42"}}, asked(2, 1, ANSWER)]
    assert read_one(write_lines(tmp_path / "a", *runs)).final_output == "42"


def test_agents_are_named_by_metadata(tmp_path: Path) -> None:
    about = {"metadata": {"lc_agent_name": "wren"}}
    attempt = read_one(write_lines(tmp_path / "a", ROOT, asked(2, 1, ANSWER, extra=about)))
    assert attempt.turns is not None
    assert (attempt.agent, attempt.turns[0].agent) == ("heron", "wren")


def test_bad_lines_are_reported_and_the_others_read(tmp_path: Path) -> None:
    lines = [RUNS[0], '{"run_type": ', "[1]", {"song": 1}, *RUNS[1:]]
    path = write_lines(tmp_path / "runs.jsonl", *lines, {**ROOT, "id": None, "trace_id": None})
    (attempt,), problems = read(path)
    assert len(attempt.turns or ()) == 2
    assert [(each.file, each.line) for each in problems] == [(str(path), n) for n in (2, 3, 4, 8)]
    assert problems[2].message == "expected a run: an object with run_type and inputs"
    assert problems[3].message == "a run with neither id nor trace_id"


def test_traces_of_one_file_are_attempts_of_their_own(tmp_path: Path) -> None:
    others = [{**each, "trace_id": "t2", "id": f"o{each['id']}"} for each in RUNS]
    attempts, problems = read(write_lines(tmp_path / "a", *RUNS, *others))
    assert [each.attempt for each in attempts] == ["r1", "t2"]
    assert problems == []


def test_a_file_without_models_and_tools_is_a_problem(tmp_path: Path) -> None:
    attempts, problems = read(write_lines(tmp_path / "a", ROOT))
    assert attempts == []
    assert [each.message for each in problems] == ["no run is of a model or of a tool"]


def test_a_run_within_itself_is_read(tmp_path: Path) -> None:
    runs = [asked(2, 1, ANSWER, parent_run_id="r3"), run(3, "chain", 1, parent_run_id="r2")]
    assert len(read_one(write_lines(tmp_path / "a", *runs)).turns or ()) == 1


@pytest.mark.parametrize(
    "row",
    [
        {"task_id": "a", "run_type": "nightly", "turns": []},
        {"task_id": "a", "trace_id": "t", "inputs": {}, "turns": []},
        {"task_id": "a", "run_type": 5, "trace_id": "t", "inputs": {}, "turns": []},
    ],
)
def test_rows_of_another_format_are_left_to_it(row: dict[str, Any], tmp_path: Path) -> None:
    assert read_one(write_lines(tmp_path / "a.jsonl", row)).task_id == "a"
