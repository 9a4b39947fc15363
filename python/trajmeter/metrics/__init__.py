"""Metrics: the interface that scores a (Task, Trajectory), and the built-in families."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr
from trajmeter.metrics._protocol import (
    Aggregating,
    Aggregator,
    AnyMetric,
    AssertionJudge,
    BatchMetric,
    ErrorAggregator,
    MergingAggregator,
    Metric,
    MetricFamily,
    StoringAggregator,
    TrialMetric,
)
from trajmeter.metrics._result import Figure, Group, Headline, Listing, Mean, MetricError, Result
from trajmeter.metrics.engine import score_trajectories
from trajmeter.metrics.registry import Resources, create
from trajmeter.metrics.rows import RowLayout
from trajmeter.metrics.scored import Scored
from trajmeter.metrics.task_index import TaskIndex

if TYPE_CHECKING:
    from trajmeter.metrics.custom import FunctionMetric, ScoreResult, metric
    from trajmeter.metrics.metric_info import MetricInfo, available, describe

__all__ = [
    "Aggregating",
    "Aggregator",
    "AnyMetric",
    "AssertionJudge",
    "BatchMetric",
    "ErrorAggregator",
    "Figure",
    "FunctionMetric",
    "Group",
    "Headline",
    "Listing",
    "Mean",
    "MergingAggregator",
    "Metric",
    "MetricError",
    "MetricFamily",
    "MetricInfo",
    "Resources",
    "Result",
    "RowLayout",
    "ScoreResult",
    "Scored",
    "StoringAggregator",
    "TaskIndex",
    "TrialMetric",
    "available",
    "create",
    "describe",
    "metric",
    "score_trajectories",
]

# Scoring with built-in metrics does not need these.
__getattr__ = lazy_getattr(
    __name__,
    {
        "FunctionMetric": "custom",
        "MetricInfo": "metric_info",
        "ScoreResult": "custom",
        "available": "metric_info",
        "describe": "metric_info",
        "metric": "custom",
    },
)
