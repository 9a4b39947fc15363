"""Rows of public data sets, by their columns, as JSON lines and as Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.readers.both_ways import as_batches, as_records
from trajmeter.readers import read_trajectories
from trajmeter.readers.batches import TrajectoryBatches

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Trajectory

CALL = {"id": "c", "type": "function", "function": {"name": "ls", "arguments": '{"path": "."}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Mend it."},
    {"role": "assistant", "content": "Look.", "tool_calls": [CALL]},
    {"role": "tool", "content": "a.py", "tool_call_id": "c"},
]
NEBIUS: dict[str, Any] = {
    "instance_id": "a__b-1",
    "trajectory_id": "a__b-1-3",
    "trajectory": MESSAGES,
    "model_patch": "diff --git a/a b/a\n",
    "resolved": 1,
    "exit_status": "submit",
    "repo": "a/b",
}
SWE_AGENT: dict[str, Any] = {
    "instance_id": "a__b-1",
    "model_name": "m-8b",
    "target": False,
    "exit_status": "submitted (exit_cost)",
    "generated_patch": "",
    "eval_logs": None,
    "trajectory": [
        {"role": "system", "text": None, "system_prompt": "Be brief."},
        {"role": "user", "text": "```\nnot mine\n```", "system_prompt": None},
        {"role": "ai", "text": "First.\n```\nls\n```\nor\n```bash\nopen a.py 3\n```"},
        {"role": "ai", "text": "I have no command."},
    ],
}


def read(path: Path, row: dict[str, Any], container: str) -> Trajectory:
    if container == "parquet":
        parquet.write_table(pa.Table.from_pylist([row]), path)
    else:
        path.write_text(json.dumps(row))
    (attempt,) = read_trajectories(path)
    return attempt


@pytest.mark.parametrize("container", ["jsonl", "parquet"])
@pytest.mark.parametrize("is_text", [False, True])
def test_rows_of_openhands(tmp_path: Path, container: str, *, is_text: bool) -> None:
    row = {**NEBIUS, "trajectory": json.dumps(MESSAGES)} if is_text else NEBIUS
    attempt = read(tmp_path / "rows", row, container)
    assert (attempt.task_id, attempt.attempt, attempt.passed) == ("a__b-1", "a__b-1-3", True)
    assert (attempt.final_patch, attempt.failure) == (NEBIUS["model_patch"], None)
    assert (attempt.metadata, attempt.extra) == ({"exit_status": "submit"}, {"repo": "a/b"})
    assert attempt.turns is not None
    (turn,) = attempt.turns
    (call,) = turn.tool_calls
    assert (turn.text, call.name, call.arguments, call.result) == (
        "Look.",
        "ls",
        {"path": "."},
        "a.py",
    )


@pytest.mark.parametrize("container", ["jsonl", "parquet"])
def test_rows_of_swe_agent(tmp_path: Path, container: str) -> None:
    attempt = read(tmp_path / "rows", SWE_AGENT, container)
    assert (attempt.task_id, attempt.agent, attempt.model) == ("a__b-1", "SWE-agent", "m-8b")
    assert (attempt.final_patch, attempt.passed) == ("", False)
    assert attempt.failure is not None
    assert attempt.failure.reason == "budget_exhausted"
    assert attempt.turns is not None
    assert [turn.program for turn in attempt.turns] == ["open a.py 3", None]
    assert all(turn.views is None for turn in attempt.turns)


@pytest.mark.parametrize("container", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("```\n ls \n```", "ls"),
        ("```bash\nls\n```\n```py\nx\n```", "x"),
        ("```ls```", "ls"),
        ("```ls\n```", ""),
        ("```c++\nx\n```", "c++\nx"),
        ("```größe_2\nx\n```", "x"),
        ("```a→\nx\n```", "a→\nx"),
        ("```\n\x1c\u2003\x85ls\xa0\x1f\n```", "ls"),
        ("````x```", "`x"),
        ("```a``````b```", "b"),
        ("```a``` ```b", "a"),
        ("```a", None),
        ("", None),
    ],
)
def test_the_last_fenced_block_is_the_program(
    tmp_path: Path, container: str, text: str, program: str | None
) -> None:
    row = {**SWE_AGENT, "trajectory": [{"role": "ai", "text": text}]}
    path = tmp_path / "rows"
    attempt = read(path, row, container)
    assert attempt.turns is not None
    assert [(turn.text, turn.program) for turn in attempt.turns] == [(text, program)]
    (batch,) = TrajectoryBatches(path)
    (row,) = batch.to_pylist()
    assert [(turn["text"], turn["program"]) for turn in row["turns"]] == [(text, program)]


@pytest.mark.parametrize(
    ("more", "patch"),
    [
        ({"git_patch": "x"}, "x"),
        ({"test_result": {"git_patch": "y"}}, "y"),
        ({"model_patch": "", "test_result": {"git_patch": "y"}}, "y"),
        ({"test_result": {"git_patch": ""}}, ""),
        ({"model_patch": "", "test_result": {}}, ""),
        ({"model_patch": ""}, ""),
        ({"resolved": None}, None),
    ],
)
def test_the_patch_is_where_the_set_keeps_it(
    tmp_path: Path, more: dict[str, Any], patch: str | None
) -> None:
    row = {"instance_id": "a", "messages": MESSAGES, **more}
    attempt = read(tmp_path / "rows", row, "jsonl")
    assert (attempt.final_patch, attempt.passed) == (patch, None)


@pytest.mark.parametrize(
    ("more", "who"),
    [
        ({"agent": "a", "model": "m", "attempt": "1"}, ("a", "m", "1")),
        ({"agent_name": "a", "model_name": "m", "run_id": 1}, ("a", "m", "1")),
        ({"model": "", "model_name_or_path": "m", "trajectory_id": "t"}, (None, "m", "t")),
        ({"agent": {"name": "a"}, "attempt": None, "run_id": ""}, (None, None, None)),
    ],
)
def test_who_made_an_attempt_is_read_as_from_any_record_with_messages(
    tmp_path: Path, more: dict[str, Any], who: tuple[str | None, ...]
) -> None:
    row = {"instance_id": "a", "resolved": True, "messages": MESSAGES, **more}
    attempt = read(tmp_path / "rows", row, "jsonl")
    assert (attempt.agent, attempt.model, attempt.attempt) == who
    (batch,) = TrajectoryBatches(tmp_path / "rows")
    (columns,) = batch.to_pylist()
    assert (columns["agent"], columns["model"], columns["attempt"]) == who


@pytest.mark.parametrize(
    ("row", "wrong", "places"),
    [
        (NEBIUS, {"model_patch": [1], "resolved": 7}, {"final_patch", "passed"}),
        (
            SWE_AGENT,
            {"model_name": 3, "generated_patch": [1], "target": "?"},
            {"model", "final_patch", "passed"},
        ),
    ],
)
def test_a_value_of_the_wrong_type_costs_itself_alone(
    tmp_path: Path, row: dict[str, Any], wrong: dict[str, Any], places: set[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    expected = read(path, row, "jsonl")
    attempt = read(path, row | wrong, "jsonl")
    assert attempt.unusable.keys() == places
    assert attempt.turns == expected.turns
    found, _ = as_batches(path)
    assert found == as_records(path)
