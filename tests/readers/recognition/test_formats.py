"""The registry of formats: what each says of itself, and that evidence decides, not the order."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from trajmeter.readers import (
    FileFormat,
    ReadProblem,
    RecordFormat,
    beginning,
    formats,
    read_tasks,
    read_trajectories,
)
from trajmeter.records import Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

DOCS = Path(__file__).parents[3] / "docs"
ATTEMPT = {"instance_id": "a", "model_patch": ""}
RUN = {"trajectory_format": "mini-swe-agent-1", "messages": [], "info": {}}
ASV = {"result_columns": ["result"], "results": {}}
EXECUTION = {"transcript": "", "output": "", "task_id": "a"}


def has_field(model: type[BaseModel], path: str) -> bool:
    """Whether a record has a field of this name; whatever lies below an open mapping is one."""
    name, _, rest = path.partition(".")
    field = model.model_fields.get(name)
    if field is None:
        return False
    below = [each for each in _types(field.annotation) if isinstance(each, type)]
    models = [each for each in below if issubclass(each, BaseModel)]
    return not rest or (dict in below) or any(has_field(each, rest) for each in models)


def _types(annotation: Any) -> list[Any]:
    """A type, and those that it is made of."""
    inner = [each for argument in get_args(annotation) for each in _types(argument)]
    return [get_origin(annotation) or annotation, *inner]


def test_every_format_has_a_unique_name() -> None:
    names = [known.name for known in formats()]
    assert len(names) == len(set(names))
    # A module with one format, a module with two, and a folder.
    assert {"asv-results", "task-records", "trajectory-records", "fc-eval-runs"} <= set(names)


def test_formats_are_ordered_by_name() -> None:
    for one, other in pairwise(formats()):
        assert one.name < other.name


@pytest.mark.parametrize("known", formats(), ids=lambda known: known.name)
def test_every_format_makes_tasks_or_trajectories(known: Any) -> None:
    assert known.makes in (Task, Trajectory)
    assert isinstance(known, (RecordFormat, FileFormat))
    assert known.description
    assert known.origin


@pytest.mark.parametrize("known", formats(), ids=lambda known: known.name)
def test_what_a_format_carries_are_fields_of_the_record(known: Any) -> None:
    assert known.carries
    assert len(known.carries) == len(set(known.carries))
    for field in known.carries:
        assert has_field(known.makes, field), field


def test_every_format_is_on_a_page_that_the_index_lists() -> None:
    index = DOCS.joinpath("formats.md").read_text(encoding="utf-8")
    pages = sorted(DOCS.glob("formats/*.md"))
    assert [page.name for page in pages if f"(formats/{page.name})" not in index] == []
    texts = "".join(page.read_text(encoding="utf-8") for page in pages)
    assert [known.name for known in formats() if f"`{known.name}`" not in texts] == []


@pytest.mark.parametrize("known", formats(), ids=lambda known: known.name)
def test_formats_are_recognised_by_keys_that_trajmeter_records_lack(known: Any) -> None:
    if isinstance(known, RecordFormat):
        assert known.keys
    if isinstance(known, RecordFormat) and known.makes is Trajectory:
        ours = known.keys & Trajectory.model_fields.keys()
        assert ours == ({"task_id"} if known.name == "trajectory-records" else set())


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (ATTEMPT | {"task_id": "b"}, "prediction"),
        (ATTEMPT | {"traj_data": {}}, "prediction"),
        (ATTEMPT | EXECUTION | {"traj_data": {}}, "prediction"),
        (ATTEMPT | RUN, "run"),
        (RUN | ASV, "run"),
        (RUN | EXECUTION, "run"),
        (ASV | EXECUTION, "ASV results"),
        (EXECUTION, "execution"),
        ({"task_id": "a", "transcript": ""}, "own record"),
    ],
)
def test_of_several_formats_the_strongest_evidence_counts(
    tmp_path: Path, record: Mapping[str, JsonValue], expected: str
) -> None:
    (tmp_path / "suite").mkdir()
    path = tmp_path / "suite" / "heron.json"
    path.write_text(json.dumps(record))
    (attempt,) = read_trajectories(path)
    found = {
        "prediction": attempt.final_patch == "" and attempt.turns is None,
        "run": attempt.agent == "mini-swe-agent",
        "ASV results": attempt.task_id == "suite" and attempt.measurements is not None,
        "execution": attempt.final_output == "",
        "own record": attempt.transcript == "" and attempt.task_id == "a",
    }
    assert found[expected]


def test_equal_evidence_for_two_formats_is_a_problem_that_names_both(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    records = (EXECUTION, ATTEMPT | EXECUTION, ATTEMPT)
    path.write_text("\n".join(map(json.dumps, records)))
    problems: list[ReadProblem] = []
    read = [*read_trajectories(path, on_problem=problems.append)]
    assert [attempt.task_id for attempt in read] == ["a", "a"]
    (problem,) = problems
    assert str(problem).endswith(
        "mixed.jsonl:2: may be execution results or SWE-bench predictions; choose with "
        "--input-format rule-executions or --input-format swe-bench-predictions"
    )


@pytest.mark.parametrize("key", ["trajectory", "messages", "history"])
def test_a_row_of_a_data_set_is_not_taken_for_a_prediction(tmp_path: Path, key: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ATTEMPT | {key: "?"}))
    problems: list[ReadProblem] = []
    assert [*read_trajectories(path, on_problem=problems.append)] == []
    assert f"an object with the keys ['instance_id', 'model_patch', '{key}']" in str(problems[0])


@pytest.mark.parametrize(
    ("head", "values"),
    [
        (b"", ()),
        (b"plain text", ()),
        (b"}", ()),
        (
            b'\xef\xbb\xbf\r\n{"a": 1}\r\n\r\n[2]\r\n{"b": {"c": [3, ',
            ({"a": 1}, [2], {"b": {"c": [3]}}),
        ),
        (b'{\n "a": {"b": 1,\n "c": "cut o', ({"a": {"b": 1}},)),
        (b'[{"a": 1}, {"b"', ([{"a": 1}, {}],)),
        (b'{"a": 1}\n{"b": nonsense}\n{"c": 1}', ({"a": 1}, {"c": 1})),
        (b'{"a": {"b": \n{"c": 1}\n{"d": [2', ({"c": 1}, {"d": [2]})),
        (b'[{"a": 1},\n{"b": 2', ([{"a": 1}, {"b": 2}],)),
        (b'{"a": 1}\n' * 30, ({"a": 1},) * 20),
    ],
)
def test_the_beginning_of_json_is_read_as_far_as_it_goes(
    head: bytes, values: tuple[JsonValue, ...]
) -> None:
    assert beginning(head) == values


def test_gold_counts_before_a_test_case_and_a_task_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    both = {"id": "i", "prompt": "Do it.", "patch": "", "instance_id": "gold"}
    path.write_text(json.dumps(both) + "\n" + json.dumps({"id": "i", "prompt": "Do it."}))
    gold, case = read_tasks(path)
    assert (gold.id, gold.gold_patch) == ("gold", "")
    assert (case.id, case.question) == ("i", "Do it.")
