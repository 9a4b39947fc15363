"""The running total that a metric makes itself, and what became of it where it raised."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel

from trajmeter.metrics import MetricError
from trajmeter.metrics.engine import FATAL, metric_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.metrics import Aggregating, Result
    from trajmeter.records import Task, Trajectory

__all__ = ["Aggregates", "Aggregation"]

_T = TypeVar("_T")


class Aggregates(NamedTuple):
    """Figures of a run."""

    model: type[BaseModel]
    """Model of the figures, which tells those that agents are compared by."""
    figures: dict[str, Any]
    """The figures as JSON has them."""


class Aggregation:
    """A running total over attempts; from the first error on it counts no more.

    Args:
        metric: The metric that makes it.
    """

    def __init__(self, metric: Aggregating) -> None:
        self._aggregator = _tried(metric.aggregator)

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        """Count one scored attempt."""
        aggregator = self._aggregator
        if not isinstance(aggregator, MetricError):
            try:
                aggregator.add(task, trajectory, result)
            except FATAL:
                raise
            except BaseException as error:  # noqa: BLE001 - a metric of the user's may raise anything
                self._aggregator = metric_error(error)

    def figures(self) -> Aggregates | MetricError:
        """Figures of all attempts so far, or what the metric raised."""
        aggregator = self._aggregator
        if isinstance(aggregator, MetricError):
            return aggregator
        made: object = _tried(aggregator.figures)
        if isinstance(made, MetricError):
            return made
        if not isinstance(made, BaseModel):
            return MetricError(f"gave a {type(made).__name__}, expected a model", code=None)
        dumped = _tried(partial(made.model_dump, mode="json"))
        return dumped if isinstance(dumped, MetricError) else Aggregates(type(made), dumped)


def _tried(function: Callable[[], _T]) -> _T | MetricError:
    try:
        return function()
    except FATAL:
        raise
    except BaseException as error:  # noqa: BLE001 - a metric of the user's may raise anything
        return metric_error(error)
