"""Turn analysis: how well an agent interacted, turn by turn, regardless of task success."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr
from trajmeter.metrics.turns.profile import PROFILES, TurnsProfile
from trajmeter.metrics.turns.result import CostFigures, RunFigures, TokenFigures, TurnsResult
from trajmeter.metrics.turns.score import TurnsMetric, aggregate, create, score

if TYPE_CHECKING:
    from trajmeter.metrics.turns.summary import TurnsSummary

__all__ = [
    "PROFILES",
    "CostFigures",
    "RunFigures",
    "TokenFigures",
    "TurnsMetric",
    "TurnsProfile",
    "TurnsResult",
    "TurnsSummary",
    "aggregate",
    "create",
    "score",
]

# Scoring an attempt does not need the summary.
__getattr__ = lazy_getattr(__name__, {"TurnsSummary": "summary"})
