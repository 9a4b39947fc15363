"""Attempts from merged result files, which contain only fc-eval's own figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.speedup.cases import ADVANTAGES, Case, case_fields, spending_fields
from trajmeter.metrics.speedup.failures import Checks
from trajmeter.metrics.speedup.table import read_table
from trajmeter.records import LARGEST_COUNT, Cause, Outcome
from trajmeter.records.measurements import agent_key, finite

if TYPE_CHECKING:
    from typing import Any

    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.records import Trajectory

__all__ = ["is_payload", "payload_fields"]

_WARNING = "the figures are those of fc-eval's merge: the agents' own files are not there"


def is_payload(attempt: Trajectory) -> bool:
    """Whether an attempt has figures instead of measurements."""
    return attempt.measurements is not None and attempt.measurements.payload is not None


def payload_fields(attempt: Trajectory, profile: SpeedupProfile) -> dict[str, Any]:
    """Fields of the result, with figures as recorded; values that are not numbers are missing.

    Args:
        attempt: The attempt.
        profile: Decides whether any recorded cost counts.
    """
    measurements = attempt.measurements
    payload = (measurements.payload if measurements else None) or {}
    entries = (measurements.ratios if measurements else None) or {}
    case = Case(
        attempt,
        agent_key(attempt.agent, attempt.model),
        Checks(_flag(payload.get("pytest_failed")), _flag(payload.get("snapshot_failed"))),
        read_table(entries),
        fallback=payload.get("fallback_to_baseline") is True,
        warnings=[_WARNING],
    )
    fields = case_fields(case) | spending_fields(case, profile)
    fields["task_speedup"] = finite(payload.get("task_speedup"))
    fields |= {name: finite(payload.get(name)) for name in ADVANTAGES}
    success = _flag(payload.get("success"))
    fields["success"] = case.checks.success if success is None else success
    fields["trial_resolved"] = _flag(payload.get("is_resolved"))
    for name in ("num_benchmarks", "num_valid_benchmarks"):
        count = payload.get(name)
        if isinstance(count, int) and not isinstance(count, bool) and abs(count) <= LARGEST_COUNT:
            fields[name] = count
    outcome, cause = Outcome.SCORED, None
    if fields["task_speedup"] is None:
        outcome, cause = Outcome.NOT_SCORED, Cause.MISSING_MEASUREMENTS
    elif case.fallback:
        outcome, cause = Outcome.ASSIGNED, Cause.REVERTED_TO_BASELINE
    return {"outcome": outcome, "cause": cause, **fields}


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None
