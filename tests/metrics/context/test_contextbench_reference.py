"""The profile ``contextbench`` against what ContextBench's own evaluator says of its data."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from trajmeter.kernels import GRANULARITIES
from trajmeter.metrics.context import ContextTracker, prepare, score
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.records import Outcome
from trajmeter.snapshots import open_snapshots

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trajmeter.metrics.context import ContextResult, PreparedTask
    from trajmeter.records import Trajectory

_REAL = "contextbench"
_MADE_UP = "contextbench/edge"


@pytest.mark.parametrize(("directory", "records"), [(_REAL, 50), (_MADE_UP, 150)])
def test_equals_the_original(reference_data: Path, directory: str, records: int) -> None:
    compared = 0
    for expected, prepared, trajectory in _attempts(reference_data / directory):
        result = _flat(_as_contextbench_writes(score(prepared, trajectory)))
        flat = _flat(expected)
        assert result.pop(".error", None) == flat.pop(".error", None)
        assert result == pytest.approx(flat, rel=0, abs=1e-12)
        compared += 1
    assert compared == records


@pytest.mark.parametrize("directory", [_REAL, _MADE_UP])
def test_the_tracker_ends_where_scoring_does(reference_data: Path, directory: str) -> None:
    for _, prepared, trajectory in _attempts(reference_data / directory):
        tracker = ContextTracker(prepared)
        for turn in trajectory.turns or ():
            tracker.update(turn.views or ())
        result = tracker.result(trajectory.final_views, final_patch=trajectory.final_patch)
        assert result == score(prepared, trajectory)


def _attempts(directory: Path) -> Iterator[tuple[dict[str, Any], PreparedTask, Trajectory]]:
    tasks = {}
    for task in read_tasks([directory / "gold.jsonl"]):
        tasks.update(dict.fromkeys((task.id, *task.aliases), task))
    snapshots = open_snapshots(directory / "snapshots.jsonl")
    expected = {}
    for line in (directory / "expected.jsonl").read_text().splitlines():
        record = json.loads(line)
        expected[record.pop("instance_id"), record.pop("model", "")] = record
    for path in sorted(directory.glob("preds*.jsonl")):
        model = path.stem.removeprefix("preds").removeprefix("-")
        for trajectory in read_trajectories([path]):
            key = trajectory.task_id, model
            if key in expected:
                task = tasks[trajectory.task_id]
                prepared = prepare(task, snapshots.find(task), profile="contextbench")
                yield expected[key], prepared, trajectory


def _as_contextbench_writes(result: ContextResult) -> dict[str, Any]:
    cause = result.final.file.cause
    if cause is not None:
        return {"error": cause.value}
    final = {name: getattr(result.final, name) for name in GRANULARITIES}
    steps = {name: getattr(result.trajectory, name) for name in GRANULARITIES}
    written: dict[str, Any] = {
        "num_steps": result.trajectory.num_steps,
        "final": {
            name: {
                "coverage": figures.coverage,
                "precision": figures.precision,
                "intersection": figures.intersection,
                "gold_size": figures.gold_size,
                "pred_size": figures.predicted_size,
            }
            for name, figures in final.items()
        },
        "trajectory": {
            "steps": [
                {
                    "step": index + 1,
                    "coverage": {name: figures.coverage[index] for name, figures in steps.items()},
                }
                for index in range(result.trajectory.num_steps)
            ],
            "auc_coverage": {name: figures.auc_coverage for name, figures in steps.items()},
            "redundancy": {name: figures.redundancy for name, figures in steps.items()},
        },
    }
    if result.contextbench_editloc.outcome is Outcome.SCORED:
        editloc = result.contextbench_editloc.model_dump(exclude={"outcome", "cause"})
        editloc["pred_size"] = editloc.pop("predicted_size")
        written["editloc"] = editloc
    return written


def _flat(value: object, path: str = "") -> dict[str, object]:
    """Figures by their paths, which pytest can compare approximately."""
    items: Any
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return {path: value}
    return {
        key: leaf for name, inner in items for key, leaf in _flat(inner, f"{path}.{name}").items()
    }
