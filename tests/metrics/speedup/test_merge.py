"""Whose numbers an agent gets, by the definition and as fc-eval merges a trial."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from tests.metrics.speedup.runs import (
    BROKEN,
    CRASHED,
    FAILED,
    FAST,
    NOP,
    ORACLE,
    PASSED,
    SLOW,
    own,
    score,
    table,
    write_run,
)
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from pathlib import Path

NOP_OWN = own(NOP, f=(1.0, 2.0), g=(1.0, 8.0))
ORACLE_OWN = own(ORACLE, f=(2.0, 2.0), g=(8.0, 8.0))
FAST_OWN = own(FAST, f=(4.0, 2.0), g=(1.0, 8.0))
EMPTY = {**PASSED, "per_benchmark_speedups_by_agent": {}}


def gmean(*values: float) -> float:
    return float(prod(values) ** (1 / len(values)))


def test_a_model_without_a_table_is_not_its_sibling(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {NOP: NOP_OWN, ORACLE: ORACLE_OWN, FAST: FAST_OWN, SLOW: EMPTY})
    results, _ = score(run)
    assert results[FAST].task_speedup == pytest.approx(gmean(4, 1))
    assert results[SLOW].task_speedup is None
    assert (results[SLOW].outcome, results[SLOW].cause) == (
        Outcome.NOT_SCORED,
        Cause.MISSING_MEASUREMENTS,
    )
    assert results[SLOW].success
    assert any("another's numbers" in warning for warning in results[SLOW].warnings)


def test_fceval_scores_an_agent_with_its_siblings_record(tmp_path: Path) -> None:
    failed = {**EMPTY, **FAILED}
    run = write_run(
        tmp_path / "r", {NOP: NOP_OWN, ORACLE: ORACLE_OWN, FAST: FAST_OWN, SLOW: failed}
    )
    results, figures = score(run, profile="fc-eval")
    # The small model failed, so the large one's record now says so, with ratios of 1.
    assert results[FAST].pytest_failed
    assert results[FAST].fallback_to_baseline
    assert results[FAST].task_speedup == 1.0
    assert results[FAST].agent_advantage == pytest.approx(1 - gmean(2, 8))
    assert results[SLOW].outcome is Outcome.NOT_SCORED
    assert figures[FAST]["tasks"] == 1
    assert figures[SLOW]["tasks"] == 0


def test_fceval_adds_up_the_costs_of_replaced_agents_too(tmp_path: Path) -> None:
    costs = {ORACLE: 0.0, FAST: 0.5, SLOW: 2.0}
    results: dict[str, dict[str, Any]] = {key: {"total_cost": usd} for key, usd in costs.items()}
    results[SLOW]["costs_by_agent_model"] = {SLOW: 2.0}
    agents = {ORACLE: ORACLE_OWN, FAST: FAST_OWN, SLOW: EMPTY}
    run = write_run(tmp_path / "r", agents, results=results)
    scored, _ = score(run, profile="fc-eval")
    # The large model's record is now the small one's, its cost included.
    assert scored[SLOW].cause is Cause.REPLACED
    assert scored[FAST].task_cost_usd == 2.0
    overall = trajmeter.score(run, metrics=["speedup"], profiles=["fc-eval"]).summary.overall
    assert overall.aggregates["speedup"]["cost_by_agent_model"] == costs
    assert overall.aggregates["speedup"]["total_cost"] == 2.5


def test_fceval_gives_an_agent_of_no_name_the_union_of_all_tables(tmp_path: Path) -> None:
    other = "loner:large"
    tables = {
        NOP: {**PASSED, "per_benchmark_speedups": table(f=(1.0, 2.0))},
        ORACLE: {**PASSED, "per_benchmark_speedups": table(f=(2.0, 2.0), g=(8.0, 8.0))},
        other: PASSED,
    }
    run = write_run(tmp_path / "r", tables)
    results, _ = score(run, profile="fc-eval")
    # The later entry of f wins for everyone, the baseline included.
    assert {result.task_speedup for result in results.values()} == {gmean(2, 8)}
    results, _ = score(run)
    assert results[NOP].task_speedup == 1.0
    assert results[other].cause is Cause.MISSING_MEASUREMENTS


def test_a_table_without_an_agent_belongs_to_its_file(tmp_path: Path) -> None:
    mine = {**PASSED, "per_benchmark_speedups": table(f=(4.0, 2.0)), "last_agent": FAST}
    theirs = {**PASSED, "per_benchmark_speedups": table(f=(4.0, 2.0)), "last_agent": FAST}
    run = write_run(tmp_path / "r", {ORACLE: ORACLE_OWN, FAST: mine, SLOW: theirs})
    results, _ = score(run)
    assert results[FAST].task_speedup == 4.0
    assert results[SLOW].cause is Cause.MISSING_MEASUREMENTS


@pytest.mark.parametrize("checks", [FAILED, BROKEN])
def test_missing_measurements_score_as_a_failure(tmp_path: Path, checks: dict[str, Any]) -> None:
    cases: dict[str, dict[str, Any] | None] = {
        "absent": checks,
        "empty": {**checks, "per_benchmark_speedups_by_agent": {FAST: {}}},
        "failed": own(FAST, checks, f=(4.0, 2.0), g=(1.0, 8.0)),
        "crashed": CRASHED,
    }
    for name, metrics in cases.items():
        run = write_run(tmp_path / name, {NOP: NOP_OWN, ORACLE: ORACLE_OWN, FAST: metrics})
        results, _ = score(run)
        result = results[FAST]
        assert result.task_speedup == 1.0, name
        assert result.agent_advantage == pytest.approx(1 - gmean(2, 8)), name
        assert (result.outcome, result.cause) == (Outcome.ASSIGNED, Cause.REVERTED_TO_BASELINE)
        assert result.success is False
        assert result.num_valid_benchmarks == 2


@pytest.mark.parametrize("profile", [None, "fc-eval"])
@pytest.mark.parametrize(
    ("mode", "metrics", "success"),
    [
        ("agent_timeout", FAST_OWN, True),
        ("test_timeout", None, False),
        ("parse_error", None, False),
    ],
)
def test_only_what_the_tests_found_counts_whatever_ended_the_run(
    tmp_path: Path, profile: str | None, mode: str, metrics: dict[str, Any] | None, success: bool
) -> None:
    # The benchmarks of an agent that ran out of time are still measured.
    agents = {NOP: NOP_OWN, ORACLE: ORACLE_OWN, FAST: metrics}
    run = write_run(tmp_path / "r", agents, results={FAST: {"failure_mode": mode}})
    results, _ = score(run, profile=profile)
    assert results[FAST].success is success
    assert results[FAST].snapshot_failed is not success
    if success:
        assert results[FAST].task_speedup == 2.0


def test_a_crash_without_an_oracle_is_not_scored(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {NOP: own(NOP, f=(1.0, None)), FAST: CRASHED})
    results, figures = score(run)
    assert results[FAST].cause is Cause.MISSING_MEASUREMENTS
    assert results[FAST].success is False
    assert not results[FAST].fallback_to_baseline
    assert figures[FAST]["mean_success_rate"] == {"value": 0.0, "scored": 1, "total": 1}
    assert figures[FAST]["mean_speedup"] == {"value": None, "scored": 0, "total": 1}


@pytest.mark.parametrize("instead", [None, []])
def test_fceval_lets_a_null_discard_the_tables_before_it(tmp_path: Path, instead: object) -> None:
    # SLOW has no table of its own, so it gets what is left of the merged one: that of FAST.
    oracle = {**PASSED, "per_benchmark_speedups": table(f=(2.0, 2.0), g=(8.0, 8.0))}
    slow = {**PASSED, "per_benchmark_speedups": instead}
    fast = {**PASSED, "per_benchmark_speedups": table(f=(4.0, 2.0))}
    run = write_run(tmp_path / "r", {ORACLE: oracle, SLOW: slow, FAST: fast})
    results, _ = score(run, profile="fc-eval")
    assert (results[SLOW].num_benchmarks, results[SLOW].task_speedup) == (1, 4.0)
    del slow["per_benchmark_speedups"]
    run = write_run(tmp_path / "absent", {ORACLE: oracle, SLOW: slow, FAST: fast})
    results, _ = score(run, profile="fc-eval")
    assert (results[SLOW].num_benchmarks, results[SLOW].task_speedup) == (2, 32.0**0.5)


def test_fceval_lets_a_crash_wipe_out_the_agents_before_it(tmp_path: Path) -> None:
    last = "last:one"
    agents = {ORACLE: ORACLE_OWN, FAST: FAST_OWN, SLOW: CRASHED, last: own(last, f=(3.0, 2.0))}
    run = write_run(tmp_path / "r", agents)
    results, _ = score(run, profile="fc-eval")
    assert results[last].task_speedup == 3.0
    # Nothing is left of the others' tables, and nothing measured counts as speedup 1.
    for key in (ORACLE, FAST):
        assert (results[key].task_speedup, results[key].num_benchmarks) == (1.0, 0)
        assert results[key].outcome is Outcome.ASSIGNED
    assert results[SLOW].snapshot_failed
    results, _ = score(run)
    assert results[FAST].task_speedup == gmean(4, 1)


def test_any_file_may_describe_an_agent_and_its_own_takes_precedence(tmp_path: Path) -> None:
    foreign = own(FAST, f=(9.0, 2.0), g=(2.0, None), h=(3.0, 3.0))
    mine = own(FAST, f=(4.0, 2.0), g={"oracle/nop": 8.0})
    run = write_run(tmp_path / "r", {ORACLE: foreign, FAST: mine, SLOW: PASSED})
    results, _ = score(run)
    # f is its own; of g the agent's ratio is the other's, the oracle's its own; h is the other's.
    assert results[FAST].task_speedup == pytest.approx(gmean(4, 2, 3))
    assert results[FAST].agent_advantage == pytest.approx(gmean(4, 2, 3) - gmean(2, 8, 3))
    (warning,) = results[FAST].warnings
    assert warning.endswith("contradicts its own, which counts: 'm.f', 'm.g'")


@pytest.mark.parametrize(
    ("count", "shown"), [(3, "'m.b0', 'm.b1', 'm.b2'"), (4, "'m.b0', 'm.b1', 'm.b2' and 1 more")]
)
def test_the_first_of_many_contradictions_are_shown(tmp_path: Path, count: int, shown: str) -> None:
    mine: dict[str, Any] = {f"b{number}": (4.0, 2.0) for number in range(count)}
    theirs: dict[str, Any] = {f"b{number}": (9.0, 2.0) for number in range(count)}
    agents = {ORACLE: own(FAST, **theirs), FAST: own(FAST, **mine)}
    results, _ = score(write_run(tmp_path / "r", agents))
    (warning,) = results[FAST].warnings
    assert warning.endswith(f"which counts: {shown}")


def test_non_numbers_in_two_files_are_not_a_contradiction(tmp_path: Path) -> None:
    unknown = own(FAST, f=(4.0, 2.0), g=(float("nan"), 2.0), h=None, i=5)
    results, _ = score(write_run(tmp_path / "r", {ORACLE: unknown, FAST: unknown}))
    assert results[FAST].warnings == ()
    other = own(FAST, f=(4.0, 2.0), g=(3.0, 2.0), h=(3.0, 2.0), i=5)
    results, _ = score(write_run(tmp_path / "r", {ORACLE: other, FAST: unknown}))
    assert results[FAST].warnings[0].endswith("which counts: 'm.g', 'm.h'")
    assert results[FAST].num_valid_benchmarks == 1
    other = own(FAST, f=None, g=5)
    results, _ = score(write_run(tmp_path / "r", {ORACLE: other, FAST: FAST_OWN}))
    assert results[FAST].warnings[0].endswith("which counts: 'm.f', 'm.g'")
    assert results[FAST].num_valid_benchmarks == 2


@pytest.mark.parametrize("entries", [None, [1], "text", 5])
def test_a_table_that_is_not_an_object_does_not_count(tmp_path: Path, entries: object) -> None:
    metrics = {
        **PASSED,
        "per_benchmark_speedups_by_agent": {FAST: entries},
        "per_benchmark_speedups": table(f=(4.0, 2.0)),
    }
    run = write_run(tmp_path / "r", {ORACLE: ORACLE_OWN, FAST: metrics})
    for profile in (None, "fc-eval"):
        result = score(run, profile=profile)[0][FAST]
        assert (result.task_speedup, result.num_benchmarks) == (4.0, 1)


def test_in_fceval_the_last_file_counts_even_with_null(tmp_path: Path) -> None:
    later = own(FAST, f=(None, 2.0), g=(9.0, 2.0))
    run = write_run(tmp_path / "r", {FAST: own(FAST, f=(4.0, 2.0), g=(1.0, 8.0)), ORACLE: later})
    results, _ = score(run, profile="fc-eval")
    assert (results[FAST].task_speedup, results[FAST].num_benchmarks) == (9.0, 2)
    results, _ = score(run)
    assert results[FAST].task_speedup == gmean(4, 1)


def test_a_benchmark_called_error_is_lost_in_fcevals_merge_only(tmp_path: Path) -> None:
    def metrics(key: str) -> dict[str, object]:
        entries = {"error": {"agent/nop": 9.0, "oracle/nop": 9.0}, **table(f=(4.0, 2.0))}
        return {**PASSED, "per_benchmark_speedups_by_agent": {FAST: entries, key: entries}}

    run = write_run(tmp_path / "r", {FAST: metrics(FAST), ORACLE: metrics(ORACLE)})
    results, _ = score(run, profile="fc-eval")
    assert results[FAST].task_speedup == 4.0
    assert results[ORACLE].task_speedup == gmean(9, 4)  # in one file only: not merged
    results, _ = score(run)
    assert results[FAST].task_speedup == gmean(9, 4)


def test_an_only_benchmark_called_error_survives_fcevals_merge(tmp_path: Path) -> None:
    entries = {"error": {"agent/nop": 9.0, "oracle/nop": 9.0}}
    metrics = {**PASSED, "per_benchmark_speedups_by_agent": {FAST: entries}}
    run = write_run(tmp_path / "r", {FAST: metrics, ORACLE: metrics})
    results, _ = score(run, profile="fc-eval")
    assert results[FAST].task_speedup == 9.0


def test_two_agents_of_one_name_are_kept_apart(tmp_path: Path) -> None:
    first = own(FAST, f=(4.0, 2.0), g=(4.0, 8.0))
    agents = {ORACLE: ORACLE_OWN, FAST: first, SLOW: own(FAST, f=(3.0, 2.0))}
    run = write_run(tmp_path / "r", agents, lock=[ORACLE, FAST, FAST])
    scores = trajmeter.score(run, metrics=["speedup"])
    rows = {row["attempt"]: row for row in scores.rows if row["agent"] == "fixer"}
    assert rows["agent-2-fixer"]["speedup.task_speedup"] == 4.0
    assert rows["agent-3-fixer"]["speedup.task_speedup"] == 3.0
    # Under one name in two files: nobody knows which of both another file means.
    assert rows["agent-3-fixer"]["speedup.num_benchmarks"] == 1
    assert {row["speedup.instance"] for row in rows.values()} == set(rows)
    for row in rows.values():
        assert any("same name and model" in warning for warning in row["speedup.warnings"])
    speeds = {
        group.instance: group.aggregates["speedup"]["mean_speedup"]["value"]
        for group in scores.summary.groups
        if group.agent == "fixer"
    }
    assert speeds == {"agent-2-fixer": 4.0, "agent-3-fixer": 3.0}
    assert scores.summary.overall.aggregates["speedup"]["tasks"] == 1
    results, figures = score(run, profile="fc-eval")
    assert results[FAST].task_speedup == pytest.approx(gmean(3, 4))
    assert figures[FAST]["tasks"] == 1


def test_an_agent_without_an_entry_in_any_file_has_no_measurements(tmp_path: Path) -> None:
    for number, nothing in enumerate(
        [own(FAST), {**PASSED, "per_benchmark_speedups": {}}, {**PASSED, **own(FAST)}]
    ):
        run = write_run(tmp_path / str(number), {ORACLE: ORACLE_OWN, FAST: nothing})
        result = score(run)[0][FAST]
        assert (result.outcome, result.cause) == (Outcome.NOT_SCORED, Cause.MISSING_MEASUREMENTS)
        assert (result.num_benchmarks, result.success) == (0, True)


def test_models_are_found_under_either_spelling(tmp_path: Path) -> None:
    raw = "fixer:maker/large"
    run = write_run(tmp_path / "r", {ORACLE: ORACLE_OWN, raw: own(raw, f=(4.0, 2.0))})
    for profile in (None, "fc-eval"):
        results, _ = score(run, profile=profile)
        assert results["fixer:maker-large"].task_speedup == 4.0


def test_the_agents_own_spelling_takes_precedence_within_a_file(tmp_path: Path) -> None:
    spellings = {"fixer:maker-large": table(f=(4.0, 2.0)), "fixer:maker/large": table(f=(9.0, 2.0))}
    for name, tables in (("a", spellings), ("b", dict(reversed(spellings.items())))):
        metrics = {**PASSED, "per_benchmark_speedups_by_agent": tables}
        run = write_run(tmp_path / name, {ORACLE: ORACLE_OWN, "fixer:maker/large": metrics})
        assert score(run)[0]["fixer:maker-large"].task_speedup == 4.0


def test_the_oracle_may_fail_too(tmp_path: Path) -> None:
    failing = {**ORACLE_OWN, "test_failed": 3, "test_error": 1}
    agents = {ORACLE: {**failing, "snapshot_pass_to_fail": 1}, FAST: {**FAST_OWN, "test_failed": 4}}
    run = write_run(tmp_path / "r", agents)
    for profile in (None, "fc-eval"):
        results, _ = score(run, profile=profile)
        oracle = results[ORACLE]
        assert (oracle.pytest_failed, oracle.snapshot_failed) == (False, True)
        assert oracle.pytest_summary.failed_total == 4
        assert (oracle.task_speedup, oracle.fallback_to_baseline) == (1.0, True)
        assert oracle.agent_advantage == pytest.approx(1 - gmean(2, 8))
        # As many failures as the oracle has are none.
        assert results[FAST].success
    results, _ = score(run)
    assert any("oracle itself failed" in warning for warning in results[ORACLE].warnings)


def test_a_run_of_one_agent_allows_no_failures(tmp_path: Path) -> None:
    run = write_run(tmp_path / "r", {ORACLE: {**ORACLE_OWN, **FAILED}})
    for profile in (None, "fc-eval"):
        results, _ = score(run, profile=profile)
        assert results[ORACLE].pytest_failed
        assert results[ORACLE].task_speedup == 1.0


def test_without_tests_and_snapshot_the_result_decides_success(tmp_path: Path) -> None:
    bare = {
        "per_benchmark_speedups_by_agent": {FAST: table(f=(4.0, 2.0)), SLOW: table(f=(3.0, 2.0))}
    }
    run = write_run(
        tmp_path / "r",
        {ORACLE: ORACLE_OWN, FAST: bare, SLOW: bare},
        results={FAST: {"is_resolved": True}, SLOW: {"is_resolved": None}},
    )
    results, _ = score(run)
    assert (results[FAST].success, results[FAST].snapshot_failed) == (True, False)
    assert (results[FAST].task_speedup, results[SLOW].task_speedup) == (4.0, 1.0)
    assert (results[SLOW].success, results[SLOW].snapshot_failed) == (False, True)
    results, _ = score(run, profile="fc-eval")
    assert results[FAST].snapshot_failed
    assert results[FAST].snapshot_summary.status == "failed"


def test_a_table_that_came_reverted(tmp_path: Path) -> None:
    reverted = {**table(f=(1.0, 2.0))["m.f"], "fallback_to_baseline": True}
    # One is enough: another file of the trial may have added the others.
    entries = {"m.f": reverted, **table(g=(1.0, 2.0))}
    metrics = {**FAILED, "per_benchmark_speedups_by_agent": {FAST: entries}}
    agents = {ORACLE: {**ORACLE_OWN, "test_failed": 1}, FAST: metrics}
    results, _ = score(write_run(tmp_path / "r", agents))
    assert results[FAST].already_reverted
    assert (results[FAST].fallback_to_baseline, results[FAST].outcome) == (False, Outcome.SCORED)
    assert results[FAST].task_speedup == 1.0


def test_fceval_falls_back_on_what_the_parser_computed(tmp_path: Path) -> None:
    parsed = {"agent_advantage": -0.5, "agent_advantage_level4": -0.5, "total_benchmarks": 7}
    metrics = {
        **PASSED,
        "per_benchmark_speedups_by_agent": {FAST: {}},
        "agent_advantages_by_agent": {FAST: {**parsed, "num_valid_benchmarks": 5}},
    }
    run = write_run(tmp_path / "r", {ORACLE: ORACLE_OWN, FAST: metrics})
    results, _ = score(run, profile="fc-eval")
    result = results[FAST]
    assert (result.task_speedup, result.agent_advantage) == (1.0, -0.5)
    assert (result.agent_advantage_level1, result.agent_advantage_level4) == (0.0, -0.5)
    assert (result.num_benchmarks, result.num_valid_benchmarks) == (7, 5)
    results, _ = score(run)
    assert results[FAST].cause is Cause.MISSING_MEASUREMENTS


def test_fceval_reverts_no_empty_table(tmp_path: Path) -> None:
    failed = {**FAILED, "per_benchmark_speedups_by_agent": {FAST: {}}}
    run = write_run(tmp_path / "r", {ORACLE: ORACLE_OWN, FAST: failed})
    results, figures = score(run, profile="fc-eval")
    assert (results[FAST].fallback_to_baseline, results[FAST].success) == (False, False)
    assert (results[FAST].task_speedup, results[FAST].agent_advantage) == (1.0, 0.0)
    assert figures[FAST]["reverted"] == 0
