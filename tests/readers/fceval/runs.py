"""Small runs of fc-eval, and the records read from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.metrics.speedup.runs import NOP, ORACLE, PASSED, own
from trajmeter.readers import read_trajectories

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem, Trajectory

BASE = {NOP: own(NOP, f=(1.0, 2.0)), ORACLE: own(ORACLE, f=(2.0, 2.0))}


def read(*paths: Path) -> tuple[list[Trajectory], list[ReadProblem]]:
    problems: list[ReadProblem] = []
    return list(read_trajectories(paths, on_problem=problems.append)), problems


def keys(attempts: list[Trajectory]) -> list[tuple[str | None, str | None]]:
    return [(attempt.agent, attempt.model) for attempt in attempts]


def result(**fields: Any) -> dict[str, Any]:
    return {
        "trial_name": "t.1-of-1.r",
        "failure_mode": "none",
        "is_resolved": True,
        "parser_extra_metrics": dict(PASSED),
        **fields,
    }
