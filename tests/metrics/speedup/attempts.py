"""Attempts at one task, made for a test, and their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.records import (
    Measurements,
    PytestSummary,
    SnapshotSummary,
    Trajectory,
)

if TYPE_CHECKING:
    from trajmeter.metrics.speedup import SpeedupResult
    from trajmeter.records import Task

WORKED = {
    "m.A.time_x(1)": {"agent/nop": 2.0, "oracle/nop": 1.0},
    "m.A.time_x(2)": {"agent/nop": 8.0, "oracle/nop": 4.0},
    "m.A.time_y": {"agent/nop": 1.0, "oracle/nop": 2.0},
    "n.time_z": {"agent/nop": 1.5, "oracle/nop": 3.0},
}
GOOD = PytestSummary(passed=8, total=8, status="passed")
BAD = PytestSummary(passed=7, failed=1, total=8, status="failed")
SAME = SnapshotSummary(passed=5, total=5, status="passed")


def attempt(
    agent: str = "fixer", entries: dict[str, Any] | None = None, **fields: Any
) -> Trajectory:
    measurements = None
    if entries is not None:
        measurements = Measurements(ratios_by_agent={f"{agent}:m": entries})
    known = {"pytest_summary": GOOD, "snapshot_summary": SAME, "measurements": measurements}
    return Trajectory(task_id="t", agent=agent, model="m", **{**known, **fields})


def oracle(**fields: Any) -> Trajectory:
    return attempt(
        "oracle",
        {name: {**entry, "agent/nop": entry["oracle/nop"]} for name, entry in WORKED.items()},
        **fields,
    )


def score(
    *attempts: Trajectory, profile: str | None = None, task: Task | None = None
) -> list[SpeedupResult]:
    return SpeedupMetric(profile=profile).score_trial(task, attempts)
