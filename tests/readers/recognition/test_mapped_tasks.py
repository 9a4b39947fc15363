"""Tasks that are made of the rows of their attempts."""

from __future__ import annotations

import json
import os
import threading
import warnings
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from tests.readers.logs import write_lines
from trajmeter.errors import ConfigurationError
from trajmeter.readers import ReadProblem, read_tasks, read_trajectories
from trajmeter.records import GoldRange, Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trajmeter.records import Task

CALL = {"name": "read", "arguments": {"path": "a.py"}}
ROW: dict[str, Any] = {
    "uid": 7,
    "steps": [{"tool_calls": [CALL]}],
    "reference": {"patch": "diff --git", "calls": [CALL], "lines": 3},
    "budget": 5,
    "note": "kept",
}
MAPPING = {
    "task_id": "uid",
    "turns": "steps",
    "task.gold_patch": "reference.patch",
    "task.expected_tool_calls": "reference.calls",
    "task.metadata.max_tokens": "budget",
}


def read(path: Path, mapping: Mapping[str, str]) -> tuple[list[Task], list[str], list[str]]:
    """Tasks, problems and warnings."""
    problems: list[ReadProblem] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tasks = [*read_tasks(path, mapping=mapping, on_problem=problems.append)]
    return tasks, [str(problem) for problem in problems], [str(each.message) for each in told]


@pytest.mark.parametrize("is_text", [False, True])
def test_a_task_is_made_of_its_row(tmp_path: Path, is_text: bool) -> None:
    calls = json.dumps([CALL]) if is_text else [CALL]
    path = write_lines(
        tmp_path / "rows.jsonl", ROW | {"reference": {"patch": "diff --git", "calls": calls}}
    )
    (task,), problems, told = read(path, MAPPING)
    assert (problems, told) == ([], [])
    assert (task.id, task.gold_patch) == ("7", "diff --git")
    assert [(call.name, call.arguments) for call in task.expected_tool_calls or ()] == [
        ("read", {"path": "a.py"})
    ]
    assert task.metadata == {"max_tokens": 5}
    assert task.extra == {}
    assert str(task.source) == f"{path}:1"


def test_the_trajectory_of_the_row_is_without_what_is_its_tasks(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", ROW)
    (attempt,) = read_trajectories(path, mapping=MAPPING)
    assert attempt.task_id == "7"
    assert attempt.extra == {"reference": ROW["reference"], "note": "kept"}


def test_a_recognised_format_needs_no_column_mapping(tmp_path: Path) -> None:
    row = {"instance_id": "a", "model_patch": "", "gold": "diff", "task": {"text": "Mend it."}}
    path = write_lines(tmp_path / "rows.jsonl", row)
    mapping = {"task.gold_patch": "gold", "task.question": "task.text"}
    (attempt,) = read_trajectories(path, mapping=mapping)
    assert (attempt.task_id, attempt.final_patch) == ("a", "")
    (task,), _, _ = read(path, mapping)
    assert (task.id, task.gold_patch, task.question) == ("a", "diff", "Mend it.")


def test_a_row_without_an_id_or_without_values_has_no_task(tmp_path: Path) -> None:
    rows = [{"uid": None, "patch": "x"}, {"uid": "a", "patch": None}, {"uid": "b"}, "[1]", "{"]
    path = write_lines(tmp_path / "rows.jsonl", *rows)
    assert read(path, {"task_id": "uid", "task.gold_patch": "patch"}) == ([], [], [])
    assert read(path, {"task_id": "uid"}) == ([], [], [])
    assert read(tmp_path / "absent.jsonl", {"task.gold_patch": "patch"}) == ([], [], [])


def test_a_column_that_no_row_has_is_reported(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", {"task_id": "a", "patch": "x"})
    (task,), _, told = read(path, {"task.gold_patch": "patch", "task.question": "pach"})
    assert task.gold_patch == "x"
    assert told == ["no record has the mapped column 'pach'; did you mean 'patch'?"]


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("gold_patch", 5, "task: gold_patch: expected text, got 5"),
        ("expected_tool_calls", "[", "task: invalid JSON: "),
        ("expected_tool_calls", 5, "task: expected_tool_calls: expected a list, got 5"),
        ("gold_ranges", [{"path": 1}], "task: gold_ranges[0]"),
    ],
)
def test_a_value_of_the_wrong_type_loses_only_its_row(
    tmp_path: Path, field: str, value: object, message: str
) -> None:
    gold = [{"path": "a.py", "first_line": 1, "last_line": 2}]
    rows = [{"task_id": "a", "x": value}, {"task_id": "b", "y": gold}]
    path = write_lines(tmp_path / "rows.jsonl", *rows)
    mapping = {f"task.{field}": "x", "task.metadata.y": "y"}
    tasks, problems, _ = read(path, mapping)
    assert [task.id for task in tasks] == ["b"]
    (problem,) = problems
    assert problem.startswith(f"{path}:1: {message}")


def test_text_that_may_be_anything_stays_text(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", {"task_id": "a", "note": "{"})
    (task,), problems, _ = read(path, {"task.metadata.note": "note", "task.question": "note"})
    assert (task.metadata, task.question, problems) == ({"note": "{"}, "{", [])


def test_gold_ranges_are_read_from_a_row(tmp_path: Path) -> None:
    gold = [{"path": "a.py", "first_line": 1, "last_line": 2}]
    path = write_lines(tmp_path / "rows.jsonl", {"task_id": "a", "gold": json.dumps(gold)})
    (task,), _, _ = read(path, {"task.gold_ranges": "gold"})
    assert task.gold_ranges == (GoldRange(path="a.py", first_line=1, last_line=2),)


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"task.gold_pach": "a"}, "tasks have no field 'gold_pach'; did you mean 'gold_patch'"),
        ({"task.id": "a"}, "map: the task has the id of its attempt; map task_id"),
        ({"task.metadata": "a", "task.metadata.x": "b"}, "mapped as a whole and in part"),
        ({"task.gold_ranges.path": "a"}, "map: 'gold_ranges.path': gold_ranges is a list"),
        ({"task.question.x": "a"}, "map: 'question.x': question is a single value"),
    ],
)
def test_a_wrong_mapping_is_an_error_before_anything_is_read(
    mapping: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_tasks("absent.jsonl", mapping=mapping)
    with pytest.raises(ConfigurationError, match=message):
        trajmeter.score(["absent.jsonl"], mapping=mapping)


def test_attempts_are_scored_against_the_tasks_of_their_rows(tmp_path: Path) -> None:
    other = {"uid": 8, "steps": [], "reference": {"calls": [CALL]}}
    path = write_lines(tmp_path / "rows.jsonl", ROW, ROW, other)
    alone: list[Path | Trajectory] = [path]
    for items in (alone, [*alone, Trajectory(task_id="8", turns=())]):
        scores = trajmeter.score(items, metrics=["tools"], mapping=MAPPING)
        recall = [row["tools.any_order_grades.recall"] for row in scores.rows]
        assert recall[:3] == [1.0, 1.0, 0.0]
        assert len(recall) == 2 + len(items)


def test_two_rows_of_one_task_have_to_agree(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rows.jsonl", ROW, ROW | {"budget": 6})
    with pytest.raises(ConfigurationError, match="two different tasks have the id '7'"):
        trajmeter.score([path], metrics=["tools"], mapping=MAPPING)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_cannot_be_read_for_tasks_and_for_attempts(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=("",), daemon=True)
    writer.start()
    with pytest.raises(ConfigurationError, match="a pipe is read once"):
        list(read_tasks(tmp_path / "pipe", mapping={"task.gold_patch": "patch"}))
    (tmp_path / "pipe").read_bytes()
    writer.join()
