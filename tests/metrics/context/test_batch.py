"""Context of record batches, where memory and nulls are what Arrow allows them to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tests.metrics.context.repositories import gold, lines, seen, snapshot, task, ten_lines
from trajmeter.metrics.context import ahead
from trajmeter.metrics.context.batch import score_batch
from trajmeter.metrics.context.profile import PROFILES
from trajmeter.metrics.context.tasks import PreparedTasks
from trajmeter.records import Cause, Trajectory, Turn, View
from trajmeter.schemas import trajectory_batch, trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    import pytest

    from trajmeter.records import Task
    from trajmeter.snapshots import Snapshot


class _Store:
    def find(self, task: Task) -> Snapshot:
        del task
        return snapshot({"a.py": ten_lines([("function", 0, 20, "f")]), "b.py": ten_lines()})


TASK = task(gold("a.py", 1, 4), patch=None)
ATTEMPTS = [
    Trajectory(
        task_id="t",
        # Turns without views, and one that recorded none, between those that looked at something.
        turns=(
            Turn(),
            Turn(views=(lines("a.py", 3, 8), seen("b.py"))),
            Turn(),
            Turn(views=()),
            Turn(views=(lines("a.py", 1, 2),)),
        ),
    ),
    Trajectory(task_id="t"),
    Trajectory(task_id="t", turns=(), final_views=(lines("a.py", 4, 5), View(path="gone.py"))),
    Trajectory(
        task_id="t", turns=(Turn(views=(View(path="a.py", symbols=("f", "g"), listed=False),)),)
    ),
]


def _columns(
    batch: pa.RecordBatch, tasks: Sequence[Task | None] | None = None, **options: Any
) -> dict[str, list[Any]]:
    """Columns of the figures by name."""
    kept = PreparedTasks(_Store(), PROFILES[0], **options)
    found = score_batch(kept, PROFILES[0], tasks or [TASK] * len(batch), batch)
    return {name: column.to_pylist() for name, column in found.items()}


def test_figures_by_row() -> None:
    found = _columns(trajectory_batch(ATTEMPTS))
    # Of 4 gold lines the steps of the first show 2, no more, then the rest.
    assert found["trajectory.num_steps"] == [3, 0, 0, 1]
    assert found["trajectory.line.coverage"][0] == [2 / 4, 2 / 4, 4 / 4]
    assert found["final.file.predicted_size"] == [2, None, 1, 1]
    assert found["final.line.cause"] == [None, Cause.NO_CONTEXT_EXTRACTED.value, None, None]
    assert found["trajectory.line.cause"][1] == Cause.NO_STEPS.value
    assert found["final.line.precision"][2] == 1 / 2
    assert found["views.unresolved_paths"] == [0, 0, 1, 0]
    assert found["final.symbol.coverage"][3] == 1.0


def test_nothing_to_find_has_no_f1() -> None:
    """No definition meets gold, and the gold patch edits no line: there is 0 of 0 to find."""
    patch = "--- a/a.py\n+++ b/a.py\n@@ -3,1 +3,1 @@\n-old\n+new\n"
    attempts = [Trajectory(task_id="t", final_views=(lines("a.py", 1, 2),), final_patch=patch)]
    found = _columns(trajectory_batch(attempts), [task(gold("b.py", 1, 4), patch="")])
    for group in ("final.symbol", "edit_location"):
        assert found[f"{group}.outcome"] == ["abstained"]
        assert found[f"{group}.predicted_size"] == [1]
        assert found[f"{group}.gold_size"] == [0]
        assert found[f"{group}.f1"] == [None]


def test_attempts_at_unknown_tasks_count_their_steps() -> None:
    found = _columns(trajectory_batch(ATTEMPTS), [None] * len(ATTEMPTS))
    assert found["trajectory.num_steps"] == [3, 0, 0, 1]
    assert set(found["final.line.cause"]) == {Cause.MISSING_GOLD.value}


def test_a_slice_is_read_from_where_it_begins() -> None:
    batch = trajectory_batch(ATTEMPTS)
    whole = _columns(batch)
    for row in range(len(batch)):
        own = {name: values[row : row + 1] for name, values in whole.items()}
        assert _columns(batch.slice(row, 1)) == own


def test_rows_without_attempts() -> None:
    assert not any(_columns(trajectory_batch([])).values())


def test_nulls_mean_defaults() -> None:
    row: dict[str, Any] = {"task_id": "t", "final_views": [{"path": "a.py"}], "turns": None}
    batch = pa.RecordBatch.from_pylist([row], schema=trajectory_schema())
    declared = Trajectory(task_id="t", final_views=(View(path="a.py"),))
    assert _columns(batch) == _columns(trajectory_batch([declared]))


def test_rows_are_cut_where_their_tasks_take_too_much_memory() -> None:
    batch = trajectory_batch(ATTEMPTS)
    tasks = [TASK.model_copy() for _ in ATTEMPTS]
    assert _columns(batch, tasks, most_bytes=1) == _columns(batch)


class _Ahead(_Store):
    """Notes what it is asked to read ahead."""

    def __init__(self) -> None:
        self.asked: list[list[set[str]]] = []

    def read_ahead(self, wanted: Iterable[tuple[Snapshot, Collection[str]]]) -> None:
        self.asked.append([{*paths} for _, paths in wanted])


def test_files_of_rows_are_read_before_their_tasks_are_prepared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ahead, "_TASKS", 2)
    second = task(gold("b.py", 1, 1), patch=None)
    third = task(gold("./b.py", 1, 1), gold("gone.py", 1, 2), patch=None)
    tasks = [TASK, second, third, TASK]
    rows = [ATTEMPTS[1], ATTEMPTS[3], ATTEMPTS[2], ATTEMPTS[0], ATTEMPTS[0]]
    batch = trajectory_batch([ATTEMPTS[0], *rows]).slice(1)  # which begins within a batch
    store = _Ahead()
    kept = PreparedTasks(store, PROFILES[0])
    of_rows = [*tasks, None]
    found = score_batch(kept, PROFILES[0], of_rows, batch)
    # Of the first task the gold, and what its attempt in the fourth row viewed.
    assert store.asked == [[{"a.py", "b.py"}, {"a.py", "b.py"}], [{"a.py", "b.py"}]]
    expected = score_batch(PreparedTasks(_Store(), PROFILES[0]), PROFILES[0], of_rows, batch)
    assert {name: each.to_pylist() for name, each in found.items()} == {
        name: each.to_pylist() for name, each in expected.items()
    }
    score_batch(kept, PROFILES[0], [TASK], batch.slice(1, 1))
    assert store.asked[2:] == [[{"a.py"}]]  # a task that was prepared has attempts that view more
