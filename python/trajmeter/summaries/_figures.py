"""The figures that a summary averages, and the parts of their averages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from trajmeter.errors import ConfigurationError
from trajmeter.metrics import Figure

if TYPE_CHECKING:
    from trajmeter.metrics import RowLayout
    from trajmeter.metrics.column import Column, FigureGroup

__all__ = [
    "FigureOutcome",
    "NumberKind",
    "SummarizedFigure",
    "SummarizedFigures",
    "summarized_figures",
]

NumberKind = Literal["boolean", "integer", "number"]
"""Type of a figure's values."""

_NUMERIC: dict[str, NumberKind] = {
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
}
"""Column types that have a mean."""


class SummarizedFigure(NamedTuple):
    """A figure with the parts of its averages."""

    column: Column
    """Its column, with direction and unit."""
    kind: NumberKind
    """Type of its values."""
    outcome: int | None
    """Index of the outcome that applies to it; ``None`` if it has none."""
    numerator: tuple[int, ...]
    """Figures whose sum is the numerator of the micro average."""
    denominator: tuple[int, ...]
    """Figures whose sum is the denominator."""
    numerator_names: tuple[str, ...]
    """Columns of the numerator counts."""
    denominator_names: tuple[str, ...]
    """Columns of the denominator counts."""


class FigureOutcome(NamedTuple):
    """An outcome with its cause: of a group, or of one figure of it."""

    group: str
    """Name of the group."""
    figure: str | None = None
    """Column of a figure whose values count even if the group is not scored; ``None`` for the
    others."""


class SummarizedFigures(NamedTuple):
    """Every scalar number of a layout."""

    figures: tuple[SummarizedFigure, ...]
    """The figures, in the order of the columns."""
    outcomes: tuple[FigureOutcome, ...]
    """The outcomes that apply to them."""


def summarized_figures(layout: RowLayout) -> SummarizedFigures:
    """Find the figures of a layout.

    Raises:
        ConfigurationError: A figure's micro average needs a count that its group lacks.
    """
    figures: list[SummarizedFigure] = []
    outcomes: list[FigureOutcome] = []
    for family in layout.families:
        for group in family.groups:
            figures += _of_group(group, len(figures), outcomes)
    return SummarizedFigures(tuple(figures), tuple(outcomes))


def _of_group(
    group: FigureGroup, first: int, outcomes: list[FigureOutcome]
) -> list[SummarizedFigure]:
    """The figures of a group.

    Args:
        group: The group.
        first: Position of its first figure among all figures.
        outcomes: The outcomes of earlier groups; those of this one are added.
    """
    if group.has_outcome:
        outcomes.append(FigureOutcome(group.name))
    own = len(outcomes) - 1
    columns = [
        column
        for column in group.columns
        if column.role == "figure" and column.shape.kind in _NUMERIC
    ]
    places = {column.name: first + index for index, column in enumerate(columns)}
    figures = []
    for column in columns:
        figure = column.figure or Figure()
        numerator = tuple(f"{group.name}.{key}" for key in figure.numerator)
        denominator = tuple(f"{group.name}.{key}" for key in figure.denominator)
        for count in (*numerator, *denominator):
            if count not in places:
                raise ConfigurationError(
                    f"the micro average of {column.name} needs {count}, which is not a numeric "
                    "column"
                )
        outcome = own if group.has_outcome and not figure.independent else None
        if outcome is not None and figure.stands:
            outcome = len(outcomes)
            outcomes.append(FigureOutcome(group.name, column.name))
        figures.append(
            SummarizedFigure(
                column=column,
                kind=_NUMERIC[column.shape.kind],
                outcome=outcome,
                numerator=tuple(places[count] for count in numerator),
                denominator=tuple(places[count] for count in denominator),
                numerator_names=numerator,
                denominator_names=denominator,
            )
        )
    return figures
