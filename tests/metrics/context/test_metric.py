"""The family as the registry makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.metrics.context.repositories import attempt, gold, lines, snapshot, task
from trajmeter.errors import UnknownNameError
from trajmeter.metrics import registry
from trajmeter.metrics.context import ContextMetric, ContextResult, create
from trajmeter.records import Cause, Outcome, Task

if TYPE_CHECKING:
    from trajmeter.snapshots import Snapshot


class Store:
    """A store of one snapshot that notes what it is asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def find(self, task: Task) -> Snapshot:
        self.asked.append(task.id)
        return snapshot(["a.py"])


def test_the_registry_knows_it() -> None:
    (metric,) = registry.create(["context"], profiles=["contextbench"])
    assert isinstance(metric, ContextMetric)
    assert metric.name == "context"
    assert metric.result_type is ContextResult
    assert metric.parameters == {"profile": "contextbench"}


def test_a_task_is_prepared_once_for_all_its_attempts() -> None:
    store = Store()
    metric = create(registry.Resources(snapshots=store))
    of = task(gold("a.py", 1, 4))
    for last in (1, 2, 3):
        result = metric.score(of, attempt([lines("a.py", 1, last)]))
        assert result.final.span.coverage == last / 4
    assert store.asked == ["t"]
    metric.score(of.model_copy(update={"id": "u"}), attempt())
    assert store.asked == ["t", "u"]


def test_without_a_task_everything_is_missing_gold() -> None:
    result = create(registry.Resources()).score(None, attempt([], None, [lines("a.py", 1, 1)]))
    assert result.trajectory.num_steps == 2
    groups = [result.final.file, result.trajectory.line, result.edit_location, result.views]
    for group in groups:
        assert (group.outcome, group.cause) == (Outcome.NOT_SCORED, Cause.MISSING_GOLD)


def test_an_unknown_profile_is_refused_immediately() -> None:
    with pytest.raises(UnknownNameError, match="no profile 'fc-eval'; profiles: contextbench"):
        create(registry.Resources(profile="fc-eval"))
