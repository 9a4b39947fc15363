"""Rows: one flat line of a results table for each scored attempt.

The columns are fixed before anything is scored: they are the dotted paths of the result models, so
that a table of a thousand files has one schema. Beside the identity of the attempt, a row records
the backend and each metric's version and parameters.
"""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import version
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError
from trajmeter.kernels import backend
from trajmeter.metrics._columns import Column, FigureGroup, figure_groups
from trajmeter.metrics.engine import MetricError
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.metrics._protocol import AnyMetric
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.engine import Scored
    from trajmeter.records import Source, Trajectory

__all__ = ["Column", "FamilyColumns", "FigureGroup", "RowLayout"]

_IDENTITY = (
    Column("task_id", "string", description="Id of the task, as the record wrote it."),
    Column("agent", "string", description="Name of the agent."),
    Column("model", "string", description="Name of the model."),
    Column("attempt", "string", description="Tells repeated attempts apart."),
    Column("source", "string", description="File and line or record it was read from."),
    Column("backend", "string", description="Kernel backend that computed."),
)


class RowLayout:
    """Columns of a results table, and how a scored attempt fills them.

    Args:
        metrics: Metrics, in the order of their columns.

    Raises:
        ConfigurationError: Two columns would have one name.
    """

    columns: tuple[Column, ...]
    """Every column, in order."""
    families: tuple[FamilyColumns, ...]
    """Columns of each metric, in the order the metrics were given."""
    names: tuple[str, ...]
    """Name of every column, in order."""
    backend: str
    """Kernel backend that computes."""
    package_version: str
    """Version of this package."""

    def __init__(self, metrics: Sequence[AnyMetric]) -> None:
        self.backend = backend()
        self.package_version = version("trajmeter")
        families = []
        columns = list(_IDENTITY)
        for metric in metrics:
            family = FamilyColumns(metric, offset=len(columns))
            families.append(family)
            columns += family.columns
        self.families = tuple(families)
        self.columns = tuple(columns)
        self.names = tuple(column.name for column in columns)
        repeated = {name for name in self.names if self.names.count(name) > 1}
        if repeated:
            raise ConfigurationError(f"two columns are named {', '.join(sorted(repeated))}")

    def storable(self, scored: Scored) -> Scored:
        """The attempt; a result that no row can hold counts as an error of its metric."""
        pairs = zip(self.families, scored.results, strict=True)
        return replace(scored, results=tuple([family.storable(result) for family, result in pairs]))

    def values(self, scored: Scored) -> list[Any]:
        """Values of a scored attempt, in the order of :attr:`columns`.

        Raises:
            TypeError: A result holds something that has no form in JSON; see :meth:`storable`.
            ValueError: A result holds bytes that are no text, or itself.
        """
        values = [*_identity(scored.trajectory), self.backend]
        for family, result in zip(self.families, scored.results, strict=True):
            values += family.values(result)
        return values

    def row(self, scored: Scored) -> dict[str, Any]:
        """Values of a scored attempt by the names of their columns."""
        return dict(zip(self.names, self.values(scored), strict=True))


class FamilyColumns:
    """Columns of one metric.

    Args:
        metric: The metric.
        offset: Position of its first column in the table.
    """

    name: str
    """Name of the metric."""
    metric: AnyMetric
    """The metric."""
    columns: tuple[Column, ...]
    """Its columns: version, parameters and error, then those of its result."""
    groups: tuple[FigureGroup, ...]
    """Groups of the result, with the positions of their columns in the table."""
    figures: tuple[Column, ...]
    """Columns of its result alone."""
    parameters: str
    """Settings of the metric, as JSON."""

    def __init__(self, metric: AnyMetric, *, offset: int) -> None:
        self.metric = metric
        self.name = name = metric.name
        about = (
            Column(f"{name}.version", "string", description="Version of the metric."),
            Column(f"{name}.parameters", "string", description="Settings of the metric, as JSON."),
            Column(f"{name}.error", "string", description="What the metric raised."),
        )
        self.parameters = json.dumps(dict(metric.parameters), sort_keys=True)
        self._version = metric.version
        self.error_position = offset + len(about) - 1
        self.groups = figure_groups(name, metric.result_type, offset=offset + len(about))
        own = tuple(column for group in self.groups for column in group.columns)
        self.figures = own
        self.columns = (*about, *own)
        self._get = _getter([path for group in self.groups for path in group.paths])
        self._dumps = [
            (position, column.dump) for position, column in enumerate(own) if column.dump
        ]
        self._unscored = [_value_of_unscored(column) for column in own]

    def storable(self, result: Result | MetricError) -> Result | MetricError:
        """The result, or an error that says why no row can hold it."""
        try:
            self.values(result)
        except (TypeError, ValueError) as error:
            message = f"gave a value that no column holds: {type(error).__name__}: {error}"
            return MetricError(message, code=None)
        return result

    def values(self, result: Result | MetricError) -> list[Any]:
        """Values of a result, in the order of :attr:`columns`.

        Raises:
            TypeError: It holds something that has no form in JSON.
            ValueError: It holds bytes that are no text, or itself.
        """
        if isinstance(result, MetricError):
            return [self._version, self.parameters, result.message, *self._unscored]
        values = list(self._get(result))
        for position, dump in self._dumps:
            if values[position] is not None:
                values[position] = dump(values[position])
        return [self._version, self.parameters, None, *values]


def _getter(paths: Sequence[str]) -> Callable[[object], Sequence[Any]]:
    get = attrgetter(*paths)
    return get if len(paths) > 1 else lambda result: (get(result),)


def _value_of_unscored(column: Column) -> str | None:
    if column.role == "outcome":
        return Outcome.NOT_SCORED.value
    if column.role == "cause":
        return Cause.METRIC_ERROR.value
    return None


def _identity(trajectory: Trajectory) -> list[Any]:
    return [
        trajectory.task_id,
        trajectory.agent,
        trajectory.model,
        trajectory.attempt,
        _source(trajectory.source),
    ]


def _source(source: Source | None) -> str | None:
    if source is None:
        return None
    if source.line is not None:
        return f"{source.file}:{source.line}"
    return source.file if source.record is None else f"{source.file}: {source.record}"
