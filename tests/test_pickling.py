"""What a worker process takes and returns: it is pickled on the way, and scores the same after."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import trajmeter
from trajmeter.kernels import load
from trajmeter.metrics import MetricError, create
from trajmeter.metrics.registry import BUILT_IN
from trajmeter.records import Assertion, Extent, GoldRange, Task, Trajectory, Turn, View
from trajmeter.snapshots import open_snapshots
from trajmeter.snapshots.snapshot import Definitions, FileSnapshot, Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trajmeter.kernels._select import BackendName
    from trajmeter.metrics.context import PreparedTask

GOLD = (GoldRange(path="a.py", first_line=1, last_line=2),)
TASK = Task(id="t", commit="c", gold_ranges=GOLD, assertions=(Assertion(type="max_turns"),))
STEPS: tuple[tuple[View, ...], ...] = (
    (View(path="a.py", extent=Extent.LINES, start=2, end=3),),
    (),
    (View(path="b.py"),),
)
ATTEMPTS = [
    Trajectory(task_id="t", agent="heron", turns=tuple(Turn(views=views) for views in STEPS)),
    Trajectory(task_id="t", agent="crab", turns=(), final_output="42"),
    Trajectory(task_id="unknown"),
]


def _pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - of our own


COPIES: dict[str, Callable[[Any], Any]] = {
    "pickled": _pickled,
    "copied": copy.copy,
    "copied in depth": copy.deepcopy,
}


@pytest.fixture(params=COPIES)
def copied(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    return COPIES[request.param]


@trajmeter.metric(low=0, higher_is_better=True)
def answered(task: Task | None, trajectory: Trajectory) -> float:
    """Whether there is an answer."""
    return float(trajectory.final_output is not None)


@trajmeter.metric
def fragile(task: Task | None, trajectory: Trajectory) -> float:
    return 1 / len(trajectory.turns or ())


def snapshot() -> Snapshot:
    names = Definitions(("function",), np.array([0]), np.array([20]), ("f",))
    files = {
        path: FileSnapshot(40, np.array([0, 10, 20, 30, 40]), definitions=names)
        for path in ("a.py", "b.py")
    }
    return Snapshot(repo=None, commit="c", files=files)


class Store:
    """Has one snapshot for every task."""

    def __init__(self) -> None:
        self.snapshot = snapshot()

    def find(self, task: Task) -> Snapshot | None:
        return self.snapshot


@pytest.fixture(params=["rust", "python"])
def prepared(request: pytest.FixtureRequest) -> PreparedTask:
    name: BackendName = request.param
    if name == "rust" and trajmeter.backend() == "python":
        pytest.skip("the extension is not used")
    return trajmeter.prepare(TASK, snapshot(), kernels=load(name))


def test_a_prepared_task(prepared: PreparedTask, copied: Callable[[Any], Any]) -> None:
    again = copied(prepared)
    assert again.task == TASK
    for attempt in ATTEMPTS:
        assert _context(again, attempt) == _context(prepared, attempt)


def _context(prepared: PreparedTask, attempt: Trajectory) -> object:
    from trajmeter.metrics.context import score

    return score(prepared, attempt)


@pytest.mark.parametrize("profile", [None, "contextbench"])
def test_a_tracker_goes_on_where_it_was(profile: str | None, copied: Callable[[Any], Any]) -> None:
    tracker = trajmeter.ContextTracker(trajmeter.prepare(TASK, snapshot(), profile=profile))
    for views in STEPS[:2]:
        tracker.update(views)
    again = copied(tracker)
    assert again.result() == tracker.result()
    assert again.update(STEPS[2]).step == tracker.update(STEPS[2]).step == 3
    assert again.result(final_patch="") == tracker.result(final_patch="")


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_a_metric(name: str, copied: Callable[[Any], Any]) -> None:
    (metric,) = create([name], snapshots=Store())
    before = trajmeter.score(ATTEMPTS, tasks=[TASK], metrics=[metric])
    again = copied(metric)
    assert again.parameters == metric.parameters
    after = trajmeter.score(ATTEMPTS, tasks=[TASK], metrics=[again])
    assert after.rows == before.rows


def test_a_part_of_a_metric_keeps_its_groups_and_its_profile(copied: Callable[[Any], Any]) -> None:
    (metric,) = create(["context.final"], profiles=["contextbench"])
    again = copied(metric)
    assert again.parameters == {"profile": "contextbench"}
    scores = [trajmeter.score(ATTEMPTS, metrics=[each]) for each in (metric, again)]
    assert scores[0].layout.names == scores[1].layout.names
    assert scores[0].rows == scores[1].rows


def test_scores_of_records(copied: Callable[[Any], Any]) -> None:
    metrics: list[Any] = [*BUILT_IN, answered, fragile]
    scores = trajmeter.score(ATTEMPTS, tasks=[TASK], metrics=metrics, snapshots=Store())
    again = copied(scores)
    assert repr(again) == repr(scores)
    assert again.rows == scores.rows
    assert again.results == scores.results
    assert again.summary == scores.summary
    assert again.layout.columns == scores.layout.columns
    assert any(isinstance(result, MetricError) for each in again.results for result in each.results)


def test_scores_of_files(tmp_path: Path, copied: Callable[[Any], Any]) -> None:
    path = tmp_path / "attempts.jsonl"
    path.write_text("".join(f"{each.model_dump_json(exclude_none=True)}\n" for each in ATTEMPTS))
    scores = trajmeter.score(path, tasks=[TASK], metrics=["turns", "context"], snapshots=Store())
    again = copied(scores)
    assert again.rows == scores.rows
    assert again.results == scores.results
    assert again.summary == scores.summary


def test_small_values(copied: Callable[[Any], Any]) -> None:
    spans = trajmeter.SpanSet([(3, 9), (1, 2)])
    assert copied(spans) == spans
    error = MetricError("ZeroDivisionError", code=None)
    assert copied(error) == error
    summary = trajmeter.score(ATTEMPTS, metrics=["turns"]).summary
    assert copied(summary) == summary


def test_a_snapshot_and_its_store(tmp_path: Path, copied: Callable[[Any], Any]) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\n")
    store = open_snapshots(tmp_path)
    before, after = store.find(TASK), copied(store).find(TASK)
    assert before is not None
    for found in (after, copied(before)):
        assert found.files["a.py"].line_starts.tolist() == [0, 4, 8]


def test_a_metric_of_a_file(tmp_path: Path, copied: Callable[[Any], Any]) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import trajmeter\n\n@trajmeter.metric\ndef steps(task, trajectory):\n"
        "    return len(trajectory.turns or ())\n"
    )
    scores = trajmeter.score(ATTEMPTS, metrics=[f"{path}@steps"])
    assert copied(scores).results == scores.results
    done = subprocess.run(
        [sys.executable, "-c", "import pickle, sys; print(pickle.load(sys.stdin.buffer).rows)"],
        input=pickle.dumps(scores),
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode().strip() == str(scores.rows)


def test_a_metric_made_within_a_function_cannot_be_pickled() -> None:
    @trajmeter.metric
    def local(task: Task | None, trajectory: Trajectory) -> float:
        return 1.0

    with pytest.raises((AttributeError, pickle.PicklingError), match="local"):
        pickle.dumps(local)
    results = trajmeter.score(ATTEMPTS, metrics=[local]).results
    assert _pickled(results) == results
