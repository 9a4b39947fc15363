"""Speedup: how much faster agents made a task's benchmarks, beside the reference solution."""

from __future__ import annotations

from trajmeter.metrics.speedup.metric import PROFILE, SpeedupMetric, create
from trajmeter.metrics.speedup.result import (
    BenchmarkSpeedup,
    PytestFigures,
    SnapshotFigures,
    SpeedupResult,
)
from trajmeter.metrics.speedup.summary import SpeedupAggregator, SpeedupSummary

__all__ = [
    "PROFILE",
    "BenchmarkSpeedup",
    "PytestFigures",
    "SnapshotFigures",
    "SpeedupAggregator",
    "SpeedupMetric",
    "SpeedupResult",
    "SpeedupSummary",
    "create",
]
