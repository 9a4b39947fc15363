"""Columns that are not recognised, read under the names of fields."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.errors import ConfigurationError
from trajmeter.readers import ReadProblem, read_trajectories
from trajmeter.readers.batches import TrajectoryBatches

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trajmeter.records import Trajectory

CALL = {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": '{"path": "."}'}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Mend it."},
    {"role": "assistant", "content": "Look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
    {"role": "assistant", "content": "Done."},
]
ROW: dict[str, Any] = {
    "uid": 7,
    "steps": MESSAGES,
    "meta": {"llm": {"name": "m-1"}, "won": 1},
    "diff": "",
    "note": "kept",
}
MAPPING = {
    "task_id": "uid",
    "turns": "steps",
    "model": "meta.llm.name",
    "passed": "meta.won",
    "final_patch": "diff",
}


def read(path: Path, mapping: Mapping[str, str]) -> tuple[list[Trajectory], list[str], list[str]]:
    """Records, problems and warnings, which batches have to agree on."""
    problems: list[ReadProblem] = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = [*read_trajectories(path, mapping=mapping, on_problem=problems.append)]
    again: list[ReadProblem] = []
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        batches = TrajectoryBatches(path, mapping=mapping, on_problem=again.append)
        ids = [id_ for batch in batches for id_ in batch["task_id"].to_pylist()]
    assert ids == [each.task_id for each in found]
    assert again == problems
    return found, [problem.message for problem in problems], [str(each.message) for each in told]


@pytest.mark.parametrize("container", ["lines", "document", "parquet"])
@pytest.mark.parametrize("is_text", [False, True])
def test_a_row_with_custom_names(tmp_path: Path, container: str, is_text: bool) -> None:
    path = tmp_path / f"rows.{container}"
    row = {**ROW, "steps": json.dumps(MESSAGES)} if is_text else ROW
    if container == "parquet":
        parquet.write_table(pa.Table.from_pylist([row]), path)
    else:
        path.write_text(json.dumps(row if container == "lines" else [row]))
    (attempt,), problems, told = read(path, MAPPING)
    assert (problems, told) == ([], [])
    assert (attempt.task_id, attempt.model, attempt.passed) == ("7", "m-1", True)
    assert (attempt.final_patch, attempt.final_output) == ("", "Done.")
    assert attempt.extra["note"] == "kept"
    assert attempt.turns is not None
    first, second = attempt.turns
    assert (first.text, second.text) == ("Look.", "Done.")
    assert [(call.name, call.arguments, call.result) for call in first.tool_calls] == [
        ("ls", {"path": "."}, "a.py")
    ]


def test_messages_are_turns_and_metadata_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ROW))
    mapping = {"task_id": "uid", "messages": "steps", "metadata.note": "note"}
    (attempt,), problems, _ = read(path, mapping)
    assert problems == []
    assert len(attempt.turns or ()) == 2
    assert attempt.metadata == {"note": "kept"}
    assert attempt.extra == {"meta": ROW["meta"], "diff": ""}


def test_json_text_may_represent_an_object(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"id": "a", "cost": '{"cost_usd": 2}', "about": "[1]"}))
    mapping = {"task_id": "id", "usage": "cost", "metadata.about": "about"}
    (attempt,), problems, _ = read(path, mapping)
    assert problems == []
    assert attempt.usage is not None
    assert attempt.usage.cost_usd == 2.0
    assert attempt.metadata == {"about": "[1]"}  # which may be text


def test_our_own_turns_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "acts": [{"program": "ls"}]}')
    (attempt,), problems, _ = read(path, {"task_id": "id", "turns": "acts"})
    assert problems == []
    assert [turn.program for turn in attempt.turns or ()] == ["ls"]


@pytest.mark.parametrize("container", ["lines", "parquet"])
def test_a_column_named_like_a_field_may_be_mapped_in_parts(tmp_path: Path, container: str) -> None:
    path = tmp_path / f"rows.{container}"
    usage = {"prompt_tokens": 10, "output_tokens": 3, "total": {"all": 13}}
    row = {"uid": "a", "usage": usage, "model": {"name": "m", "size": 7}, "spent": 0.5}
    if container == "parquet":
        parquet.write_table(pa.Table.from_pylist([row]), path)
    else:
        path.write_text(json.dumps(row))
    mapping = {"usage.input_tokens": "usage.prompt_tokens", "usage.cost_usd": "spent"}
    (attempt,), problems, _ = read(path, {"task_id": "uid", "agent": "model.name", **mapping})
    assert problems == []
    assert (attempt.agent, attempt.model) == ("m", None)
    assert attempt.usage is not None
    known = attempt.usage.model_dump(exclude_none=True)
    assert known == {"input_tokens": 10, "output_tokens": 3, "cost_usd": 0.5}
    assert attempt.extra == {"usage.total": {"all": 13}, "model.size": 7}


def test_a_column_named_like_a_part_of_another_is_kept_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = {
        "uid": "a",
        "usage": {"prompt_tokens": 1, "latency": 7},
        "usage.latency": 5,
        "usage.prompt_tokens": 3,
    }
    path.write_text(json.dumps(row))
    mapping = {"task_id": "uid", "usage.input_tokens": "usage.prompt_tokens"}
    (attempt,), problems, _ = read(path, mapping)
    assert problems == []
    assert attempt.usage is not None
    assert attempt.usage.input_tokens == 3
    nested = {"usage.latency (nested)": 7, "usage.prompt_tokens (nested)": 1}
    assert attempt.extra == {"usage.latency": 5, **nested}


def test_a_column_that_no_row_has_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"uid": "a", "model_id": null, "by": {"team": 1}}\n{"uid": "b"}\n{"other": 1}')
    mapping = {"task_id": "uid", "agent": "nme", "model": "model_id", "attempt": "by.tem"}
    found, problems, told = read(path, mapping)
    assert [each.task_id for each in found] == ["a", "b"]
    columns = "'uid', 'nme', 'model_id', 'by.tem'"
    assert problems == [f"none of the mapped columns exists: {columns}; there are: ['other']"]
    assert told == [
        f"{path}: no record has the mapped column 'nme'",
        f"{path}: no record has the mapped column 'by.tem'; did you mean 'by.team'?",
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"uid": "a", "steps": 5}, "messages: expected a list, got a number"),
        ({"uid": "a", "steps": "["}, "messages: invalid JSON: "),
        ({"uid": ["a"], "steps": []}, "task_id: expected text, got "),
        ({"uid": None, "steps": []}, "column 'uid' for 'task_id': expected text, got null"),
        ({"to": "a", "steps": []}, "no column 'uid' for 'task_id'; there are: ['to', 'steps']"),
        ({"uids": "a", "steps": []}, "no column 'uid' for 'task_id'; did you mean 'uids'?"),
    ],
)
def test_a_row_that_does_not_fit_is_a_problem(
    tmp_path: Path, row: dict[str, Any], message: str
) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + '\n{"uid": "b", "steps": []}')
    found, problems, _ = read(path, {"task_id": "uid", "messages": "steps"})
    assert [each.task_id for each in found] == ["b"]
    (problem,) = problems
    assert problem.startswith(message)


def test_columns_of_another_format_are_renamed_too(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"instance": "a", "patch": "x"}')
    (attempt,) = read_trajectories(
        path,
        input_format="swe-bench-predictions",
        mapping={"instance_id": "instance", "model_patch": "patch"},
    )
    assert (attempt.task_id, attempt.final_patch) == ("a", "x")


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"task": "uid"}, "map: trajectories have no field 'task'"),
        ({"modle": "uid"}, "map: trajectories have no field 'modle'; did you mean 'model'"),
        ({"mesages": "uid"}, "no field 'mesages'; did you mean 'messages'"),
        ({"usage.cst_usd": "uid"}, "no field 'usage.cst_usd'; did you mean 'usage.cost_usd'"),
        ({"turns.text": "uid"}, "map: 'turns.text': turns is a list"),
        ({"model.name": "uid"}, "map: 'model.name': model is a single value"),
        ({"usage": "a", "usage.cost_usd": "b"}, "map: 'usage' is mapped as a whole and in part"),
        ({"turns": "a", "messages": "b"}, "map: messages become turns; map one of the two"),
    ],
)
def test_a_wrong_mapping_is_an_error_before_anything_is_read(
    mapping: dict[str, str], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_trajectories("absent.jsonl", mapping=mapping)
    with pytest.raises(ConfigurationError, match="fc-eval-runs has no columns to map"):
        read_trajectories("absent.jsonl", input_format="fc-eval-runs", mapping={"task_id": "a"})
