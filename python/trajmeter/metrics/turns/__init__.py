"""Turn analysis: how well an agent interacted, turn by turn, whatever became of its task."""

from __future__ import annotations

from trajmeter.metrics.turns.analysis import analyse
from trajmeter.metrics.turns.columns import TurnColumns, TurnTable, analyse_columns
from trajmeter.metrics.turns.metric import PROFILE, TurnsMetric, create
from trajmeter.metrics.turns.result import RunFigures, TokenFigures, TurnsResult
from trajmeter.metrics.turns.summary import TurnsAggregator, TurnsSummary, aggregate

__all__ = [
    "PROFILE",
    "RunFigures",
    "TokenFigures",
    "TurnColumns",
    "TurnTable",
    "TurnsAggregator",
    "TurnsMetric",
    "TurnsResult",
    "TurnsSummary",
    "aggregate",
    "analyse",
    "analyse_columns",
    "create",
]
