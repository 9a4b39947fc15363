"""Cost of a run: as recorded for it, else added up from its turns, the same on both paths."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import trajmeter
from trajmeter.metrics.turns import TurnsMetric, aggregate, score
from trajmeter.records import Trajectory, Turn, Usage
from trajmeter.schemas import trajectory_batch

if TYPE_CHECKING:
    from collections.abc import Sequence


def _attempt(run: float | None, *turns: float | None, **fields: Any) -> Trajectory:
    parts = tuple(Turn(usage=None if cost is None else Usage(cost_usd=cost)) for cost in turns)
    usage = None if run is None else Usage(cost_usd=run)
    return Trajectory(task_id="t", usage=usage, turns=parts, **fields)


def _columns(attempts: Sequence[Trajectory]) -> list[dict[str, Any]]:
    rows = trajectory_batch(attempts)
    columns = TurnsMetric().score_batch([None] * len(rows), rows)
    own = {name: each for name, each in columns.items() if name.startswith("cost.")}
    return [
        {name.removeprefix("cost."): each[row].as_py() for name, each in own.items()}
        for row in range(len(rows))
    ]


@pytest.mark.parametrize(
    ("run", "turns", "cost", "source"),
    [
        (0.5, [0.1, 0.1], 0.5, "run"),
        (0.0, [0.1], 0.0, "run"),
        (None, [0.1] * 10, 1.0, "turns"),  # to the nearest; one by one it is 0.9999999999999999
        (None, [0.25, 0.0], 0.25, "turns"),
        (None, [0.25, None], None, None),
        (None, [], None, None),
    ],
)
def test_a_cost_of_the_run_wins_or_else_all_turns_are_added_up(
    run: float | None, turns: list[float | None], cost: float | None, source: str | None
) -> None:
    attempt = _attempt(run, *turns)
    figures = score(attempt).cost
    assert (figures.cost_usd, figures.source, figures.reason) == (cost, source, None)
    assert figures.cause == (None if source else "missing_usage")
    assert _columns([_attempt(None, 3.0), attempt])[1] == figures.model_dump(mode="json")


@pytest.mark.parametrize(
    ("run", "turns", "cost", "cause", "reason"),
    [
        (-1.0, [], None, "invalid_input", "usage.cost_usd is -1.0"),
        (math.inf, [], None, "invalid_input", "usage.cost_usd is inf"),
        (-1.0, [0.5], 0.5, None, "usage.cost_usd is -1.0"),
        (None, [0.5, math.nan], None, "invalid_input", "turns[1].usage.cost_usd is nan"),
    ],
)
def test_a_cost_that_cannot_be_used_is_named(
    run: float | None, turns: list[float], cost: float | None, cause: str | None, reason: str
) -> None:
    attempt = _attempt(run, *turns)
    figures = score(attempt).cost
    assert (figures.cost_usd, figures.cause) == (cost, cause)
    assert figures.reason == f"{reason}, expected a number of 0 or more"
    assert _columns([attempt]) == [figures.model_dump(mode="json")]


def test_costs_beyond_a_double_are_not_added_up() -> None:
    figures = score(_attempt(None, 1e308, 1e308)).cost
    assert figures.reason == "cost_usd adds up to more than a double can hold"
    assert _columns([_attempt(None, 1e308, 1e308)]) == [figures.model_dump(mode="json")]


def test_a_cost_of_the_wrong_type_is_named() -> None:
    unusable = {"usage.cost_usd": "usage.cost_usd is 'x', expected a number"}
    figures = score(_attempt(None, unusable=unusable)).cost
    assert (figures.cause, figures.reason) == ("invalid_input", unusable["usage.cost_usd"])
    assert _columns([_attempt(None, unusable=unusable)]) == [figures.model_dump(mode="json")]


_costs = st.none() | st.floats() | st.sampled_from([0.1, 0.2, 1e308, 5e-324, 0.0, -0.0])


@given(st.lists(st.tuples(_costs, st.lists(_costs, max_size=5)), max_size=5))
def test_records_and_columns_have_the_same_costs(
    listed: list[tuple[float | None, list[float | None]]],
) -> None:
    attempts = [_attempt(run, *turns) for run, turns in listed]
    expected = [score(attempt).cost.model_dump(mode="json") for attempt in attempts]
    assert list(map(repr, map(_sorted, _columns(attempts)))) == list(
        map(repr, map(_sorted, expected))
    )


def _sorted(figures: dict[str, Any]) -> list[tuple[str, Any]]:
    return sorted(figures.items())


def test_the_summary_has_the_mean_cost_of_runs_that_recorded_one() -> None:
    passed, failed = _attempt(0.5, passed=True), _attempt(None, 0.25, 1.25, passed=False)
    runs = [passed, failed, _attempt(None)]
    summary = trajmeter.score(runs, metrics=["turns"]).summary
    figures = summary.overall.aggregates["turns"]
    assert figures["mean_cost_usd"] == {"value": 1.0, "scored": 2, "total": 3}
    assert figures["mean_cost_usd_on_pass"] == {"value": 0.5, "scored": 1, "total": 1}


def test_a_missing_cost_is_not_0_in_the_profile_either_as_its_original_knows_none() -> None:
    result = score(_attempt(None), profile="ptcrunner")
    assert (result.cost.cost_usd, result.cost.cause) == (None, "missing_usage")
    summary = aggregate([result], profile="ptcrunner")
    assert (summary.mean_cost_usd.value, summary.mean_total_tokens.value) == (None, 0.0)
