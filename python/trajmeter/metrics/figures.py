"""The meaning of the figures in a results table.

A Parquet table has this information in its schema metadata; for other tables it comes from the
metric whose name begins the column.
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import ConfigDict, TypeAdapter, ValidationError

from trajmeter.errors import TrajmeterError
from trajmeter.metrics._result import Figure
from trajmeter.metrics.columns import FamilyColumns
from trajmeter.records.record import LazyModel, frozen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.metrics.column import FigureGroup
    from trajmeter.metrics.rows import RowLayout

__all__ = [
    "FigureInfo",
    "figure_metadata",
    "figures_in_metadata",
    "figures_of_layout",
    "registered_figures",
]

NumericKind: TypeAlias = Literal["boolean", "integer", "number"]

_NUMERIC: dict[str, NumericKind] = {
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
}


class FigureInfo(LazyModel):
    """What a column of numbers or booleans means."""

    model_config = ConfigDict(frozen=True)

    kind: NumericKind = "number"
    """Kind of its values."""
    low: float | None = None
    """Least possible value, ``None`` if unbounded."""
    high: float | None = None
    """Greatest possible value, ``None`` if unbounded."""
    higher_is_better: bool | None = None
    """Direction; ``None`` for a count or a description."""
    scale: Literal["linear", "ratio"] = "linear"
    """Whether values are compared by differences or as factors."""
    unit: str | None = None
    """Unit, if the name does not say it."""
    outcome: bool = True
    """Whether its group's outcome applies to it."""
    stands: bool = False
    """Whether a value counts even if its group is not scored."""
    numerator: tuple[str, ...] = ()
    """Columns whose sum is the numerator of the micro average; empty if none."""
    denominator: tuple[str, ...] = ()
    """Columns whose sum is the denominator."""


@cache
def _metadata() -> TypeAdapter[dict[str, FigureInfo]]:
    return TypeAdapter(dict[str, FigureInfo])


def figure_metadata(layout: RowLayout) -> str:
    """Metadata of a results table about its figures: JSON by column."""
    # Without pydantic, which would build a serializer that most runs need for nothing else.
    defaults = {name: field.default for name, field in FigureInfo.model_fields.items()}
    infos = {
        name: {key: value for key, value in info if value != defaults[key]}
        for name, info in figures_of_layout(layout).items()
    }
    return json.dumps(infos, sort_keys=True)


def figures_of_layout(layout: RowLayout) -> dict[str, FigureInfo]:
    """Figures of a results table by column."""
    return {name: info for family in layout.families for name, info in _figures_of(family)}


def figures_in_metadata(text: bytes | str) -> dict[str, FigureInfo]:
    """Parse the output of :func:`figure_metadata`; empty if it is invalid."""
    try:
        return _metadata().validate_json(text)
    except ValidationError:
        return {}


@cache
def registered_figures(family: str) -> dict[str, FigureInfo]:
    """Figures of a registered metric by column; none if there is no such metric."""
    from trajmeter.metrics.metric_info import describe  # not needed to score

    try:
        metric = describe(family).metric
        if metric is None:
            return {}
        return dict(_figures_of(FamilyColumns(metric, offset=0)))
    except TrajmeterError:
        return {}


def _figures_of(family: FamilyColumns) -> Iterator[tuple[str, FigureInfo]]:
    for group in family.groups:
        yield from _figures_in(group)


def _figures_in(group: FigureGroup) -> Iterator[tuple[str, FigureInfo]]:
    for column in group.columns:
        if column.role != "figure" or column.shape.kind not in _NUMERIC:
            continue
        figure = column.figure or Figure()
        kind = _NUMERIC[column.shape.kind]
        is_boolean = kind == "boolean"
        yield (
            column.name,
            frozen(
                FigureInfo,
                {
                    "kind": kind,
                    "low": 0.0 if is_boolean else figure.low,
                    "high": 1.0 if is_boolean else figure.high,
                    "higher_is_better": figure.higher_is_better,
                    "scale": figure.scale,
                    "unit": figure.unit,
                    "outcome": group.has_outcome and not figure.independent,
                    "stands": figure.stands,
                    "numerator": tuple(f"{group.name}.{key}" for key in figure.numerator),
                    "denominator": tuple(f"{group.name}.{key}" for key in figure.denominator),
                },
            ),
        )
