"""Adapts column aggregators to records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from trajmeter.metrics._result import MetricError
from trajmeter.metrics.columns import FamilyColumns
from trajmeter.metrics.scored_columns import GroupedRows
from trajmeter.metrics.scored_rows import ScoredRows, attempted, place_columns

if TYPE_CHECKING:
    from pydantic import BaseModel

    from trajmeter.metrics._protocol import AnyMetric, ColumnAggregator
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.scored_rows import Attempted
    from trajmeter.records import Task, Trajectory

_FiguresT = TypeVar("_FiguresT", bound="BaseModel")

__all__ = ["RecordAggregator"]

_AT_ONCE = 1024
"""Number of attempts to collect before they are counted."""

_FAILED = MetricError("no result", code=None)


class RecordAggregator(Generic[_FiguresT]):
    """Running totals over attempts that arrive one by one.

    Args:
        metric: Metric of the results.
        totals: Counts the attempts.
    """

    def __init__(self, metric: AnyMetric, totals: ColumnAggregator[_FiguresT]) -> None:
        self._family = FamilyColumns(metric, offset=0)
        self._columns = place_columns(self._family.columns)
        self._totals = totals
        self._rows: list[list[Any]] = []
        self._attempts: list[Attempted] = []

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        """Count one scored attempt."""
        self._add(task, trajectory, result)

    def add_error(self, task: Task | None, trajectory: Trajectory) -> None:
        """Count one attempt without a result, because the metric raised."""
        self._add(task, trajectory, _FAILED)

    def figures(self) -> _FiguresT:
        """Figures of all attempts so far."""
        self._count()
        return self._totals.figures(None)

    def _add(self, task: Task | None, trajectory: Trajectory, result: Result | MetricError) -> None:
        self._rows.append(self._family.fitted(result)[1])
        self._attempts.append(attempted(task, trajectory))
        if len(self._rows) == _AT_ONCE:
            self._count()

    def _count(self) -> None:
        if self._rows:
            groups = GroupedRows(np.zeros(len(self._rows), np.int64), np.zeros(1, np.int64))
            self._totals.add(ScoredRows(self._columns, self._rows, self._attempts), groups)
            self._rows, self._attempts = [], []
