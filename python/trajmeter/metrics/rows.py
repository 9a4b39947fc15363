"""Rows: one flat line of a results table for each scored attempt.

The columns are fixed before anything is scored: they are the dotted paths of the result models, so
that a table of a thousand files has one schema. Beside the identity of the attempt, a row records
the backend and each metric's version and parameters.
"""

from __future__ import annotations

import json
import reprlib
from dataclasses import replace
from importlib.metadata import version
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError, InputError, format_exception
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

_LEAST, _MOST = -(2**63), 2**63 - 1
"""Integers that a column can hold."""


class RowLayout:
    """Columns of a results table, and how a scored attempt fills them.

    Args:
        metrics: Metrics, in the order of their columns.

    Raises:
        ConfigurationError: Two columns would have one name, or a metric's version or parameters
            cannot be written.
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

    def fitted(self, scored: Scored) -> tuple[Scored, list[Any]]:
        """A scored attempt and its row.

        A result that holds what no column can, such as an integer beyond 64 bits, counts as an
        error of its metric, so that the other metrics and rows keep theirs.
        """
        try:
            return scored, self.values(scored)
        except InputError:
            results = tuple(
                family.fitted(result)[0]
                for family, result in zip(self.families, scored.results, strict=True)
            )
            scored = replace(scored, results=results)
            return scored, self.values(scored)

    def values(self, scored: Scored) -> list[Any]:
        """Values of a scored attempt, in the order of :attr:`columns`.

        Raises:
            InputError: A result holds what no column can; the message names the column.
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
    offset: int
    """Position of its first column in the table."""

    def __init__(self, metric: AnyMetric, *, offset: int) -> None:
        self.offset = offset
        self.metric = metric
        self.name = name = metric.name
        about = (
            Column(f"{name}.version", "string", description="Version of the metric."),
            Column(f"{name}.parameters", "string", description="Settings of the metric, as JSON."),
            Column(f"{name}.error", "string", description="What the metric raised."),
        )
        self.parameters = _parameters(metric)
        self._version = metric.version
        if not isinstance(metric.version, str):
            raise ConfigurationError(
                f"metric {name!r}: version is {metric.version!r}, expected text"
            )
        self.error_position = offset + len(about) - 1
        self.groups = figure_groups(name, metric.result_type, offset=offset + len(about))
        own = tuple(column for group in self.groups for column in group.columns)
        self.figures = own
        self.columns = (*about, *own)
        self._paths = [path for group in self.groups for path in group.paths]
        self._get = _getter(self._paths)
        self._integers = [
            position
            for position, column in enumerate(own)
            if (column.kind, column.shape) == ("integer", "scalar")
        ]
        self._integers_of = _picker(self._integers)
        self._dumps = [
            (position, column.dump) for position, column in enumerate(own) if column.dump
        ]
        self._unscored = [_value_of_unscored(column) for column in own]

    def fitted(self, result: Result | MetricError) -> tuple[Result | MetricError, list[Any]]:
        """A result and its values; one that no column holds becomes an error of the metric."""
        try:
            return result, self.values(result)
        except InputError as error:
            refused = MetricError(str(error), code=error.code)
            return refused, self.values(refused)

    def values(self, result: Result | MetricError) -> list[Any]:
        """Values of a result, in the order of :attr:`columns`.

        Raises:
            InputError: It holds what no column can; the message names the column.
        """
        if isinstance(result, MetricError):
            return [self._version, self.parameters, result.message, *self._unscored]
        try:
            values = list(self._get(result))
            for position, dump in self._dumps:
                if values[position] is not None:
                    values[position] = dump(values[position])
            integers = list(filter(None, self._integers_of(values)))
            fits = not integers or (min(integers) >= _LEAST and max(integers) <= _MOST)
        except Exception as error:
            raise InputError(self._refusal(result)) from error
        if not fits:
            raise InputError(self._refusal(result))
        return [self._version, self.parameters, None, *values]

    def _refusal(self, result: Result) -> str:
        """Which value of a result no column holds."""
        for position, (path, column) in enumerate(zip(self._paths, self.figures, strict=True)):
            try:
                value = attrgetter(path)(result)
                if column.dump and value is not None:
                    value = column.dump(value)
                if position in self._integers and value and not _LEAST <= value <= _MOST:
                    shown = reprlib.repr(value)
                    return f"{column.name} is {shown}, expected an integer of 64 bits"
            except Exception as error:  # noqa: BLE001 - a value may be of any class
                return f"{column.name} cannot be written: {format_exception(error)}"
        return f"the result of {self.name} cannot be written"


def _parameters(metric: AnyMetric) -> str:
    try:
        return json.dumps(dict(metric.parameters), sort_keys=True)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"metric {metric.name!r}: its parameters are no JSON: {error}"
        ) from error


def _getter(paths: Sequence[str]) -> Callable[[object], Sequence[Any]]:
    get = attrgetter(*paths)
    return get if len(paths) > 1 else lambda result: (get(result),)


def _picker(positions: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    if len(positions) > 1:
        return itemgetter(*positions)
    return lambda values: [values[position] for position in positions]


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
