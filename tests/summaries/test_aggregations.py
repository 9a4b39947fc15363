"""What a user's metric says of all attempts, and of itself, in a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from pydantic import Field, computed_field

from tests.metrics.fakes import AnswerAggregator, AnswerMetric, RankMetric
from trajmeter.metrics import Mean, RowLayout, score_trajectories
from trajmeter.records import Task, Trajectory
from trajmeter.summaries.summarizer import Summarizer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.metrics import AnyMetric
    from trajmeter.summaries.summary import Summary

TASK = Task(id="one", expected_answer="a b")


def _summary(metric: AnyMetric) -> Summary:
    layout = RowLayout([metric])
    summarizer = Summarizer(layout)
    attempt = Trajectory(task_id=TASK.id, final_output="a")
    for scored in score_trajectories([attempt], metrics=[metric], tasks=[TASK]):
        summarizer.add(scored, layout.values(scored))
    return summarizer.summary()


class _Rate(Mean):
    """A mean that says how it is dumped."""

    values: list[float] = Field(default=[1.0], exclude=True)

    @computed_field
    def double(self) -> float | None:
        return None if self.value is None else 2.0 * self.value


def test_figures_of_a_users_model_are_what_it_dumps() -> None:
    class Rates(AnswerAggregator):
        def figures(self) -> Any:
            return _Rate(value=0.5, scored=1, total=2)

    class Rated(AnswerMetric):
        def aggregator(self) -> AnswerAggregator:
            return Rates()

    found = _summary(Rated()).overall.aggregates["answer"]
    assert found == {"value": 0.5, "scored": 1, "total": 2, "double": 1.0}


def test_parameters_of_a_metric_are_those_that_it_had_then() -> None:
    class Tuned(RankMetric):
        parameters: Mapping[str, JsonValue] = {"of": ["a"]}

    metric = Tuned()
    (described,) = _summary(metric).metrics
    cast("list[str]", metric.parameters["of"]).append("later")
    assert described.parameters == {"of": ["a"]}
