"""Which columns of a results table are summed up, and what their averages are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trajmeter.errors import ConfigurationError
from trajmeter.metrics import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.metrics import RowLayout
    from trajmeter.metrics.columns import Column, FigureGroup

__all__ = ["NUMERIC", "SummarizedFigure", "summarized_figures"]

NUMERIC: dict[str, Literal["boolean", "integer", "number"]] = {
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
}
"""Kinds of columns that have a mean."""


@dataclass(frozen=True, slots=True)
class SummarizedFigure:
    """A figure with the positions of what its averages are made of."""

    position: int
    """Position of its values in a row."""
    outcome: int | None
    """Position of its group's outcome, which the cause follows; ``None`` without a group."""
    numerator: tuple[int, ...]
    """Positions of the counts whose sum is divided in the micro average."""
    denominator: tuple[int, ...]
    """Positions of the counts whose sum divides."""
    column: Column
    """Its column, with direction and unit."""
    numerator_names: tuple[str, ...]
    """Columns of the counts that are divided."""
    denominator_names: tuple[str, ...]
    """Columns of the counts that divide."""


def summarized_figures(layout: RowLayout) -> tuple[SummarizedFigure, ...]:
    """Every scalar number of a layout, in the order of the columns.

    Raises:
        ConfigurationError: A figure's micro average is made of a count that its group lacks.
    """
    groups = [group for family in layout.families for group in family.groups]
    return tuple(figure for group in groups for figure in _of_group(group))


def _of_group(group: FigureGroup) -> Iterable[SummarizedFigure]:
    columns = {
        column.name: (group.offset + index, column)
        for index, column in enumerate(group.columns)
        if column.role == "figure" and column.shape.kind in NUMERIC
    }
    for name, (position, column) in columns.items():
        figure = column.figure or Figure()
        outcome = group.offset if group.has_outcome and not figure.independent else None
        numerator = tuple(f"{group.name}.{key}" for key in figure.numerator)
        denominator = tuple(f"{group.name}.{key}" for key in figure.denominator)
        for count in (*numerator, *denominator):
            if count not in columns:
                raise ConfigurationError(
                    f"the micro average of {name} is made of {count}, which is no number"
                )
        yield SummarizedFigure(
            column=column,
            position=position,
            outcome=outcome,
            numerator=tuple(columns[count][0] for count in numerator),
            denominator=tuple(columns[count][0] for count in denominator),
            numerator_names=numerator,
            denominator_names=denominator,
        )
