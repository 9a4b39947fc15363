"""The figures of single attempts: worked examples, and every edge case the documentation tables."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Any

import pytest

from tests.metrics.speedup.attempts import BAD, GOOD, SAME, WORKED, attempt, oracle, score
from tests.metrics.speedup.runs import table
from trajmeter.errors import UnknownNameError
from trajmeter.metrics.registry import Resources
from trajmeter.metrics.speedup import SpeedupMetric, create
from trajmeter.records import (
    Cause,
    InvalidReason,
    Measurement,
    Measurements,
    Outcome,
    Task,
    Trajectory,
)

if TYPE_CHECKING:
    from trajmeter.metrics.speedup import SpeedupResult


def levels(result: SpeedupResult) -> list[float | None]:
    return [getattr(result, f"agent_advantage_level{level}") for level in range(1, 5)]


@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_four_benchmarks(profile: str | None) -> None:
    result = score(attempt(entries=WORKED), oracle(), profile=profile)[0]
    # 2 * 8 * 1 * 1.5 = 24 = 1 * 4 * 2 * 3.
    assert result.task_speedup == pytest.approx(24 ** (1 / 4)) == pytest.approx(2.213364, abs=1e-6)
    # Modules and classes: 16^(1/3) - 8^(1/3) and 1.5 - 3; functions: 4 - 2, 1 - 2 and 1.5 - 3.
    by_module = (16 ** (1 / 3) - 2 - 1.5) / 2
    assert levels(result) == pytest.approx([by_module, by_module, -0.5 / 3, 0.0])
    assert by_module == pytest.approx(-0.490079, abs=1e-6)
    assert result.agent_advantage == result.agent_advantage_level4
    assert (result.outcome, result.success, result.num_valid_benchmarks) == ("scored", True, 4)
    assert (result.worst_benchmark, result.worst_speedup) == ("m.A.time_y", 1.0)
    assert result.per_benchmark_speedups["n.time_z"]["advantage"] == -1.5


@pytest.mark.parametrize("profile", [None, "fc-eval"])
@pytest.mark.parametrize(
    "failure",
    [
        {"pytest_summary": BAD},
        {"pytest_summary": BAD.model_copy(update={"failed": 0, "error": 1})},
        {"snapshot_summary": SAME.model_copy(update={"status": "Failed"})},
        {"snapshot_summary": SAME.model_copy(update={"pass_to_fail": 1})},
    ],
)
def test_four_benchmarks_of_an_agent_that_failed(
    profile: str | None, failure: dict[str, Any]
) -> None:
    result = score(attempt(entries=WORKED, **failure), oracle(), profile=profile)[0]
    assert result.task_speedup == 1.0
    # Modules: 1 - 2 and 1 - 3; functions: 1 - 2, 1 - 2, 1 - 3.
    assert levels(result) == pytest.approx([-1.5, -1.5, -4 / 3, 1 - 24 ** (1 / 4)])
    assert (result.outcome, result.cause) == (Outcome.ASSIGNED, Cause.REVERTED_TO_BASELINE)
    assert (result.success, result.fallback_to_baseline) == (False, True)
    assert all(row["fallback_to_baseline"] for row in result.per_benchmark_speedups.values())


@pytest.mark.parametrize(
    ("first", "second", "level"),
    [
        ("m.A.f", "m.g", 1),  # of the module m both
        ("m.Ü.f", "m.g", 1),
        ("m.f(1)", "m.f(2)", 3),  # of the function f both
        ("m.f(1)\x1f", "m.f(2)", 3),
        ("m.f(1)\u3000", "\u2003m.f", 3),
    ],
)
def test_capitals_and_blanks_are_those_of_unicode(first: str, second: str, level: int) -> None:
    entries = {first: {"agent/nop": 4.0, "oracle/nop": 1.0}}
    entries[second] = {"agent/nop": 1.0, "oracle/nop": 1.0}
    result = score(attempt(entries=entries))[0]
    # In one group sqrt(4 * 1) - 1; in two it would be (3 + 0) / 2.
    assert levels(result)[level - 1] == pytest.approx(1.0)


def test_a_slower_patch_that_is_correct_is_a_success() -> None:
    result = score(attempt(entries=table(f=(0.5, 2.0))), oracle())[0]
    assert (result.success, result.task_speedup, result.num_regressions) == (True, 0.5, 1)


def test_the_baseline_is_never_reverted() -> None:
    result = score(attempt("nop", WORKED, pytest_summary=BAD), oracle())[0]
    assert (result.success, result.fallback_to_baseline) == (False, False)
    assert result.task_speedup == pytest.approx(24 ** (1 / 4))


INVALID = {
    "null": (None, InvalidReason.MISSING),
    "text": ("1.5", InvalidReason.NOT_A_NUMBER),
    "list": ([1.5], InvalidReason.NOT_A_NUMBER),
    "true": (True, InvalidReason.NOT_A_NUMBER),
    "nan": (nan, InvalidReason.NON_FINITE),
    "inf": (inf, InvalidReason.NON_FINITE),
    "huge": (10**400, InvalidReason.NON_FINITE),
    "zero": (0, InvalidReason.NOT_POSITIVE),
    "minus_zero": (-0.0, InvalidReason.NOT_POSITIVE),
    "negative": (-2.0, InvalidReason.NOT_POSITIVE),
}


@pytest.mark.parametrize("side", [0, 1])
def test_invalid_benchmarks_are_listed_with_their_reason(side: int) -> None:
    entries = table(good=(4.0, 2.0), no_object=1.5, nothing=None, empty={})
    for name, (value, _) in INVALID.items():
        entries |= table(**{name: (value, 2.0) if side == 0 else (4.0, value)})
    result = score(attempt(entries=entries), oracle())[0]
    assert (result.task_speedup, result.agent_advantage) == (4.0, 2.0)
    assert (result.num_benchmarks, result.num_valid_benchmarks) == (len(INVALID) + 4, 1)
    assert result.invalid_benchmarks == {
        "m.no_object": InvalidReason.NOT_A_NUMBER,
        "m.nothing": InvalidReason.MISSING,
        "m.empty": InvalidReason.MISSING,
        **{f"m.{name}": reason for name, (_, reason) in INVALID.items()},
    }


def test_true_counts_as_one_in_fceval() -> None:
    entries = table(f=(True, 2), g=(False, 2), h=(2, True))
    result = score(attempt(entries=entries), oracle(), profile="fc-eval")[0]
    assert result.num_valid_benchmarks == 2
    assert result.task_speedup == pytest.approx(2**0.5)


def test_reverting_leaves_the_oracle_as_it_is() -> None:
    entries = table(
        usable=(4.0, 2.0),
        missing=(4.0, None),
        text=(4.0, "x"),
        nan=(4.0, nan),
        zero=(4.0, 0.0),
        no_object=7,
        no_agent={"oracle/nop": 8.0},
    )
    result = score(attempt(entries=entries, pytest_summary=BAD), oracle())[0]
    # Two have an oracle's ratio: 1 - sqrt(2 * 8) = -3.
    assert (result.num_benchmarks, result.num_valid_benchmarks) == (7, 2)
    assert result.agent_advantage == pytest.approx(-3.0)
    rows = result.per_benchmark_speedups
    assert [name for name, row in rows.items() if not row["fallback_to_baseline"]] == [
        "m.no_object"
    ]
    # fc-eval drops entries that are not objects, and takes 1 for a missing ratio; the zero stays.
    result = score(attempt(entries=entries, pytest_summary=BAD), oracle(), profile="fc-eval")[0]
    assert (result.num_benchmarks, result.num_valid_benchmarks) == (6, 5)
    assert result.agent_advantage == pytest.approx(1 - 16 ** (1 / 5))


@pytest.mark.parametrize(
    ("entries", "cause"),
    [
        ({}, Cause.MISSING_MEASUREMENTS),
        (table(f=(0.0, 2.0), g=(None, 3.0)), Cause.NO_VALID_BENCHMARK),
    ],
)
def test_without_valid_benchmarks_there_is_no_score(entries: dict[str, Any], cause: Cause) -> None:
    result = score(attempt(entries=entries), oracle())[0]
    assert (result.outcome, result.cause) == (Outcome.NOT_SCORED, cause)
    assert (result.task_speedup, result.agent_advantage, result.success) == (None, None, True)
    result = score(attempt(entries=entries), oracle(), profile="fc-eval")[0]
    assert (result.outcome, result.cause) == (Outcome.ASSIGNED, Cause.NO_VALID_BENCHMARK)
    assert (result.task_speedup, levels(result), result.success) == (1.0, [0.0] * 4, True)


def test_without_an_oracle_there_is_a_speedup_but_no_advantage() -> None:
    entries = {"m.f": {"agent/nop": 4.0}, "m.g": {"agent/nop": 1.0}, "m.h": {"agent/nop": -1.0}}
    result = score(attempt(entries=entries))[0]
    assert (result.outcome, result.cause) == (Outcome.SCORED, Cause.MISSING_ORACLE)
    assert (result.task_speedup, result.agent_advantage, levels(result)) == (2.0, None, [None] * 4)
    assert (result.num_benchmarks, result.num_valid_benchmarks) == (3, 2)
    assert result.invalid_benchmarks == {"m.h": InvalidReason.NOT_POSITIVE}
    failed = score(attempt(entries=entries, pytest_summary=BAD))[0]
    assert (failed.task_speedup, failed.agent_advantage) == (1.0, None)
    assert failed.outcome is Outcome.ASSIGNED
    # An entry that is not an object has no oracle ratio, and takes none from the others.
    strange = score(attempt(entries={**entries, "m.i": 5, "m.j": None}))[0]
    assert (strange.outcome, strange.task_speedup, strange.num_benchmarks) == ("scored", 2.0, 5)
    strange = score(attempt(entries={**entries, "m.i": 5}, pytest_summary=BAD))[0]
    assert (strange.num_valid_benchmarks, strange.num_benchmarks) == (3, 4)
    # An oracle that ran, but measured nothing, is missed too: then nothing is valid.
    silent = score(attempt(entries=entries), attempt("oracle"))[0]
    assert (silent.outcome, silent.cause) == (Outcome.NOT_SCORED, Cause.MISSING_ORACLE)
    fceval = score(attempt(entries=entries), profile="fc-eval")[0]
    assert (fceval.task_speedup, fceval.agent_advantage) == (1.0, 0.0)


def test_ratios_of_the_oracle_count_though_no_oracle_ran() -> None:
    result = score(attempt(entries={**WORKED, "m.f": {"agent/nop": 9.0}}))[0]
    assert (result.cause, result.num_valid_benchmarks) == (None, 4)
    assert result.task_speedup == pytest.approx(24 ** (1 / 4))


def test_times_of_the_task() -> None:
    task = Task(
        id="t",
        baseline_seconds={"m.f": 8.0, "m.g": 6.0, "m.h": 0.0, "m.i": 1.0},  # type: ignore[dict-item] # as in JSON
        oracle_seconds={"m.f": 4.0, "m.g": 0.75, "m.h": None, "m.k": 1.0},  # type: ignore[dict-item] # as in JSON
    )
    own = {
        "m.f": Measurement(value=2.0),
        "m.g": Measurement(value=6.0),
        "m.h": Measurement(reason=InvalidReason.FAILED),
        "m.j": Measurement(value=1.0),
    }
    result = score(attempt(measurements=Measurements(seconds=own)), task=task)[0]
    # m.f: 8 / 2 and 8 / 4; m.g: 6 / 6 and 6 / 0.75.
    assert result.task_speedup == 2.0
    assert result.agent_advantage == pytest.approx(2 - 4)
    assert result.invalid_benchmarks == {
        "m.h": InvalidReason.FAILED,
        "m.i": InvalidReason.MISSING,
        "m.j": InvalidReason.MISSING,
        "m.k": InvalidReason.MISSING,
    }
    crashed = score(attempt(pytest_summary=BAD), task=task)[0]
    assert (crashed.task_speedup, crashed.num_valid_benchmarks) == (1.0, 2)
    assert crashed.agent_advantage == pytest.approx(1 - 4)


def test_of_several_baselines_and_oracles_the_first_is_compared_with() -> None:
    def timed(agent: str, model: str, seconds: float) -> Trajectory:
        times = Measurements(seconds={"m.f": Measurement(value=seconds)})
        return attempt(agent, measurements=times).model_copy(update={"model": model})

    others = [timed("nop", "a", 8.0), timed("nop", "b", 80.0)]
    others += [timed("oracle", "a", 4.0), timed("oracle", "b", 1.0)]
    result = score(timed("fixer", "m", 2.0), *others)[0]
    assert (result.task_speedup, result.agent_advantage) == (4.0, 2.0)
    # What the task says goes before what was measured with the attempt.
    task = Task.model_validate(
        {"id": "t", "baseline_seconds": {"m.f": 32.0}, "oracle_seconds": {"m.f": 8.0}}
    )
    result = score(timed("fixer", "m", 2.0), *others, task=task)[0]
    assert (result.task_speedup, result.agent_advantage) == (16.0, 12.0)


def test_repeated_attempts_share_an_oracle_that_ran_once() -> None:
    tests = GOOD.model_copy(update={"failed": 1})
    first, second = (
        attempt(entries=WORKED, attempt=number, pytest_summary=tests) for number in ("1", "2")
    )
    results = score(first, second, oracle(pytest_summary=tests))
    assert [result.success for result in results] == [True, True, True]
    # An oracle that ran in the repetition itself is the one: there are not two of them.
    results = score(first, oracle(attempt="1"), second, oracle(pytest_summary=tests))
    assert [result.success for result in results] == [False, True, True, True]
    assert [result.warnings for result in results] == [()] * 4


def test_results_of_a_task_come_in_the_order_of_its_attempts() -> None:
    attempts = [
        attempt(name, table(f=(ratio, 2.0)), trial=trial)
        for name, ratio, trial in (
            ("a", 3.0, "x"),
            ("b", 4.0, "y"),
            ("c", 5.0, "x"),
            ("d", 6.0, None),
        )
    ]
    assert [result.task_speedup for result in score(*attempts)] == [3.0, 4.0, 5.0, 6.0]


def test_the_payload_has_the_names_of_fceval() -> None:
    result = score(attempt(entries=WORKED), oracle())[0].model_dump()
    levels_of = {f"agent_advantage_level{level}" for level in range(1, 5)}
    flags = {"pytest_failed", "snapshot_failed", "success", "fallback_to_baseline"}
    counts = {"num_benchmarks", "num_valid_benchmarks", "task_cost_usd", "trajectory_length"}
    figures = {"agent_advantage", "task_speedup", *levels_of}
    assert {"per_benchmark_speedups", *flags, *counts, *figures} <= result.keys()
    tests = {"passed", "failed", "error", "skipped", "total", "failed_total", "status"}
    assert result["pytest_summary"].keys() == tests
    outputs = {"passed", "failed", "skipped", "total", "pass_to_fail", "status"}
    assert result["snapshot_summary"].keys() == outputs
    entry = {"agent/nop", "oracle/nop", "advantage", "significant"}
    assert entry <= result["per_benchmark_speedups"]["n.time_z"].keys()


def test_the_metric_says_what_it_is() -> None:
    metric = create(Resources(profile="fc-eval"))
    assert metric.parameters == {"profile": "fc-eval"}
    with pytest.raises(UnknownNameError, match="'speedup' has no profile 'no'; profiles: fc-eval"):
        SpeedupMetric(profile="no")


def test_models_of_no_named_agent_are_not_one() -> None:
    large, small = (
        Trajectory(
            task_id="t",
            model=model,
            measurements=Measurements(ratios={"m.f": {"agent/nop": ratio, "oracle/nop": 2.0}}),
        )
        for model, ratio in (("large", 4.0), ("small", 2.0))
    )
    results = score(large, small)
    assert [result.key for result in results] == ["unknown:large", "unknown:small"]
    assert [result.task_speedup for result in results] == [4.0, 2.0]
    assert [result.warnings for result in results] == [(), ()]
    fceval = score(large, small, profile="fc-eval")
    assert Outcome.NOT_SCORED not in [result.outcome for result in fceval]


def test_runs_without_benchmarks_are_not_warned_of_each_other() -> None:
    bare = Trajectory(task_id="t", model="large")
    assert [result.warnings for result in score(bare, bare)] == [(), ()]
