"""Columns of a metric: version, parameters and error, then the figures of its result."""

from __future__ import annotations

import json
import reprlib
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError, InputError, format_exception
from trajmeter.metrics._result import MetricError
from trajmeter.metrics.column import TEXT, Column
from trajmeter.metrics.groups import chosen_groups
from trajmeter.metrics.result_columns import result_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trajmeter.metrics._protocol import AnyMetric
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.column import FigureGroup

__all__ = ["FamilyColumns"]

_LEAST, _MOST = -(2**63), 2**63 - 1
"""Integers that a column can hold."""


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
        provenance = (
            Column(f"{name}.version", TEXT, meaning="Version of the metric."),
            Column(f"{name}.parameters", TEXT, meaning="Settings of the metric, as JSON."),
            Column(f"{name}.error", TEXT, meaning="Exception that the metric raised."),
        )
        self.parameters = _parameters(metric)
        self._version = metric.version
        if not isinstance(metric.version, str):
            raise ConfigurationError(
                f"metric {name!r}: version is {metric.version!r}, expected text"
            )
        self._result = result_columns(
            name, metric.result_type, chosen_groups(metric), offset + len(provenance)
        )
        self.groups = self._result.groups
        self.figures = self._result.columns
        self.columns = (*provenance, *self.figures)

    def __reduce__(self) -> tuple[Any, ...]:
        """Derive the columns again after unpickling."""
        return partial(FamilyColumns, offset=self.offset), (self.metric,)

    def fitted(self, result: Result | MetricError) -> tuple[Result | MetricError, list[Any]]:
        """A result and its values; one that does not fit its columns becomes a metric error."""
        try:
            return result, self.values(result)
        except InputError as error:
            refused = MetricError(str(error), code=error.code)
            return refused, self.values(refused)

    def values(self, result: Result | MetricError) -> list[Any]:
        """Values of a result, in the order of :attr:`columns`.

        Raises:
            InputError: A value does not fit its column; the message names the column.
        """
        if isinstance(result, MetricError):
            return [self._version, self.parameters, result.message, *self._result.unscored]
        try:
            columns = self._result
            values = columns.get(result)
            for position, dump in columns.dumps:
                value = values[position]
                if value is not None:
                    values[position] = dump(value)
            fits = _fit(columns.integers_of(values))
            for position in columns.of_integers:
                fits = fits and _fit(_items(values[position]))
        except Exception as error:
            raise InputError(self._refusal(result)) from error
        if not fits:
            raise InputError(self._refusal(result))
        return [self._version, self.parameters, None, *values]

    def _refusal(self, result: Result) -> str:
        """Which value of a result does not fit its column."""
        columns = zip(self._result.paths, self.figures, strict=True)
        for position, (path, column) in enumerate(columns):
            try:
                misfit = self._misfit(position, attrgetter(path)(result))
            except Exception as error:  # noqa: BLE001 - a value may be of any class
                return f"{column.name} cannot be written: {format_exception(error)}"
            if misfit is not None:
                return f"{column.name} {misfit}, expected an integer of 64 bits"
        return f"the result of {self.name} cannot be written"

    def _misfit(self, position: int, value: Any) -> str | None:  # noqa: ANN401 - of any field
        """Which integer of a value does not fit its column, if any."""
        dump = self.figures[position].dump
        if dump and value is not None:
            value = dump(value)
        if position in self._result.integers:
            return None if _fit([value]) else f"is {reprlib.repr(value)}"
        if position in self._result.of_integers:
            for integer in _items(value):
                if not _fit([integer]):
                    return f"holds {reprlib.repr(integer)}"
        return None


def _parameters(metric: AnyMetric) -> str:
    try:
        return json.dumps(dict(metric.parameters), sort_keys=True)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"metric {metric.name!r}: its parameters are not valid JSON: {error}"
        ) from error


def _items(value: Mapping[Any, Any] | Iterable[Any] | None) -> Iterable[Any]:
    """Items of a list, or values of a mapping."""
    if value is None:
        return ()
    return value.values() if isinstance(value, dict) else value


def _fit(integers: Iterable[int | None]) -> bool:
    """Whether a column holds all of some integers."""
    known = list(filter(None, integers))
    return not known or (min(known) >= _LEAST and max(known) <= _MOST)
