from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_core import to_json

from tests.scoring import expecting
from trajmeter.metrics.row_records import records_of
from trajmeter.metrics.rules import RulesMetric, batch, facts
from trajmeter.metrics.rules.checks import MOST_TEXTS
from trajmeter.records import Assertion, Task, Trajectory, Turn, Usage
from trajmeter.schemas import trajectory_batch


@pytest.mark.parametrize("profile", [None, "transform-gym"])
@given(tasks=expecting.tasks(), attempts=st.lists(expecting.attempts, min_size=1, max_size=4))
def test_lists_of_checks_are_those_of_records_to_the_byte(
    profile: str | None, tasks: list[Task], attempts: list[Trajectory]
) -> None:
    metric = RulesMetric(profile=profile)
    by_id = {task.id: task for task in tasks}
    of_rows = [by_id.get(attempt.task_id) for attempt in attempts]
    rows = trajectory_batch(attempts)
    columns = metric.score_batch(of_rows, rows)
    for at, attempt in enumerate(records_of(rows)):
        result = metric.score(of_rows[at], attempt)
        for rule in ("assertion_pass_rate", "tool_usage", "cost_budget", "llm_judge"):
            checks = getattr(result, rule).model_dump(mode="json")["checks"]
            expected = to_json(checks, inf_nan_mode="strings").decode()
            assert columns[f"{rule}.checks"][at].as_py() == expected


def test_no_record_is_made_where_every_value_could_be_used() -> None:
    task = Task(
        id="t",
        max_turns=3,
        assertions=(
            Assertion(type="transcript_contains", check="ok"),
            Assertion(type="llm_judge", check="good?"),
        ),
        metadata={"expected_tools": "a", "max_latency_ms": 1, "max_tokens": 5},
    )
    attempts = [
        Trajectory(task_id="t"),
        Trajectory(task_id="t", transcript="OK É", final_output="x", turn_count=2),
        Trajectory(task_id="t", turns=(), usage=Usage(total_tokens=3), duration_seconds=0.5),
    ]
    never = mock.patch.object(batch, "records_of", side_effect=AssertionError("a record"))
    nor = mock.patch.object(facts, "records_of", side_effect=AssertionError("a record"))
    with never, nor:
        columns = RulesMetric().score_batch([task] * 3, trajectory_batch(attempts))
    assert columns["assertion_pass_rate.score"].to_pylist() == [None, 10.0, None]
    assert columns["cost_budget.ratio"].to_pylist() == [None, None, 0.6]


@pytest.mark.parametrize("count", [MOST_TEXTS, MOST_TEXTS + 1])
def test_a_task_may_look_for_any_number_of_texts(count: int) -> None:
    wanted = [f"<{number}>" for number in range(count)]
    assertions = tuple(Assertion(type="output_contains", check=text) for text in wanted)
    task = Task(id="t", assertions=assertions, metadata={"error_markers": wanted})
    attempt = Trajectory(task_id="t", transcript=wanted[-1], final_output=wanted[-1])
    columns = RulesMetric().score_batch([task], trajectory_batch([attempt]))
    assert columns["error_handling.errors_found"].to_pylist() == [[wanted[-1]]]
    assert columns["assertion_pass_rate.score"][0].as_py() == pytest.approx(10 / count)


def test_rules_that_are_not_asked_for_are_not_applied() -> None:
    metric = RulesMetric(rules=("latency",))
    columns = metric.score_batch([None], trajectory_batch([Trajectory(task_id="t")]))
    assert columns["error_handling.reason"].to_pylist() == ["the rule was not requested"]
    assert metric.batch_columns == {"duration_seconds", "unusable"}


def test_turn_costs_beyond_a_double_give_no_figure() -> None:
    turns = (Turn(usage=Usage(cost_usd=1e308)),) * 2
    attempt = Trajectory(task_id="t", turns=turns)
    task = Task(id="t", metadata={"max_cost_usd": 1})
    columns = RulesMetric().score_batch([task], trajectory_batch([attempt]))
    score = RulesMetric().score(task, attempt).cost_budget
    assert score.reason is not None
    assert score.reason.endswith("cost_usd adds up to more than a double can hold")
    assert columns["cost_budget.reason"].to_pylist() == [score.reason]


def test_a_batch_without_rows_has_every_column() -> None:
    metric = RulesMetric()
    columns = metric.score_batch([], trajectory_batch([]))
    assert {name: len(column) for name, column in columns.items()} == dict.fromkeys(
        metric.score_batch([None], trajectory_batch([Trajectory(task_id="a")])), 0
    )
