"""Attempts of which only the figures that fc-eval computed are left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.metrics.speedup.runs import (
    FAST,
    NOP,
    ORACLE,
    SLOW,
    own,
    score,
    table,
    write_json,
    write_run,
)
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from pathlib import Path

NOP_OWN = own(NOP, f=(1.0, 2.0), g=(1.0, 8.0))
ORACLE_OWN = own(ORACLE, f=(2.0, 2.0), g=(8.0, 8.0))
FAST_OWN = own(FAST, f=(4.0, 2.0), g=(1.0, 8.0))


def test_only_a_merged_result_is_left(tmp_path: Path) -> None:
    payload = {
        "per_benchmark_speedups": table(f=(4.0, 2.0), g=(None, 2.0)),
        "pytest_summary": {"passed": 3, "failed": 1, "status": "failed"},
        "snapshot_summary": {"passed": 1, "status": "passed"},
        "pytest_failed": False,
        "snapshot_failed": False,
        "success": True,
        "fallback_to_baseline": False,
        "agent_advantage": 2.5,
        "agent_advantage_level1": 2.5,
        "num_benchmarks": 2,
        "num_valid_benchmarks": 1,
        "task_speedup": 4.5,
        "task_cost_usd": 0.25,
        "trajectory_length": 12,
    }
    result = {
        "trial_name": "t.1-of-1.r",
        "task_id": "t",
        "is_resolved": True,
        "failure_mode": "unset",
        "parser_extra_metrics": {"agent_metrics_by_agent": {FAST: payload, NOP: {}}},
    }
    write_json(tmp_path / "r" / "t" / "t.1-of-1.r" / "results.json", result)
    write_json(tmp_path / "whole" / "results.json", {"id": "x", "results": [result]})
    for run in ("r", "whole"):
        for profile in (None, "fc-eval"):
            results, figures = score(tmp_path / run, profile=profile)
            found = results[FAST]
            assert figures[FAST]["accuracy"]["value"] == 1.0
            # 4.5, not the 4 of the table: these figures are taken as they are.
            assert (found.task_speedup, found.agent_advantage) == (4.5, 2.5)
            assert (found.num_benchmarks, found.num_valid_benchmarks) == (2, 1)
            assert (found.task_cost_usd, found.trajectory_length) == (0.25, 12)
            assert found.pytest_summary.failed_total == 1
            assert "fc-eval's merge" in found.warnings[0]
            assert results[NOP].outcome is Outcome.NOT_SCORED
    # Without a flag of its own, success is what the two others say.
    silent = {name: value for name, value in payload.items() if name != "success"}
    reverted = {**silent, "snapshot_failed": True, "fallback_to_baseline": True}
    result["parser_extra_metrics"] = {"agent_metrics_by_agent": {FAST: silent, SLOW: reverted}}
    write_json(tmp_path / "r" / "t" / "t.1-of-1.r" / "results.json", result)
    results, _ = score(tmp_path / "r")
    assert (results[FAST].success, results[FAST].cause) == (True, None)
    assert (results[SLOW].success, results[SLOW].cause) == (False, Cause.REVERTED_TO_BASELINE)
    assert results[SLOW].outcome is Outcome.ASSIGNED
    # A figure that is not a number is missing; the other attempts are still scored.
    endless = {**payload, "task_speedup": 10**400, "num_benchmarks": 10**400}
    result["parser_extra_metrics"] = {"agent_metrics_by_agent": {FAST: payload, SLOW: endless}}
    write_json(tmp_path / "r" / "t" / "t.1-of-1.r" / "results.json", result)
    results, _ = score(tmp_path / "r")
    assert results[FAST].task_speedup == 4.5
    assert (results[SLOW].task_speedup, results[SLOW].num_benchmarks) == (None, 2)
    assert results[SLOW].outcome is Outcome.NOT_SCORED
    # Beside the agents' own results, the merged one is not read.
    write_run(tmp_path / "r", {NOP: NOP_OWN, ORACLE: ORACLE_OWN, FAST: FAST_OWN})
    results, _ = score(tmp_path / "r")
    assert results[FAST].task_speedup == 2.0  # sqrt(4 * 1)
