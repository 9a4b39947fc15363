"""Files of messages: which are recognised, and which attempts they hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trajmeter.errors import ReadError
from trajmeter.readers import read_trajectories

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem

ASK = {"role": "user", "content": "What is x?"}
LOOK = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}],
}
FOUND = {"role": "tool", "tool_call_id": "c", "content": "x = 1"}
SAY = {"role": "assistant", "content": "x is 1."}
MESSAGES = [ASK, LOOK, FOUND, SAY]
SAID = {"content": "Done."}


def lines(*values: Any) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


@pytest.mark.parametrize(
    ("text", "attempts"),
    [
        (json.dumps(MESSAGES), 1),
        (json.dumps(MESSAGES, indent=2), 1),
        (lines(*MESSAGES), 1),
        (lines(MESSAGES, MESSAGES), 2),
        (json.dumps([MESSAGES, MESSAGES, MESSAGES]), 3),
        (lines({"messages": MESSAGES}), 1),
        (lines({"instance_id": "a", "trajectory": MESSAGES}, {"conversation": MESSAGES}), 2),
        (lines({"trajectory": json.dumps(MESSAGES)}), 1),
        (json.dumps({"messages": MESSAGES}), 1),
    ],
)
def test_lists_in_any_place(text: str, attempts: int, tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(text)
    found = [*read_trajectories(path)]
    assert len(found) == attempts
    for attempt in found:
        assert attempt.task_id in ("talk", "a")
        assert attempt.final_output == "x is 1."
        assert [len(turn.tool_calls) for turn in attempt.turns or ()] == [1, 0]
        assert attempt.source is not None


def test_the_other_fields_of_a_record(tmp_path: Path) -> None:
    record = {
        "instance_id": 7,
        "trajectory_id": "t-2",
        "model_name": "org/m",
        "trajectory": MESSAGES,
        "model_patch": "--- a",
        "resolved": 1,
        "exit_status": "submit",
        "license": None,
        "config": {"api_key": "k"},
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(lines(record, {**record, "resolved": False, "id": "x"}))
    first, second = read_trajectories(path)
    assert (first.task_id, first.attempt, first.model) == ("7", "t-2", "org/m")
    assert (first.final_patch, first.passed, second.passed) == ("--- a", True, False)
    assert first.metadata == {"exit_status": "submit"}
    assert first.extra == {"config": {"api_key": "<redacted>"}}
    assert second.extra == {**first.extra, "id": "x"}


def test_a_column_of_messages_with_nulls(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    rows = [{"instance_id": each, "trajectory": MESSAGES, "resolved": 0} for each in "ab"]
    pq.write_table(pa.Table.from_pylist(rows), path)
    for name, attempt in zip("ab", read_trajectories(path), strict=True):
        assert (attempt.task_id, attempt.passed, attempt.unusable) == (name, False, {})
        (looked, said) = attempt.turns or ()
        assert looked.tool_calls[0].arguments == {"path": "a.py"}
        assert looked.tool_calls[0].result == "x = 1"
        assert said.text == "x is 1."


def test_a_broken_line_costs_itself_alone(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(lines(ASK, LOOK, FOUND) + '{"role": "user", "cont\n' + lines(SAY))
    problems: list[ReadProblem] = []
    (attempt,) = read_trajectories(path, on_problem=problems.append)
    assert len(attempt.turns or ()) == 2
    assert [problem.line for problem in problems] == [4]


@pytest.mark.parametrize("odd", [17, "x", None, {"role": 5}, {"role": "user"}])
@pytest.mark.parametrize(
    ("place", "is_on_lines"), [(0, False), (1, False), (1, True), (2, False), (2, True)]
)
def test_an_odd_value_does_not_hide_a_list(
    odd: Any, place: int, is_on_lines: bool, tmp_path: Path
) -> None:
    messages = [ASK, LOOK, FOUND, SAY]
    messages.insert(place, odd)
    path = tmp_path / ("talk.jsonl" if is_on_lines else "talk.json")
    path.write_text(lines(*messages) if is_on_lines else json.dumps(messages))
    (attempt,) = read_trajectories(path)
    assert len(attempt.turns or ()) == 2
    assert [*attempt.unusable] == ([] if odd == {"role": "user"} else [f"messages[{place}]"])


def test_langchain_writes_its_messages_in_envelopes(tmp_path: Path) -> None:
    said = {"type": "ai", "content": "Done.", "response_metadata": {"model_name": "m"}}
    path = tmp_path / "run.messages.json"
    path.write_text(json.dumps([{"type": "human", "data": ASK}, {"type": "ai", "data": said}]))
    (attempt,) = read_trajectories(path)
    assert (attempt.task_id, attempt.model) == ("run.messages", "m")
    assert attempt.final_output == "Done."
    dumped = {"lc": 1, "type": "constructor", "id": ["x", "AIMessage"], "kwargs": said}
    path.write_text(json.dumps({"messages": [dumped]}))
    (attempt,) = read_trajectories(path)
    assert attempt.final_output == "Done."


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "ghost", "content": "x"}],
        [{"type": "user", "message": ASK}],
        [{"name": "x"}],
        [ASK, {"name": "x"}, {"name": "y"}],
        {"messages": "none"},
        {"messages": []},
        {"messages": [{"id": 3}]},
        {"trajectory": "[{broken"},
    ],
)
def test_values_that_are_not_lists_of_messages(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value))
    with pytest.raises(ReadError, match="expected"):
        list(read_trajectories(path))


def test_contents_of_gemini_are_not_taken_for_empty_messages(tmp_path: Path) -> None:
    call = {"functionCall": {"name": "f", "args": {}}}
    said = [{"role": "user", "parts": [{"text": "q"}]}, {"role": "model", "parts": [call]}]
    path = tmp_path / "log.json"
    for content in (said, {"messages": said}):
        path.write_text(json.dumps(content))
        problems: list[ReadProblem] = []
        assert [*read_trajectories(path, on_problem=problems.append)] == []
        assert "which no format recognises" in problems[0].message


@pytest.mark.parametrize(
    "answer",
    [
        {"object": "chat.completion", "choices": [{"message": {"role": "assistant", **SAID}}]},
        {"object": "response", "output": [{"type": "message", "role": "assistant", **SAID}]},
    ],
)
@pytest.mark.parametrize("asked", [[], [{"role": "user", "content": "Mend it."}]])
def test_whole_answers_of_openai_are_messages(
    answer: dict[str, Any], asked: list[Any], tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps([*asked, answer]))
    (attempt,) = read_trajectories(path)
    assert (attempt.final_output, attempt.unusable) == ("Done.", {})
