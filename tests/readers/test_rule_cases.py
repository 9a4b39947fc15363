"""Test cases and execution results of Transform Gym."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from trajmeter.errors import ReadError
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.records import ToolCall

if TYPE_CHECKING:
    from pathlib import Path

CASE = {"id": "c1", "user_message": "find it"}
RESULT = {
    "test_case_id": "c1",
    "transcript": "done",
    "output": "it",
    "tool_calls": [],
    "duration_ms": 1001,
    "turn_count": 2,
    "token_usage": {"credits": 2.5},
}


def write(folder: Path, name: str, *records: object) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def read_case(folder: Path, **fields: object) -> Any:
    (task,) = read_tasks(write(folder, "cases.jsonl", CASE | fields))
    return task


def read_result(folder: Path, **fields: object) -> Any:
    (attempt,) = read_trajectories(write(folder, "results.jsonl", RESULT | fields))
    return attempt


def test_defaults_of_a_test_case(tmp_path: Path) -> None:
    task = read_case(tmp_path)
    assert (task.id, task.question, task.name, task.description) == ("c1", "find it", "", "")
    assert (task.complexity, task.max_turns, task.timeout_seconds) == ("medium", 1, 300)
    assert (task.tags, task.metadata, task.assertions, task.extra) == ((), {}, (), {})


def test_null_reads_as_absent(tmp_path: Path) -> None:
    absent = dict.fromkeys(("name", "complexity", "max_turns", "tags", "metadata", "assertions"))
    assert read_case(tmp_path, **absent) == read_case(tmp_path)


@pytest.mark.parametrize("message", [None, ""])
def test_the_prompt_stands_in_for_a_message(tmp_path: Path, message: str | None) -> None:
    assert read_case(tmp_path, user_message=message, prompt="do it").question == "do it"
    assert read_case(tmp_path, prompt="do it").question == "find it"


def test_a_response_of_openai_is_not_a_test_case(tmp_path: Path) -> None:
    said = {"type": "message", "role": "assistant", "content": "Done."}
    response = {"id": "resp_1", "object": "response", "prompt": None, "output": [said]}
    (attempt,) = read_trajectories(write(tmp_path, "responses.jsonl", response))
    assert attempt.final_output == "Done."


def test_a_numeric_id_is_read_as_text(tmp_path: Path) -> None:
    assert read_case(tmp_path, id=17).id == "17"


@pytest.mark.parametrize("number", [3, 3.0])
def test_a_numeric_attempt_is_read_as_text(tmp_path: Path, number: float) -> None:
    assert read_result(tmp_path, attempt=number).attempt == "3"


def test_unknown_keys_configure_nothing(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="is not a known key") as told:
        task = read_case(tmp_path, owner="x", max_latency_ms=5, expected_tools=["a"])
    place = f"{tmp_path / 'cases.jsonl'}:1"
    assert [str(each.message) for each in told] == [
        f"{place}: {key} is not a known key; did you mean metadata.{key}?"
        for key in ("max_latency_ms", "expected_tools")
    ]
    assert task.extra == {"owner": "x", "max_latency_ms": 5, "expected_tools": ["a"]}
    assert task.metadata == {}
    assert task.expected_tool_calls is None


@pytest.mark.parametrize(
    ("fields", "doubt"),
    [
        ({"asertions": []}, "asertions is not a known key; did you mean assertions?"),
        (
            {"assertions": [{"type": "tool_called", "chek": "x"}]},
            "assertions[0].chek is not a known key; did you mean check?",
        ),
        (
            {"metadata": {"expected_tool": "a"}},
            "metadata.expected_tool is not a known key; did you mean expected_tools?",
        ),
        (
            {"metadata": {"max_latency": 5}},
            "metadata.max_latency is not a known key; did you mean max_latency_ms?",
        ),
        (
            {"max_latency": 5},
            "max_latency is not a known key; did you mean metadata.max_latency_ms?",
        ),
        (
            {"expected_tools_calls": []},
            "expected_tools_calls is not a known key; did you mean expected_tool_calls?",
        ),
        (
            {"metadata": {"tool_policy": {}}},
            "metadata.tool_policy is not a known key; did you mean tool_policies?",
        ),
        (
            {"assertions": [{"type": "tol_called", "check": "x"}]},
            (
                "assertions[0].type is 'tol_called', which only a judge can check; did you mean "
                "'tool_called'?"
            ),
        ),
        (
            {"assertions": [{"type": "file_created"}]},
            "assertions[0].type is 'file_created', which only a judge can check",
        ),
    ],
)
def test_a_key_or_type_that_looks_misspelt_is_named_once_with_its_place(
    tmp_path: Path, fields: dict[str, object], doubt: str
) -> None:
    cases = [CASE, CASE | fields | {"id": "c2"}, CASE | fields | {"id": "c3"}]
    path = write(tmp_path, "cases.jsonl", *cases)
    with pytest.warns(UserWarning, match="did you mean|only a judge") as told:
        assert len(list(read_tasks(path))) == 3
    assert [str(each.message) for each in told] == [f"{path}:2: {doubt} (and in 1 more)"]


def test_a_misspelt_message_is_named_though_the_case_is_read_as_another_record(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "cases.jsonl", {"id": "c1", "user_mesage": "find it"})
    with pytest.warns(UserWarning, match="user_mesage") as told:
        list(read_tasks(path))
    assert [str(each.message) for each in told] == [
        f"{path}:1: user_mesage is not a known key; did you mean user_message?"
    ]


def test_custom_keys_are_not_misspellings(tmp_path: Path) -> None:
    fields = {"owner": "x", "prompt_id": 3, "metadata": {"expected_sources": [], "split": "a"}}
    assert read_case(tmp_path, **fields).extra == {"owner": "x", "prompt_id": 3}


@pytest.mark.parametrize("where", ["task", "metadata"])
@pytest.mark.parametrize("own", [False, True], ids=["test case", "own record"])
def test_expected_calls_are_found_in_any_place_for_expectations(
    tmp_path: Path, where: str, own: bool
) -> None:
    function = {"name": "g", "arguments": '{"q": 1}'}
    calls = [{"name": "f", "arguments": {}}, {"type": "function", "function": function}]
    expectations: dict[str, object] = {"expected_tool_calls": calls}
    record = {"id": "c1"} if own else CASE
    found = expectations if where == "task" else {"metadata": expectations}
    (task,) = read_tasks(write(tmp_path, "cases.jsonl", {**record, **found}))
    assert task.expected_tool_calls == (
        ToolCall(name="f", arguments={}),
        ToolCall(name="g", arguments={"q": 1}),
    )


def test_expected_calls_that_cannot_be_read_are_refused_with_their_place(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"cases\.jsonl:1: expected_tool_calls\[0\]\.name"):
        read_case(tmp_path, expected_tool_calls=[{"nme": "f"}])


def test_assertions_keep_what_they_check_as_written(tmp_path: Path) -> None:
    task = read_case(
        tmp_path,
        assertions=[{"type": "tool_called", "tool": None, "check": 5, "weight": 2}, {"name": "n"}],
    )
    first, second = task.assertions
    assert (first.label, first.tool, first.check, first.extra) == (
        "tool_called",
        None,
        5,
        {"weight": 2},
    )
    assert (second.label, second.type) == ("n", "")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": None}, "id is None"),
        ({"id": ""}, "id is ''"),
        ({"id": True}, "id is True"),
        ({"user_message": None}, "user_message (or prompt) is None"),
        ({"user_message": "", "prompt": ""}, "user_message (or prompt) is None"),
        ({"user_message": 5}, "user_message (or prompt) is 5"),
        ({"max_turns": True}, "max_turns is True"),
        ({"max_turns": "3"}, "max_turns is '3'"),
        ({"assertions": {}}, "assertions is an object"),
        ({"assertions": ["a"]}, "assertions[0] is"),
        ({"metadata": []}, "metadata: "),
    ],
)
def test_wrong_test_cases_are_refused(
    tmp_path: Path, fields: dict[str, object], message: str
) -> None:
    with pytest.raises(ReadError) as refusal:
        read_case(tmp_path, **fields)
    assert message in str(refusal.value)
    assert "cases.jsonl:1" in str(refusal.value)


def test_an_execution_result(tmp_path: Path) -> None:
    calls = [{"name": "open", "arguments": {"n": 1}, "turn": 1}, {"name": " "}, {"name": None}]
    attempt = read_result(tmp_path, tool_calls=calls, agent="heron", cpu=3)
    assert (attempt.task_id, attempt.agent, attempt.turns) == ("c1", "heron", None)
    assert (attempt.transcript, attempt.final_output, attempt.turn_count) == ("done", "it", 2)
    assert (attempt.duration_seconds, attempt.usage.credits) == (1.001, 2.5)
    (call,) = attempt.tool_calls
    assert (call.name, call.arguments, call.turn) == ("open", {"n": 1}, 1)
    assert attempt.dropped_calls == 2
    assert (attempt.unusable, attempt.extra) == ({}, {"cpu": 3})


@pytest.mark.parametrize(
    ("fields", "field", "reason"),
    [
        ({"duration_ms": "5"}, "duration_seconds", "duration_ms is '5', expected a number"),
        ({"duration_ms": True}, "duration_seconds", "duration_ms is True, expected a number"),
        ({"turn_count": "x"}, "turn_count", "turn_count is 'x', expected a whole number"),
        ({"turn_count": 1.5}, "turn_count", "turn_count is 1.5, expected a whole number"),
        ({"transcript": ["a"]}, "transcript", "transcript is ['a'], expected text"),
        ({"output": 5}, "final_output", "output is 5, expected text"),
        ({"tool_calls": {}}, "tool_calls", "tool_calls is an object, expected a list"),
        ({"tool_calls": [{"name": 5}]}, "tool_calls", "tool_calls[0].name is 5, expected text"),
        (
            {"token_usage": {"credits": "2"}},
            "usage.credits",
            "token_usage.credits is '2', expected a number",
        ),
        (
            {"duration_ms": 10**400},
            "duration_seconds",
            f"duration_ms is {10**400}, expected a number",
        ),
        ({"turn_count": 2**63}, "turn_count", f"turn_count is {2**63}, expected a whole number"),
        ({"turn_count": 1e300}, "turn_count", "turn_count is 1e+300, expected a whole number"),
        (
            {"token_usage": {"total_tokens": 2**63}},
            "usage.total_tokens",
            f"token_usage.total_tokens is {2**63}, expected a whole number",
        ),
        ({"token_usage": 7}, "usage.total_tokens", "token_usage is 7, expected an object"),
    ],
)
def test_a_wrong_figure_is_left_out_with_its_reason(
    tmp_path: Path, fields: dict[str, object], field: str, reason: str
) -> None:
    attempt = read_result(tmp_path, **fields)
    assert attempt.unusable[field] == reason
    assert attempt.task_id == "c1"


def test_the_key_tool_names_no_call(tmp_path: Path) -> None:
    attempt = read_result(tmp_path, tool_calls=[{"tool": "open"}, {"function": "open"}])
    assert (attempt.tool_calls, attempt.dropped_calls) == ((), 2)


def _openai_call(name: object, arguments: object, **others: object) -> dict[str, object]:
    function = {"name": name, "arguments": arguments}
    return {"id": "c1", "type": "function", "function": function, **others}


def test_calls_in_the_shape_of_openai_are_read(tmp_path: Path) -> None:
    calls = [
        _openai_call("open", '{"page": 2}', success=True, turn=1),
        _openai_call("open", ""),
        _openai_call("open", "{"),
        _openai_call(" ", "{}"),
    ]
    attempt = read_result(tmp_path, tool_calls=calls)
    assert attempt.tool_calls == (
        ToolCall(name="open", arguments={"page": 2}, success=True, turn=1),
        ToolCall(name="open", arguments={}),
        ToolCall(name="open", arguments="{"),
    )
    assert attempt.dropped_calls == 1
    assert attempt.unusable == {}


def test_the_place_of_a_name_under_function_is_named(tmp_path: Path) -> None:
    attempt = read_result(tmp_path, tool_calls=[_openai_call(5, "{}")])
    assert attempt.unusable == {
        "tool_calls": "tool_calls[0].function.name is 5, expected text",
    }


def test_a_call_by_a_turn_without_a_number_is_still_a_call(tmp_path: Path) -> None:
    calls = [{"name": "open", "turn": turn} for turn in (2**63, True, "1", None)]
    attempt = read_result(tmp_path, tool_calls=calls)
    assert [call.turn for call in attempt.tool_calls] == [None] * 4


def test_a_result_is_of_the_test_case_it_names_or_its_file(tmp_path: Path) -> None:
    nameless = {key: value for key, value in RESULT.items() if key != "test_case_id"}
    alone = tmp_path / "c7.json"
    alone.write_text(json.dumps(nameless, indent=1))
    assert [attempt.task_id for attempt in read_trajectories(alone)] == ["c7"]
    with pytest.raises(ReadError, match="no test case: expected one of"):
        list(read_trajectories(write(tmp_path, "two.jsonl", nameless, nameless)))


def test_rules_score_what_was_read(tmp_path: Path) -> None:
    # 1001 ms of 700: 10 / (1001 / 700) = 6.993; 2 of 2 turns used and an output: one half
    case = CASE | {"max_turns": 2, "metadata": {"max_latency_ms": "700", "max_credits": 5}}
    scores = trajmeter.score(
        write(tmp_path, "results.jsonl", RESULT),
        tasks=write(tmp_path, "cases.jsonl", case),
        metrics=["rules"],
    )
    (row,) = scores.rows
    assert row["rules.latency.score"] == pytest.approx(6.993006993006993)
    assert row["rules.completeness.score"] == 5.0
    assert row["rules.cost_budget.score"] == 10.0
    assert row["rules.llm_judge.outcome"] == "abstained"
