"""Small runs of fc-eval, written to a folder for a test."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import trajmeter
from trajmeter.metrics.speedup import SpeedupMetric

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from trajmeter.metrics.speedup import SpeedupResult

NOP, ORACLE, FAST, SLOW = "nop:nop", "oracle:oracle", "fixer:large", "fixer:small"

PASSED: dict[str, Any] = {
    "test_passed": 8,
    "test_failed": 0,
    "test_error": 0,
    "test_skipped": 2,
    "test_total": 10,
    "tests": "passed",
    "snapshot_passed": 5,
    "snapshot_failed": 0,
    "snapshot_skipped": 0,
    "snapshot_total": 5,
    "snapshot_pass_to_fail": 0,
    "snapshot_status": "passed",
}
FAILED: dict[str, Any] = {**PASSED, "test_failed": 1, "tests": "failed"}
BROKEN: dict[str, Any] = {**PASSED, "snapshot_status": "failed"}
CRASHED = None


def entry(agent: object, oracle: object) -> dict[str, Any]:
    return {"agent/nop": agent, "oracle/nop": oracle}


def table(**ratios: Any) -> dict[str, Any]:
    """Return a table of benchmarks of module m, with ratios or other values."""
    return {
        f"m.{name}": entry(*ratio) if isinstance(ratio, tuple) else ratio
        for name, ratio in ratios.items()
    }


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


def write_run(
    run: Path,
    agents: Mapping[str, Mapping[str, Any] | None],
    *,
    task: str = "t",
    attempt: str = "1-of-1",
    results: Mapping[str, Mapping[str, Any]] | None = None,
    lock: Sequence[str] | None = None,
) -> Path:
    """Write a trial of several agents, in this order.

    Args:
        run: Folder of the run.
        agents: What each agent's parser found, by ``agent:model``; ``None`` for a crash.
        task: The task.
        attempt: Number of the attempt.
        results: Further fields of an agent's result.
        lock: Agents as configured; by default those of ``agents``.
    """
    configured = [key.split(":", 1) for key in (lock or agents)]
    write_json(
        run / "fc.lock",
        {
            "run_spec": {
                "agents": [
                    {"agent_id": f"agent-{number}", "agent_name": name, "model_name": model}
                    for number, (name, model) in enumerate(configured, start=1)
                ]
            }
        },
    )
    trial = f"{task}.{attempt}.{run.name}"
    for number, ((key, metrics), (name, _)) in enumerate(
        zip(agents.items(), configured, strict=True), start=1
    ):
        folder = f"{trial}.agent-{number}-{name}"
        write_json(
            run / task / folder / "results.json",
            {
                "trial_name": folder,
                "task_id": task,
                "is_resolved": metrics is not None and metrics.get("tests") == "passed",
                "failure_mode": "unset",
                "parser_extra_metrics": metrics,
                **((results or {}).get(key, {})),
            },
        )
    return run


def own(key: str, checks: Mapping[str, Any] = PASSED, **ratios: Any) -> dict[str, Any]:
    """Return the parser's result for an agent with its own table."""
    return {**checks, "per_benchmark_speedups_by_agent": {key: table(**ratios)}}


def score(
    *paths: Path, profile: str | None = None
) -> tuple[dict[str, SpeedupResult], dict[str, dict[str, Any]]]:
    """Return results and figures of the run, by ``agent:model``."""
    scores = trajmeter.score(list(paths), metrics=[SpeedupMetric(profile=profile)])
    results: Any = {
        ":".join(filter(None, (each.trajectory.agent, each.trajectory.model))): each.results[0]
        for each in scores.results
    }
    figures: Any = {
        ":".join(filter(None, (group.agent, group.model))): group.aggregates["speedup"]
        for group in (*scores.summary.groups, scores.summary.overall)
    }
    return results, figures
