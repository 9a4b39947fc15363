"""The figures that the page of the example run of fc-eval works out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

import trajmeter
from trajmeter.metrics.speedup import SpeedupResult

if TYPE_CHECKING:
    from trajmeter.scoring.files import Scores

RUN = Path(__file__).parents[1] / "examples" / "speedup" / "june"

Rows: TypeAlias = dict[tuple[str, str], dict[str, Any]]


def rows_of(scores: Scores) -> Rows:
    return {(row["agent"], row["task_id"]): row for row in scores.rows}


@pytest.fixture(scope="module")
def scores() -> Scores:
    return trajmeter.score(RUN, metrics=["speedup"])


@pytest.fixture(scope="module")
def rows(scores: Scores) -> Rows:
    return rows_of(scores)


def test_everyone_tries_every_task(rows: Rows) -> None:
    agents = ("nop", "oracle", "plover", "snipe")
    assert set(rows) == {
        (agent, task) for agent in agents for task in ("ledger", "parse", "search")
    }


@pytest.mark.parametrize(
    ("agent", "task", "speedup", "advantages"),
    [
        # Advantages at levels 1 to 4.
        ("plover", "ledger", 24**0.25, (-0.490079, -0.490079, -1 / 6, 0.0)),
        ("snipe", "ledger", 1.0, (-1.5, -1.5, -4 / 3, 1 - 24**0.25)),
        ("plover", "search", 1.0, (-3.0, -4.0, -4.0, -3.0)),
        ("snipe", "search", 8.0, (4.0, 5.0, 5.0, 4.0)),
        ("plover", "parse", 2.0, (0.0, 2.5, 1.5, 0.0)),
        ("snipe", "parse", 4.0, (2.0, 2.0, 2.0, 2.0)),
        ("oracle", "ledger", 24**0.25, (0.0, 0.0, 0.0, 0.0)),
        ("nop", "search", 1.0, (-3.0, -4.0, -4.0, -3.0)),
    ],
)
def test_speedup_and_advantages(
    rows: Rows, agent: str, task: str, speedup: float, advantages: tuple[float, ...]
) -> None:
    row = rows[agent, task]
    assert row["speedup.task_speedup"] == pytest.approx(speedup)
    found = [row[f"speedup.agent_advantage_level{level}"] for level in range(1, 5)]
    assert found == pytest.approx(advantages, abs=5e-7)
    assert row["speedup.agent_advantage"] == found[3]


@pytest.mark.parametrize(
    ("agent", "task", "pytest_failed", "snapshot_failed"),
    [
        ("oracle", "ledger", False, False),  # its own failed test
        ("plover", "ledger", False, False),  # as many as the oracle
        ("snipe", "ledger", True, False),
        ("plover", "search", False, True),
        ("snipe", "parse", False, False),  # what is not measured is no failure
    ],
)
def test_who_failed(
    rows: Rows, agent: str, task: str, pytest_failed: bool, snapshot_failed: bool
) -> None:
    row = rows[agent, task]
    assert row["speedup.pytest_failed"] is pytest_failed
    assert row["speedup.snapshot_failed"] is snapshot_failed
    failed = pytest_failed or snapshot_failed
    assert row["speedup.success"] is not failed
    assert row["speedup.fallback_to_baseline"] is failed
    assert row["speedup.outcome"] == ("assigned" if failed else "scored")


def test_missing_benchmarks_are_counted_and_listed(scores: Scores, rows: Rows) -> None:
    row = rows["snipe", "parse"]
    assert row["speedup.num_benchmarks"] == 3
    assert row["speedup.num_valid_benchmarks"] == 1
    invalid = [
        result.invalid_benchmarks
        for scored in scores.results
        for result in scored.results
        if isinstance(result, SpeedupResult)
        and (result.key, scored.trajectory.task_id) == ("snipe:sedge-1", "parse")
    ]
    assert invalid == [{"parse.time_write": "missing", "parse.Stream.time_seek": "missing"}]
    assert rows["plover", "parse"]["speedup.num_regressions"] == 1


def test_only_a_recording_states_the_length(rows: Rows) -> None:
    row = rows["snipe", "search"]
    assert row["speedup.trajectory_length"] == 3
    assert row["speedup.trajectory_length_source"] == "cast"
    assert rows["snipe", "parse"]["speedup.trajectory_length"] is None
    everything = rows_of(trajmeter.score(RUN, metrics=["speedup"], profiles=["fc-eval"]))
    assert everything["snipe", "search"]["speedup.trajectory_length"] == 7


@pytest.mark.parametrize(
    ("agent", "figure", "value", "tasks"),
    [
        ("plover", "mean_speedup", (24**0.25 + 1 + 2) / 3, 3),
        ("plover", "agent_advantage", -1.0, 3),
        ("plover", "mean_success_rate", 2 / 3, 3),
        ("plover", "mean_cost_per_task", 0.4, 3),
        ("plover", "mean_trajectory_length", 5.0, 3),
        ("snipe", "mean_speedup", 13 / 3, 3),
        ("snipe", "agent_advantage", (1 - 24**0.25 + 4 + 2) / 3, 3),
        ("snipe", "mean_cost_per_task", 0.6, 3),
        ("snipe", "mean_trajectory_length", 3.0, 2),
        ("plover", "accuracy", 2 / 3, 3),
        ("snipe", "mean_cost_per_trial", 0.6, 3),
        ("nop", "mean_cost_per_task", None, 0),
    ],
)
def test_means_over_tasks(
    scores: Scores, agent: str, figure: str, value: float | None, tasks: int
) -> None:
    mean = run_figures(scores, agent)[figure]
    assert mean["value"] == pytest.approx(value)
    assert (mean["scored"], mean["total"]) == (tasks, 3)


def test_one_attempt_succeeds_as_often_as_any(scores: Scores) -> None:
    (one,) = run_figures(scores, "plover")["pass_at_k"].items()
    assert one == ("1", {"value": pytest.approx(2 / 3), "scored": 3, "total": 3})


@pytest.mark.parametrize(
    ("agent", "figures"),
    [
        (
            "plover",
            {
                "num_benchmarks": 9,
                "num_valid_benchmarks": 9,
                "cost_weighted_advantage": -1 / 0.4,
                "regression_share": 1 / 9,
                "worst_speedup": 0.5,
            },
        ),
        (
            "snipe",
            {
                "num_benchmarks": 9,
                "num_valid_benchmarks": 7,
                "cost_weighted_advantage": (7 - 24**0.25) / 3 / 0.6,
                "total_cost": 1.8,
                "regression_share": 0.0,
            },
        ),
    ],
)
def test_figures_of_the_run(scores: Scores, agent: str, figures: dict[str, float]) -> None:
    found = run_figures(scores, agent)
    for name, value in figures.items():
        assert found[name] == pytest.approx(value), name


def run_figures(scores: Scores, agent: str) -> dict[str, Any]:
    (group,) = (group for group in scores.summary.groups if group.agent == agent)
    return group.aggregates["speedup"]
