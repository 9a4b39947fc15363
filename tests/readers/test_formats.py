"""The registry of formats: every module is found, and evidence decides, not the order."""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.readers import (
    FileFormat,
    RecordFormat,
    formats,
    read_tasks,
    read_trajectories,
)
from trajmeter.records import Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import JsonValue

ATTEMPT = {"instance_id": "a", "model_patch": ""}
RUN = {"trajectory_format": "mini-swe-agent-1", "messages": [], "info": {}}
ASV = {"result_columns": ["result"], "results": {}}
EXECUTION = {"transcript": "", "output": "", "task_id": "a"}


def test_every_format_has_a_name_of_its_own() -> None:
    names = [known.name for known in formats()]
    assert len(names) == len(set(names))
    # A module with one format, a module with two, and a folder.
    assert {"asv-results", "task-records", "trajectory-records", "fc-eval-runs"} <= set(names)


def test_formats_are_ordered_by_evidence_and_then_by_name() -> None:
    for one, other in pairwise(formats()):
        assert (-one.evidence, one.name) < (-other.evidence, other.name)


@pytest.mark.parametrize("known", formats(), ids=lambda known: known.name)
def test_every_format_makes_tasks_or_trajectories(known: Any) -> None:
    assert known.makes in (Task, Trajectory)
    assert isinstance(known, (RecordFormat, FileFormat))
    assert known.description


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (ATTEMPT | {"task_id": "b"}, "ContextBench prediction"),
        (ATTEMPT | EXECUTION, "ContextBench prediction"),
        (ATTEMPT | RUN, "ContextBench prediction"),
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
        "ContextBench prediction": attempt.final_patch == "" and attempt.turns is None,
        "run": attempt.agent == "mini-swe-agent",
        "ASV results": attempt.task_id == "suite" and attempt.measurements is not None,
        "execution": attempt.final_output == "",
        "own record": attempt.transcript == "" and attempt.task_id == "a",
    }
    assert found[expected]


def test_gold_counts_before_a_test_case_and_a_task_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    both = {"id": "i", "prompt": "Do it.", "patch": "", "instance_id": "gold"}
    path.write_text(json.dumps(both) + "\n" + json.dumps({"id": "i", "prompt": "Do it."}))
    gold, case = read_tasks(path)
    assert (gold.id, gold.gold_patch) == ("gold", "")
    assert (case.id, case.question) == ("i", "Do it.")


def test_a_module_joins_by_lying_in_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "birdsong.py").write_text(
        "from trajmeter.readers import Evidence, RecordFormat\n"
        "from trajmeter.records import Trajectory\n"
        "BIRDSONG = RecordFormat(\n"
        "    name='birdsong', description='bird songs', makes=Trajectory,\n"
        "    evidence=Evidence.CERTAIN, recognises=lambda record: 'song' in record,\n"
        "    read=lambda record, source: Trajectory(task_id=record['song'], source=source),\n"
        ")\n"
    )
    spec = find_spec("trajmeter.readers")
    assert spec is not None
    places = spec.submodule_search_locations
    assert places is not None
    monkeypatch.setattr("trajmeter.readers.__path__", [*places, str(tmp_path)])
    song = tmp_path / "songs.jsonl"
    song.write_text('{"song": "blackbird"}')
    formats.cache_clear()
    try:
        (attempt,) = read_trajectories(song)
    finally:
        formats.cache_clear()
    assert attempt.task_id == "blackbird"
