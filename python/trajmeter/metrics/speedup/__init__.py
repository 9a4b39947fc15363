"""Speedup: how much faster agents made a task's benchmarks, compared with the oracle."""

from __future__ import annotations

from trajmeter.metrics.speedup.profile import PROFILES, SpeedupProfile
from trajmeter.metrics.speedup.result import (
    BenchmarkSpeedup,
    PytestFigures,
    SnapshotFigures,
    SpeedupResult,
)
from trajmeter.metrics.speedup.score import SpeedupMetric, create
from trajmeter.metrics.speedup.summary import SpeedupSummary

__all__ = [
    "PROFILES",
    "BenchmarkSpeedup",
    "PytestFigures",
    "SnapshotFigures",
    "SpeedupMetric",
    "SpeedupProfile",
    "SpeedupResult",
    "SpeedupSummary",
    "create",
]
