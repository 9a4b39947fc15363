"""Context retrieval: how much of the gold context an agent saw, how early, and how often again."""

from __future__ import annotations

from trajmeter.metrics.context.metric import ContextMetric, create
from trajmeter.metrics.context.prepared import PROFILES, PreparedTask, prepare
from trajmeter.metrics.context.results import (
    ContextBenchEditLocation,
    ContextResult,
    EditLocation,
    FinalContext,
    FinalFigures,
    TrajectoryContext,
    TrajectoryFigures,
    ViewFigures,
)
from trajmeter.metrics.context.scoring import score
from trajmeter.metrics.context.tracker import ContextTracker

__all__ = [
    "PROFILES",
    "ContextBenchEditLocation",
    "ContextMetric",
    "ContextResult",
    "ContextTracker",
    "EditLocation",
    "FinalContext",
    "FinalFigures",
    "PreparedTask",
    "TrajectoryContext",
    "TrajectoryFigures",
    "ViewFigures",
    "create",
    "prepare",
    "score",
]
