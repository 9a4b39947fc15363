"""Typed results made of columns are the results that the columns were made of."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.metrics.fakes import AnswerMetric
from tests.summaries.batches import results_table, scored_attempts
from tests.summaries.test_batches import ATTEMPTS, TASKS
from trajmeter.metrics import MetricError, RowLayout, create, metric
from trajmeter.metrics.typed_results import typed_results
from trajmeter.records import Score, Task, Trajectory

pytest.importorskip("pyarrow")


@metric
def described(task: Task | None, trajectory: Trajectory) -> Score:
    return Score(value=0.5, reason="half", details={"of": [1, None, "x"]})


@pytest.mark.parametrize(
    "profiles", [[], ["ptcrunner", "transform-gym", "fc-eval", "contextbench"]]
)
@settings(max_examples=25)
@given(ATTEMPTS)
def test_columns_give_the_results_back(profiles: list[str], attempts: list[Trajectory]) -> None:
    names = ["turns", "rules", "speedup", "context", "tools", "answers"]
    metrics = [*create(names, profiles=profiles), AnswerMetric(), described]
    scored = scored_attempts(metrics, attempts, TASKS)
    layout = RowLayout(metrics)
    table = results_table(layout, scored)
    for index, family in enumerate(layout.families):
        assert typed_results(family, table) == [each.results[index] for each in scored]


def test_groups_that_are_not_asked_for_have_their_defaults() -> None:
    metrics = create(["turns.run"])
    scored = scored_attempts(metrics, [Trajectory(task_id="a", turn_count=3, passed=True)])
    layout = RowLayout(metrics)
    (result,) = typed_results(layout.families[0], results_table(layout, scored))
    assert not isinstance(result, MetricError)
    made = result.model_dump()
    assert (made["run"]["turn_count"], made["run"]["passed"]) == (3, True)
    assert made["tokens"]["total_tokens"] is None
