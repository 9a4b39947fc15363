"""Figures of a run: means over tasks, repeated attempts, costs, pass@k, and what is missing."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest

from tests.metrics.speedup.runs import BROKEN, FAST, NOP, ORACLE, SLOW, own, score, write_run
from trajmeter.metrics.speedup import SpeedupMetric, SpeedupResult
from trajmeter.records import Outcome, Task, Trajectory

if TYPE_CHECKING:
    from pathlib import Path

BASE = {NOP: own(NOP, f=(1.0, 2.0)), ORACLE: own(ORACLE, f=(2.0, 2.0))}


def mean(value: Any, scored: int, total: int) -> dict[str, Any]:
    return {"value": value, "scored": scored, "total": total}


def test_means_are_over_tasks_and_say_of_how_many(tmp_path: Path) -> None:
    run = tmp_path / "r"
    priced = {**own(FAST, f=(4.0, 2.0)), "task_cost_usd": 0.5, "trajectory_length": 7}
    write_run(run, {**BASE, FAST: priced}, task="a")
    write_run(run, {**BASE, FAST: own(FAST, BROKEN, f=(8.0, 2.0), g=(1.0, 1.0))}, task="b")
    write_run(run, {**BASE, FAST: own(FAST, f=(None, 2.0))}, task="c")
    figures = score(run)[1][FAST]
    # 4, then 1 of an agent that was reverted; the third task has no valid benchmark.
    assert figures["mean_speedup"] == mean(2.5, 2, 3)
    # 4 - 2 and 1 - sqrt(2).
    assert figures["agent_advantage"]["value"] == pytest.approx((2 + 1 - 2**0.5) / 2)
    assert figures["mean_success_rate"] == mean(2 / 3, 3, 3)
    assert (figures["tasks"], figures["num_benchmarks"], figures["num_valid_benchmarks"]) == (
        3,
        4,
        3,
    )
    assert figures["mean_cost_per_task"] == mean(0.5, 1, 3)
    assert figures["mean_trajectory_length"] == mean(7.0, 1, 3)
    assert figures["cost_weighted_advantage"] == pytest.approx(
        figures["agent_advantage"]["value"] / 0.5
    )
    assert (figures["trials"], figures["n_resolved"]) == (3, 2)
    assert figures["accuracy"] == mean(2 / 3, 3, 3)
    assert figures["pass_at_k"] == {"1": mean(2 / 3, 3, 3)}
    assert figures["mean_cost_per_trial"] == mean(0.5, 1, 3)
    assert (figures["reverted"], figures["regression_share"]) == (1, 0.0)
    assert (figures["worst_speedup"], figures["worst_workload"]) == (1.0, "b: m.f")
    # fc-eval counts what is missing as no change, no lead, no cost and no length.
    figures = score(run, profile="fc-eval")[1][FAST]
    assert figures["mean_speedup"] == mean((4 + 1 + 1) / 3, 3, 3)
    assert figures["mean_cost_per_task"] == mean(0.5 / 3, 3, 3)
    assert figures["mean_trajectory_length"] == mean(7 / 3, 3, 3)


def test_repeated_attempts_count_as_one_task(tmp_path: Path) -> None:
    run = tmp_path / "r"
    for number, (ratio, checks) in enumerate([(4.0, {}), (2.0, {}), (9.0, BROKEN)], start=1):
        attempt = own(FAST, f=(ratio, 2.0)) | checks
        write_run(run, {**BASE, FAST: attempt}, task="a", attempt=f"{number}-of-3")
    for number in (1, 2, 3):
        write_run(run, {**BASE, FAST: own(FAST, f=(8.0, 2.0))}, task="b", attempt=f"{number}-of-3")
    figures = score(run)[1][FAST]
    # Task a: (4 + 2 + 1) / 3; task b: 8.
    assert figures["mean_speedup"] == mean(pytest.approx((7 / 3 + 8) / 2), 2, 2)
    assert (figures["tasks"], figures["num_benchmarks"]) == (2, 2)
    assert (figures["trials"], figures["n_resolved"]) == (6, 5)
    assert figures["accuracy"] == mean(5 / 6, 6, 6)
    # Task a: pass@1 is 2/3, and two draws of three with one failure always hold a success.
    chances = {"1": mean(pytest.approx((2 / 3 + 1) / 2), 2, 2), "2": mean(1.0, 2, 2)}
    assert figures["pass_at_k"] == chances
    figures = score(run, profile="fc-eval")[1][FAST]
    assert figures["mean_speedup"] == mean(pytest.approx((4 + 2 + 1 + 24) / 6), 6, 6)


def test_fceval_asks_the_last_agent_whether_a_trial_is_resolved(tmp_path: Path) -> None:
    run = tmp_path / "r"
    write_run(
        run,
        {**BASE, FAST: own(FAST, BROKEN, f=(4.0, 2.0)), SLOW: own(SLOW, f=(3.0, 2.0))},
        results={FAST: {"is_resolved": False}},
    )
    figures = score(run, profile="fc-eval")[1]
    assert figures[FAST]["accuracy"] == mean(1.0, 1, 1)
    assert figures[FAST]["pass_at_k"] == {}
    assert score(run)[1][FAST]["accuracy"] == mean(0.0, 1, 1)
    write_run(
        run,
        {**BASE, FAST: own(FAST, f=(4.0, 2.0)), SLOW: own(SLOW, f=(3.0, 2.0))},
        results={SLOW: {"is_resolved": False}},
    )
    assert score(run, profile="fc-eval")[1][FAST]["accuracy"] == mean(0.0, 1, 1)
    assert score(run)[1][FAST]["accuracy"] == mean(1.0, 1, 1)


def test_costs_by_agent_are_those_that_the_results_book(tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "r",
        {
            **BASE,
            FAST: own(FAST, f=(4.0, 2.0)),
            SLOW: {**own(SLOW, f=(3.0, 2.0)), "task_cost_usd": 4.0},
        },
        results={
            FAST: {"total_cost": 1.5, "costs_by_agent_model": {FAST: 1.25, "helper:x": 0.25}},
            SLOW: {"total_cost": 2.0},
        },
    )
    fceval = score(run, profile="fc-eval")[1][""]
    assert fceval["cost_by_agent_model"] == {
        NOP: 0,
        ORACLE: 0,
        FAST: 1.25,
        "helper:x": 0.25,
        SLOW: 2.0,
    }
    assert fceval["total_cost"] == 3.5
    # Without costs nothing is added; true counts as 1, and anything but a number as 0.
    odd = {FAST: True, "helper:x": "5", "helper:y": None, "helper:z": 10**400}
    booked = write_run(
        tmp_path / "odd",
        {FAST: own(FAST, f=(4.0, 2.0)), SLOW: own(SLOW, f=(3.0, 2.0))},
        results={
            FAST: {"costs_by_agent_model": odd},
            SLOW: {"total_cost": 2.0, "costs_by_agent_model": {}},
        },
    )
    costs = score(booked, profile="fc-eval")[1][""]["cost_by_agent_model"]
    assert costs == {FAST: 1.0, "helper:x": 0.0, "helper:y": 0.0, "helper:z": 0.0}
    assert fceval["mean_cost_per_trial"] == mean(3.5, 1, 1)
    ours = score(run)[1][""]
    assert ours["cost_by_agent_model"] == {FAST: 1.5, SLOW: 4.0}
    assert ours["total_cost"] == 5.5
    assert ours["mean_cost_per_trial"] == mean(2.75, 2, 4)
    free = {FAST: {**own(FAST, f=(4.0, 2.0)), "task_cost_usd": 0}}
    costs = score(write_run(tmp_path / "free", free))[1][FAST]
    assert (costs["cost_by_agent_model"], costs["total_cost"]) == ({FAST: 0.0}, 0.0)
    # The cost of nop was not recorded: that is not 0.
    nop = score(run)[1][NOP]
    assert nop["total_cost"] is None
    assert nop["mean_cost_per_trial"] == mean(None, 0, 1)


def test_attempts_of_models_without_a_price_are_counted(tmp_path: Path) -> None:
    pytest.importorskip("genai_prices")
    run = tmp_path / "r"
    tokens = {FAST: {"total_input_tokens": 100}}
    for task in ("a", "b"):
        write_run(run, {**BASE, FAST: own(FAST, f=(4.0, 2.0))}, task=task, results=tokens)
    figures = score(run)[1]
    assert (figures[FAST]["unpriced"], figures[ORACLE]["unpriced"]) == (2, 0)
    # The cost of an unknown model is 0 by convention, and marked as such.
    assert figures[FAST]["mean_cost_per_task"] == mean(0.0, 2, 2)
    assert figures[FAST]["cost_weighted_advantage"] == 0.0


def test_figures_of_a_run_have_the_names_of_fceval(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {**BASE, FAST: own(FAST, f=(4.0, 2.0))})
    means = {"mean_speedup", "mean_success_rate", "mean_cost_per_task", "mean_trajectory_length"}
    advantages = {"agent_advantage", *(f"agent_advantage_level{level}" for level in range(1, 5))}
    sums = {"num_benchmarks", "num_valid_benchmarks", "cost_weighted_advantage"}
    of_trials = {"accuracy", "pass_at_k", "total_cost", "cost_by_agent_model"}
    figures = score(run)[1][FAST]
    assert means | advantages | sums | of_trials <= figures.keys()
    present = {name for name, figure in figures.items() if isinstance(figure, dict) and figure}
    # Beside every mean stands of how many it is made.
    assert means | advantages | {"accuracy", "mean_cost_per_trial", "pass_at_k"} <= present


def test_warnings_are_counted(tmp_path: Path) -> None:
    run = tmp_path / "r"
    for task in ("a", "b"):
        write_run(run, {**BASE, FAST: own(FAST, f=(4.0, 2.0)), SLOW: BROKEN}, task=task)
    warnings = score(run)[1][SLOW]["warnings"]
    assert list(warnings.values()) == [2]


def test_of_many_different_warnings_those_with_the_least_hash_are_counted() -> None:
    aggregator = SpeedupMetric().aggregator()
    for number in (*range(22), 0, 21):
        result = SpeedupResult(
            outcome=Outcome.SCORED, cause=None, key="a:m", warnings=(f"warning {number}",)
        )
        aggregator.add(None, Trajectory(task_id=str(number)), result)
    warnings = aggregator.figures().warnings
    texts = [f"warning {number}" for number in range(22)]
    greatest = sorted(texts, key=lambda text: sha256(text.encode()).digest())[20:]
    assert list(warnings) == [text for text in texts if text not in greatest]
    assert (warnings["warning 0"], warnings["warning 1"], warnings["warning 21"]) == (2, 1, 2)


def test_the_share_of_regressions_is_of_the_benchmarks_that_count(tmp_path: Path) -> None:
    mine = own(FAST, f=(0.5, 2.0), g=(2.0, 2.0), h=(None, 2.0), i=(1.0, 2.0))
    figures = score(write_run(tmp_path / "r", {**BASE, FAST: mine}))[1][FAST]
    assert figures["regression_share"] == pytest.approx(1 / 3)
    assert (figures["worst_speedup"], figures["worst_workload"]) == (0.5, "t: m.f")


def test_repetitions_are_trials_and_other_names_of_a_task_are_not_tasks() -> None:
    ours, fceval = SpeedupMetric().aggregator(), SpeedupMetric(profile="fc-eval").aggregator()
    for number, passed in ((1, True), (2, False)):
        result = SpeedupResult(
            outcome=Outcome.SCORED, cause=None, key="a:m", success=passed, trial_resolved=passed
        )
        for aggregator in (ours, fceval):
            attempt = Trajectory(task_id=f"name-{number}", attempt=str(number))
            aggregator.add(Task(id="t"), attempt, result)
    assert ours.figures().tasks == 1
    assert ours.figures().pass_at_k["2"].value == 1.0
    assert (fceval.figures().trials, fceval.figures().accuracy.value) == (2, 0.5)


def test_pass_at_k_counts_its_tasks() -> None:
    aggregator = SpeedupMetric().aggregator()
    for task, success in (("a", True), ("b", None)):
        result = SpeedupResult(outcome=Outcome.SCORED, cause=None, key="a:m", success=success)
        aggregator.add(None, Trajectory(task_id=task), result)
    chance = aggregator.figures().pass_at_k["1"]
    assert (chance.value, chance.scored, chance.total) == (1.0, 1, 2)
