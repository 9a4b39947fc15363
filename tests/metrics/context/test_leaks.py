"""Leaks of the solution, counted for one attempt and for many."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from tests.metrics.context.repositories import gold, task
from trajmeter.metrics.context import LeakFigures, create, prepare, score
from trajmeter.metrics.registry import Resources
from trajmeter.records import Leak, Outcome, Trajectory
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels

GOLD, TESTS, FUTURE = (
    Leak(kind=kind, evidence="x") for kind in ("gold_patch", "test_patch", "future")
)
OTHER = Leak(kind="hint", evidence="x")
ATTEMPTS = [
    Trajectory(task_id="t", leaks=leaks)
    for leaks in (None, (), (GOLD, FUTURE, FUTURE), (TESTS, OTHER), None)
]
EXPECTED = [
    LeakFigures(outcome=Outcome.ABSTAINED),
    LeakFigures(outcome=Outcome.SCORED, total=0, gold_patch=0, test_patch=0, future=0),
    LeakFigures(outcome=Outcome.SCORED, total=3, gold_patch=1, test_patch=0, future=2),
    LeakFigures(outcome=Outcome.SCORED, total=2, gold_patch=0, test_patch=1, future=0),
    LeakFigures(outcome=Outcome.ABSTAINED),
]


def test_counts_by_kind(kernels: Kernels) -> None:
    prepared = prepare(task(gold("a.py", 1, 2)), None, kernels=kernels)
    assert [score(prepared, attempt).leaks for attempt in ATTEMPTS] == EXPECTED


def test_no_task_is_needed() -> None:
    metric = create(Resources())
    assert [metric.score(None, attempt).leaks for attempt in ATTEMPTS] == EXPECTED
    voids = create(Resources(profile="contextbench"))
    assert [voids.score(task(), attempt).leaks for attempt in ATTEMPTS] == EXPECTED


def test_columns_of_many_attempts() -> None:
    metric = create(Resources())
    assert "leaks" in metric.batch_columns
    rows = trajectory_batch([ATTEMPTS[0], *ATTEMPTS]).slice(1)
    columns = metric.score_batch([None] * len(rows), rows)
    own = {name.removeprefix("leaks."): each for name, each in columns.items() if "leaks." in name}
    found = [LeakFigures.model_validate(row) for row in pa.table(own).to_pylist()]
    assert found == EXPECTED


def test_only_when_asked_for() -> None:
    metric = create(Resources())
    metric.limit_to(("final.file",))
    assert "leaks" not in metric.batch_columns
    unasked = LeakFigures(outcome=Outcome.NOT_SCORED)
    assert metric.score(None, ATTEMPTS[2]).leaks == unasked
