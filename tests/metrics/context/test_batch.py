"""Context of record batches, where memory and nulls are what Arrow allows them to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from tests.metrics.context.repositories import gold, lines, seen, snapshot, task, ten_lines
from trajmeter.metrics.context import ContextMetric
from trajmeter.metrics.context.batch import viewed_rows
from trajmeter.records import Cause, Trajectory, Turn, View
from trajmeter.schemas import trajectory_batch, trajectory_schema

if TYPE_CHECKING:
    from trajmeter.metrics.context import ContextResult
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


def _results(batch: pa.RecordBatch) -> list[ContextResult]:
    return list(ContextMetric(_Store()).score_batch([TASK] * len(batch), batch))


def test_results_by_row() -> None:
    walked, nothing, declared, named = _results(trajectory_batch(ATTEMPTS))
    # Of 4 gold lines the steps show 2, no more, then the rest.
    assert walked.trajectory.num_steps == 3
    assert walked.trajectory.line.coverage == (2 / 4, 2 / 4, 4 / 4)
    assert walked.final.file.predicted_size == 2
    assert nothing.final.line.cause is Cause.NO_CONTEXT_EXTRACTED
    assert nothing.trajectory.line.cause is Cause.NO_STEPS
    assert declared.final.line.precision == 1 / 2
    assert declared.views.unresolved_paths == 1
    assert named.final.symbol.coverage == 1.0


def test_attempts_at_unknown_tasks_count_their_steps() -> None:
    batch = trajectory_batch(ATTEMPTS)
    results = list(ContextMetric(_Store()).score_batch([None] * len(batch), batch))
    assert [result.trajectory.num_steps for result in results] == [3, 0, 0, 1]
    assert {result.final.line.cause for result in results} == {Cause.MISSING_GOLD}


def test_a_slice_is_read_from_where_it_begins() -> None:
    batch = trajectory_batch(ATTEMPTS)
    whole = _results(batch)
    assert [_results(batch.slice(row, 1)) for row in range(len(batch))] == [[row] for row in whole]


def test_rows_without_attempts() -> None:
    assert _results(trajectory_batch([])) == []


def test_nulls_stand_for_defaults() -> None:
    row: dict[str, Any] = {"task_id": "t", "final_views": [{"path": "a.py"}], "turns": None}
    batch = pa.RecordBatch.from_pylist([row], schema=trajectory_schema())
    (viewed,) = viewed_rows(batch)
    assert viewed == ([], (("a.py", "unknown", None, None, (), True),), None)


@pytest.mark.parametrize("row", range(len(ATTEMPTS)))
def test_a_row_holds_what_its_record_does(row: int) -> None:
    attempt = ATTEMPTS[row]
    (viewed,) = viewed_rows(trajectory_batch([attempt]))
    steps = [turn.views for turn in attempt.turns or () if turn.views is not None]
    assert len(viewed.steps) == len(steps)
    for step, views in zip(viewed.steps, steps, strict=True):
        assert [step_view._asdict() for step_view in step.views] == [
            view.model_dump() for view in views
        ]
