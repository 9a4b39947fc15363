from __future__ import annotations

from trajmeter.metrics.rules import RulesMetric
from trajmeter.records import Task, Trajectory


def test_an_abstained_score_is_outside_the_mean_and_its_10_beside_it() -> None:
    metric = RulesMetric()
    aggregator = metric.aggregator()
    budgeted, free = Task(id="a", metadata={"max_latency_ms": 1000}), Task(id="b")
    slow = Trajectory(task_id="a", duration_seconds=2.0)
    for task, attempt in (
        (budgeted, slow),  # 10 / (2000 / 1000) = 5
        (free, slow),  # abstains: 10 by convention
        (budgeted, Trajectory(task_id="a")),  # not scored
    ):
        aggregator.add(task, attempt, metric.score(task, attempt))

    latency = aggregator.figures().latency

    assert latency.mean.model_dump() == {"value": 5.0, "scored": 1, "total": 3}
    assert latency.mean_with_abstained.model_dump() == {
        "value": (5.0 + 10.0) / 2,
        "scored": 2,
        "total": 3,
    }
