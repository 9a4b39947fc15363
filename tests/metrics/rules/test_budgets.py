"""Budgets, where what a run used is recorded turn by turn, or cannot be used."""

from __future__ import annotations

import math

import pytest

from trajmeter.metrics.rules import RulesMetric
from trajmeter.records import Task, Trajectory, Turn, Usage


def _costs(*costs: float | None, usage: Usage | None = None) -> Trajectory:
    turns = tuple(
        Turn(usage=Usage(cost_usd=cost, input_tokens=3, output_tokens=1)) for cost in costs
    )
    return Trajectory(task_id="t", transcript="", turns=turns, usage=usage)


@pytest.mark.parametrize(
    ("attempt", "used", "source"),
    [
        (_costs(0.25, 0.125, 0.25), 0.625, "turns"),
        (_costs(0.1, 0.1, usage=Usage(cost_usd=0.5)), 0.5, "run"),
        (_costs(0.1, 0.1, usage=Usage(cost_usd=-1.0)), 0.2, "turns"),
    ],
)
def test_the_cost_of_turns_is_added_up_where_the_run_has_none_and_the_source_says_so(
    attempt: Trajectory, used: float, source: str
) -> None:
    task = Task(id="t", metadata={"max_cost_usd": 1.0})
    cost = RulesMetric().score(task, attempt).cost_budget
    assert (cost.source, cost.checks[0].source, cost.checks[0].used) == (source, source, used)
    original = RulesMetric(profile="transform-gym").score(task, attempt).cost_budget
    assert original.outcome.value == "abstained"  # it knows no dollars


def test_the_tokens_of_turns_count_against_the_budget() -> None:
    task = Task(id="t", metadata={"max_tokens": 4})
    cost = RulesMetric().score(task, _costs(0.1, 0.1)).cost_budget
    assert (cost.score, cost.reason) == (
        5.0,
        "the run used 8 of 4 tokens (added up from its turns)",
    )


@pytest.mark.parametrize(
    ("attempt", "reason"),
    [
        (_costs(0.1, None), "and the run recorded no figure of 0 or more"),
        (_costs(0.1, -2.0), "turns[1].usage.cost_usd is -2.0, expected a number of 0 or more"),
        (
            _costs(usage=Usage(cost_usd=-0.5)),
            "usage.cost_usd is -0.5, expected a number of 0 or more",
        ),
    ],
)
def test_an_unknown_cost_is_missing_and_a_negative_one_is_reported(
    attempt: Trajectory, reason: str
) -> None:
    task = Task(id="t", metadata={"max_cost_usd": 1.0})
    cost = RulesMetric().score(task, attempt).cost_budget
    assert (cost.outcome.value, cost.cause) == ("not_scored", "missing_usage")
    assert (cost.reason or "").endswith(reason)


@pytest.mark.parametrize(
    ("seconds", "reason"),
    [
        (None, ", and the run recorded no figure of 0 or more"),
        (-1.0, "; duration_seconds is -1.0, expected a number of 0 or more"),
        (math.inf, "; duration_seconds is inf, expected a number of 0 or more"),
    ],
)
def test_an_unusable_duration_is_reported_with_its_value(
    seconds: float | None, reason: str
) -> None:
    task = Task(id="t", metadata={"max_latency_ms": 1})
    latency = RulesMetric().score(task, Trajectory(task_id="t", duration_seconds=seconds)).latency
    assert (latency.outcome.value, latency.cause) == ("not_scored", "missing_usage")
    assert latency.reason == f"the task has a budget for time{reason}"
