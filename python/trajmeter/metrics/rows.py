"""Rows: one flat line of a results table for each scored attempt.

The columns are fixed before scoring: they are the dotted paths of the result models, so a table
from a thousand files has one schema. Besides the identity of the attempt, a row records the backend
and each metric's version and parameters.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import check_type
from trajmeter.errors import ConfigurationError, InputError, UnknownNameError
from trajmeter.kernels import backend
from trajmeter.metrics.column import TEXT, Column
from trajmeter.metrics.columns import FamilyColumns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics._protocol import AnyMetric
    from trajmeter.metrics.named_figures import NamedFigure
    from trajmeter.metrics.scored import Scored
    from trajmeter.records import Source, Trajectory

__all__ = ["RowLayout", "package_version"]

_IDENTITY = (
    Column("task_id", TEXT, meaning="Id of the task, as written in the record."),
    Column("agent", TEXT, meaning="Name of the agent."),
    Column("model", TEXT, meaning="Name of the model."),
    Column("attempt", TEXT, meaning="Distinguishes repeated attempts."),
    Column("source", TEXT, meaning="File and line or record it was read from."),
    Column("backend", TEXT, meaning="Kernel backend that was used."),
)


class RowLayout:
    """Columns of a results table, and how to fill them from a scored attempt.

    Args:
        metrics: Metrics, in the order of their columns.

    Raises:
        ConfigurationError: Two columns would have one name, or a metric's version or parameters
            cannot be written.
    """

    columns: tuple[Column, ...]
    """Every column, in order."""
    families: tuple[FamilyColumns, ...]
    """Columns of each metric, in the order of the metrics."""
    names: tuple[str, ...]
    """Name of every column, in order."""
    backend: str
    """Kernel backend in use."""

    def __init__(self, metrics: Sequence[AnyMetric]) -> None:
        self.backend = backend()
        families = []
        columns = list(_IDENTITY)
        for metric in metrics:
            family = FamilyColumns(metric, offset=len(columns))
            families.append(family)
            columns += family.columns
        self._found: dict[str, NamedFigure] = {}
        self.families = tuple(families)
        self.columns = tuple(columns)
        self.names = tuple(column.name for column in columns)
        if len(set(self.names)) < len(self.names):
            repeated = {name for name in self.names if self.names.count(name) > 1}
            raise ConfigurationError(f"two columns are named {', '.join(sorted(repeated))}")

    @cached_property
    def package_version(self) -> str:
        """Version of this package."""
        return package_version()

    def __reduce__(self) -> tuple[Any, ...]:
        """Derive the columns again after unpickling; the recorded backend is kept."""
        metrics = [family.metric for family in self.families]
        return _layout_from, (metrics, self.backend, self.package_version)

    def figure(self, name: str) -> NamedFigure:
        """Find a figure by its column or short name, to read it from any number of attempts.

        Raises:
            UnknownNameError: There is no such figure; the nearest is named.
            InputError: The name is not text, or matches several figures.
        """
        if type(name) is not str:
            check_type(name, str, name="name")
        found = self._found.get(name)
        if found is None:
            figures = self.figures(name)
            if len(figures) > 1:
                raise UnknownNameError(f"{name!r} stands for {len(figures)} figures, expected one")
            found = self._found[name] = figures[0]
        return found

    def figures(self, *patterns: str) -> tuple[NamedFigure, ...]:
        """Find the figures that names, short names and patterns stand for, in order.

        Raises:
            UnknownNameError: A name or pattern matches no figure; the nearest is named.
            InputError: One is not text.
        """
        from trajmeter.metrics.named_figures import named_figures

        for pattern in patterns:
            check_type(pattern, str, name="pattern")
        return named_figures(self, patterns)

    def fitted(self, scored: Scored) -> tuple[Scored, list[Any]]:
        """A scored attempt and its row.

        A result that does not fit its columns, such as an integer beyond 64 bits, becomes an error
        of its metric; other metrics and rows are not affected.
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
            InputError: A value does not fit its column; the message names the column.
        """
        values = [*_identity(scored.trajectory), self.backend]
        for family, result in zip(self.families, scored.results, strict=True):
            values += family.values(result)
        return values

    def row(self, scored: Scored) -> dict[str, Any]:
        """Values of a scored attempt by column name."""
        return dict(zip(self.names, self.values(scored), strict=True))


def _layout_from(metrics: Sequence[AnyMetric], backend: str, package_version: str) -> RowLayout:
    layout = RowLayout(metrics)
    layout.backend, layout.package_version = backend, package_version
    return layout


@cache
def package_version() -> str:
    """Version of this package."""
    if backend() == "rust":
        from trajmeter.kernels import _rust

        return _rust.VERSION
    from importlib.metadata import version  # importing it takes longer than importing a family

    return version("trajmeter")


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
