"""Reads fc-eval's counts of tests and of snapshot comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import safe_int
from trajmeter.records import PytestSummary, SnapshotSummary

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["pytest_summary", "snapshot_summary"]


def pytest_summary(
    counts: Mapping[str, Any], *, prefix: str = "test_", status: str = "tests"
) -> PytestSummary:
    """Read test counts; a count that is missing or not a number is 0."""
    return PytestSummary(
        passed=safe_int(counts.get(f"{prefix}passed")),
        failed=safe_int(counts.get(f"{prefix}failed")),
        error=safe_int(counts.get(f"{prefix}error")),
        skipped=safe_int(counts.get(f"{prefix}skipped")),
        total=safe_int(counts.get(f"{prefix}total")),
        status=str(counts.get(status, "failed")),
    )


def snapshot_summary(counts: Mapping[str, Any], *, prefix: str = "snapshot_") -> SnapshotSummary:
    """Read snapshot counts; a snapshot without a status failed."""
    return SnapshotSummary(
        passed=safe_int(counts.get(f"{prefix}passed")),
        failed=safe_int(counts.get(f"{prefix}failed")),
        skipped=safe_int(counts.get(f"{prefix}skipped")),
        total=safe_int(counts.get(f"{prefix}total")),
        pass_to_fail=safe_int(counts.get(f"{prefix}pass_to_fail")),
        status=str(counts.get(f"{prefix}status", "failed")),
    )
