"""Context retrieval: how much of the gold context an agent saw, how early, and how often again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr
from trajmeter.metrics.context.profile import PROFILES, ContextProfile
from trajmeter.metrics.context.result import (
    ContextBenchEditLocation,
    ContextResult,
    EditLocation,
    FinalContext,
    FinalFigures,
    LeakFigures,
    TrajectoryContext,
    TrajectoryFigures,
    ViewFigures,
)
from trajmeter.metrics.context.score import ContextMetric, create, score

if TYPE_CHECKING:
    from trajmeter.metrics.context.prepared import PreparedTask, prepare
    from trajmeter.metrics.context.tracker import ContextTracker

__all__ = [
    "PROFILES",
    "ContextBenchEditLocation",
    "ContextMetric",
    "ContextProfile",
    "ContextResult",
    "ContextTracker",
    "EditLocation",
    "FinalContext",
    "FinalFigures",
    "LeakFigures",
    "PreparedTask",
    "TrajectoryContext",
    "TrajectoryFigures",
    "ViewFigures",
    "create",
    "prepare",
    "score",
]

# These need numpy, and files are already being read when it is imported.
__getattr__ = lazy_getattr(
    __name__, {"ContextTracker": "tracker", "PreparedTask": "prepared", "prepare": "prepared"}
)
