"""Decides whether an agent failed: by its tests, by its snapshot, or by crashing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.records import PytestSummary, SnapshotSummary, Trajectory

__all__ = ["BASELINE_AGENT", "ORACLE_AGENT", "Checks", "allowed_failures", "check"]

BASELINE_AGENT = "nop"
"""The agent that changes nothing, which is never reverted."""
ORACLE_AGENT = "oracle"
"""The agent that applies the reference solution."""


@dataclass(frozen=True, slots=True)
class Checks:
    """Whether an attempt failed its checks; ``None`` if not recorded."""

    pytest_failed: bool | None = None
    """Whether more tests failed than allowed, or none could be read."""
    snapshot_failed: bool | None = None
    """Whether outputs of the benchmarks changed or could not be compared."""

    @property
    def success(self) -> bool | None:
        """Whether neither failed, regardless of speed; ``None`` if unknown."""
        return None if self.snapshot_failed is None else not self.failed

    @property
    def failed(self) -> bool:
        """Whether tests or snapshot definitely failed."""
        return bool(self.pytest_failed or self.snapshot_failed)


def allowed_failures(trial: Sequence[Trajectory]) -> int:
    """Number of failed tests that an agent may have: as many as the first oracle."""
    for attempt in trial:
        if attempt.agent == ORACLE_AGENT:
            return _failures(attempt.pytest_summary) if attempt.pytest_summary else 0
    return 0


def check(attempt: Trajectory, profile: SpeedupProfile, *, allowed: int) -> Checks:
    """Decide whether an attempt failed.

    Args:
        attempt: The attempt.
        profile: Decides what counts as a failure if little is recorded.
        allowed: Failed tests that are tolerated; of tests captured from output, none are.
    """
    tests, snapshot = attempt.pytest_summary, attempt.snapshot_summary
    if tests is None and snapshot is None:
        if attempt.passed is None and attempt.failure is None:
            return Checks()
        failed = profile.missing_snapshot_fails or not attempt.passed
        return Checks(pytest_failed=False, snapshot_failed=failed)
    return Checks(
        pytest_failed=_tests_failed(tests, allowed, profile),
        snapshot_failed=_snapshot_failed(snapshot),
    )


def _tests_failed(tests: PytestSummary | None, allowed: int, profile: SpeedupProfile) -> bool:
    if tests is None:
        return False
    if tests.problem == "unreadable":
        return True
    if tests.captured:
        allowed = 0
        is_uncounted = tests.problem == "not_run" or tests.error == 1
        if is_uncounted and profile.uncounted_tests_fail:
            return True
    return _failures(tests) > allowed


def _snapshot_failed(snapshot: SnapshotSummary | None) -> bool:
    if snapshot is None:
        return False
    return snapshot.status.lower() != "passed" or snapshot.pass_to_fail > 0


def _failures(tests: PytestSummary) -> int:
    return tests.failed + tests.error
