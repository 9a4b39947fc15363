"""Run-level figures of metric families, computed from columns or by one object per group."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from trajmeter.metrics import (
    Aggregating,
    ErrorAggregator,
    MergingAggregator,
    MetricError,
    StoringAggregator,
)
from trajmeter.metrics._protocol import ColumnAggregating
from trajmeter.metrics.engine import FATAL, metric_error
from trajmeter.metrics.groups import chosen_groups
from trajmeter.records import Record
from trajmeter.records.record import LazyModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from typing_extensions import Self

    from trajmeter.kernels import Int64Array
    from trajmeter.metrics import Aggregator, AnyMetric, Result
    from trajmeter.metrics._protocol import ColumnAggregator
    from trajmeter.metrics.scored_columns import GroupedRows, ScoredColumns
    from trajmeter.records import Task, Trajectory

__all__ = ["Aggregates", "ByColumns", "ByRecords", "aggregation_of"]

_T = TypeVar("_T")
_OWN = "trajmeter."
"""Prefix of the modules of Trajmeter's own models."""


class Aggregates(NamedTuple):
    """Run-level figures."""

    model: type[BaseModel]
    """Model of the figures, which marks those by which agents are compared."""
    figures: dict[str, Any]
    """The figures as JSON."""


def aggregation_of(metric: AnyMetric) -> ByColumns | ByRecords | None:
    """Create the running totals of a family; ``None`` if it has no run-level figures."""
    if isinstance(metric, ColumnAggregating):
        totals = ByColumns(metric)
        return totals if totals.is_wanted(metric) else None
    return ByRecords(metric) if isinstance(metric, Aggregating) else None


class ByColumns:
    """Running totals of all groups; they stop counting at the first error.

    Args:
        metric: The metric that computes them.
    """

    def __init__(self, metric: ColumnAggregating) -> None:
        self._totals: ColumnAggregator[BaseModel] | MetricError = _tried(metric.column_aggregator)

    def is_wanted(self, metric: AnyMetric) -> bool:
        """Whether any of the figures belongs to the requested groups."""
        chosen = chosen_groups(metric)
        if not chosen:
            return True
        figures = self.figures(None)
        return isinstance(figures, MetricError) or any(
            name in chosen for name in figures.model.model_fields
        )

    def add(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        """Count some attempts."""
        if not isinstance(self._totals, MetricError):
            failed = _tried(partial(self._totals.add, columns, groups))
            if isinstance(failed, MetricError):
                self._totals = failed

    def merge(self, other: Self, numbers: Int64Array) -> None:
        """Add the counts of another; its group i is group ``numbers[i]`` here."""
        if isinstance(self._totals, MetricError):
            return
        if isinstance(other._totals, MetricError):
            self._totals = other._totals
            return
        failed = _tried(partial(self._totals.merge, other._totals, numbers))
        if isinstance(failed, MetricError):
            self._totals = failed

    def state(self) -> dict[str, Any]:
        """The counts, for :meth:`restore`."""
        if isinstance(self._totals, MetricError):
            return {"error": [self._totals.message, self._totals.code]}
        return {"totals": self._totals.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the counts with those of a state."""
        if "error" in state:
            self._totals = MetricError(*state["error"])
        elif not isinstance(self._totals, MetricError):
            self._totals.restore(state["totals"])

    def figures(self, group: int | None) -> Aggregates | MetricError:
        """Figures of one group or of all attempts, or the error the metric raised."""
        if isinstance(self._totals, MetricError):
            return self._totals
        return _dumped(partial(self._totals.figures, group))


class ByRecords:
    """Running totals of all groups, with an object per group that counts records.

    Args:
        metric: The metric that computes them.
    """

    def __init__(self, metric: Aggregating) -> None:
        self._metric = metric
        self._all = _Aggregation(metric)
        self._by_group: dict[int, _Aggregation] = {}

    def add(
        self, group: int, task: Task | None, trajectory: Trajectory, result: Result | MetricError
    ) -> None:
        """Count one attempt."""
        of_group = self._by_group.get(group)
        if of_group is None:
            of_group = self._by_group[group] = _Aggregation(self._metric)
        for aggregation in (of_group, self._all):
            aggregation.add(task, trajectory, result)

    def merge(self, other: Self, numbers: Int64Array) -> None:
        """Add the counts of another; its group i is group ``numbers[i]`` here."""
        self._all.merge(other._all)
        for group, theirs in other._by_group.items():
            number = int(numbers[group])
            if number in self._by_group:
                self._by_group[number].merge(theirs)
            else:
                self._by_group[number] = theirs

    def state(self) -> dict[str, Any]:
        """The counts, for :meth:`restore`."""
        groups = [[group, own.state()] for group, own in self._by_group.items()]
        return {"all": self._all.state(), "groups": groups}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the counts with those of a state."""
        self._all.restore(state["all"])
        for group, stored in state["groups"]:
            self._by_group[group] = own = _Aggregation(self._metric)
            own.restore(stored)

    def all_figures(self) -> dict[int | None, Aggregates | MetricError]:
        """Figures of each group and of all attempts, or the error the metric raised."""
        figures: dict[int | None, Aggregates | MetricError] = {None: self._all.figures()}
        for group, own in self._by_group.items():
            figures[group] = own.figures()
        return figures


class _Aggregation:
    """A running total over records; it stops counting at the first error.

    Args:
        metric: The metric that computes it.
    """

    def __init__(self, metric: Aggregating) -> None:
        self._aggregator: Aggregator | MetricError = _tried(metric.aggregator)
        self._attempts = 0

    def add(self, task: Task | None, trajectory: Trajectory, result: Result | MetricError) -> None:
        """Count one attempt."""
        aggregator = self._aggregator
        self._attempts += 1
        if isinstance(aggregator, MetricError):
            return
        try:
            if not isinstance(result, MetricError):
                aggregator.add(task, trajectory, result)
            elif isinstance(aggregator, ErrorAggregator):
                aggregator.add_error(task, trajectory)
        except FATAL:
            raise
        except BaseException as error:  # noqa: BLE001 - a user's metric may raise anything
            self._aggregator = metric_error(error)

    def merge(self, other: _Aggregation) -> None:
        """Add another's counts, if the metric's aggregators support merging."""
        if not other._attempts:
            return
        if not self._attempts:
            self._aggregator, self._attempts = other._aggregator, other._attempts
            return
        self._attempts += other._attempts
        if isinstance(self._aggregator, MetricError):
            return
        if isinstance(other._aggregator, MetricError):
            self._aggregator = other._aggregator
            return
        mine, theirs = self._aggregator, other._aggregator
        if not (isinstance(mine, MergingAggregator) and isinstance(theirs, MergingAggregator)):
            message = "the attempts were counted in parts, and its aggregator has no method merge"
            self._aggregator = MetricError(message, code=None)
            return
        failed = _tried(partial(mine.merge, theirs))
        if isinstance(failed, MetricError):
            self._aggregator = failed

    def state(self) -> dict[str, Any]:
        """The counts, if they can be serialised."""
        aggregator = self._aggregator
        if not self._attempts:
            return {"attempts": 0}
        if not isinstance(aggregator, (MetricError, StoringAggregator)):
            message = (
                "the attempts were counted in parts, and its aggregator has no methods merge, "
                "state and restore"
            )
            aggregator = MetricError(message, code=None)
        state = aggregator if isinstance(aggregator, MetricError) else _tried(aggregator.state)
        if not isinstance(state, MetricError):
            dumped = _tried(partial(json.dumps, state))
            if not isinstance(dumped, MetricError):
                return {"attempts": self._attempts, "state": dumped}
            state = dumped
        return {"attempts": self._attempts, "error": [state.message, state.code]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the counts with those of a state."""
        self._attempts = state["attempts"]
        aggregator = self._aggregator
        if "error" in state:
            self._aggregator = MetricError(*state["error"])
        elif "state" in state and isinstance(aggregator, StoringAggregator):
            failed = _tried(partial(aggregator.restore, json.loads(state["state"])))
            if isinstance(failed, MetricError):
                self._aggregator = failed

    def figures(self) -> Aggregates | MetricError:
        """Figures of all attempts so far, or the error the metric raised."""
        aggregator = self._aggregator
        return aggregator if isinstance(aggregator, MetricError) else _dumped(aggregator.figures)


def _dumped(figures: Callable[[], object]) -> Aggregates | MetricError:
    model = _tried(figures)
    if isinstance(model, MetricError):
        return model
    if not isinstance(model, BaseModel):
        return MetricError(f"gave a {type(model).__name__}, expected a model", code=None)
    dumped = _tried(partial(_as_json, model))
    return dumped if isinstance(dumped, MetricError) else Aggregates(type(model), dumped)


def _as_json(model: BaseModel) -> dict[str, Any]:
    """What pydantic dumps, without building Trajmeter's own models, which takes milliseconds.

    A user's model may define its own serialisation.
    """
    is_own = type(model).__module__.startswith(_OWN)
    if isinstance(model, Record) or not (is_own and isinstance(model, LazyModel)):
        return model.model_dump(mode="json")
    return {
        name: _as_json(value) if isinstance(value, BaseModel) else to_jsonable_python(value)
        for name, value in vars(model).items()
    }


def _tried(function: Callable[[], _T]) -> _T | MetricError:
    try:
        return function()
    except FATAL:
        raise
    except BaseException as error:  # noqa: BLE001 - a user's metric may raise anything
        return metric_error(error)
