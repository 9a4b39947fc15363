"""Columns of a metric's result, derived from its model."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ConfigurationError
from trajmeter.metrics._result import Figure, Group
from trajmeter.metrics._values import picked, values_at
from trajmeter.metrics.cells import cell_shape, dump_of, load_of
from trajmeter.metrics.column import Column, FigureGroup, Role
from trajmeter.metrics.groups import models
from trajmeter.records import Cause, Outcome
from trajmeter.shapes import bare, is_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from trajmeter.metrics._result import Result

__all__ = ["ResultColumns", "result_columns"]


class ResultColumns(NamedTuple):
    """Columns of a result, and how they are filled."""

    groups: tuple[FigureGroup, ...]
    columns: tuple[Column, ...]
    paths: list[str]
    """Attribute path of each column in the result."""
    get: Callable[[Any], list[Any]]
    """All values of a result."""
    integers: list[int]
    """Positions of the integers."""
    integers_of: Callable[[Sequence[Any]], Sequence[Any]]
    of_integers: list[int]
    """Positions of lists and mappings of integers."""
    dumps: list[tuple[int, Callable[[Any], Any]]]
    """Positions of the values that rows hold in another form, and their conversions."""
    unscored: list[Any]
    """Values of an attempt that the metric failed to score."""


@lru_cache(maxsize=128)
def result_columns(
    name: str, result_type: type[Result], chosen: tuple[str, ...], offset: int
) -> ResultColumns:
    """Columns of a result, which depend only on its model.

    Deriving them takes milliseconds, and a harness needs them for every attempt it scores.
    """
    groups = _figure_groups(name, result_type, chosen=chosen, offset=offset)
    columns = tuple(column for group in groups for column in group.columns)
    paths = [path for group in groups for path in group.paths]
    integers = [
        position for position, column in enumerate(columns) if column.shape.kind == "integer"
    ]
    return ResultColumns(
        groups=groups,
        columns=columns,
        paths=paths,
        get=values_at(paths),
        integers=integers,
        integers_of=picked(integers),
        of_integers=[
            position
            for position, column in enumerate(columns)
            if column.shape.item is not None and column.shape.item.kind == "integer"
        ],
        dumps=[(position, column.dump) for position, column in enumerate(columns) if column.dump],
        unscored=[_value_of_unscored(column) for column in columns],
    )


def _figure_groups(
    name: str, result_type: type[Result], *, chosen: tuple[str, ...], offset: int
) -> tuple[FigureGroup, ...]:
    """Walk a result model.

    Args:
        name: Name of the metric, the first part of every column.
        result_type: The model.
        chosen: Groups whose figures are requested; empty for all.
        offset: Position of the first column in the table.

    Raises:
        ConfigurationError: The model has no fields.
    """
    groups = []
    for path, model in models(result_type):
        if chosen and not any(".".join((*path, "")).startswith(f"{group}.") for group in chosen):
            continue
        fields = [
            (key, info) for key, info in model.model_fields.items() if not is_model(info.annotation)
        ]
        if not fields:
            continue
        prefix = ".".join((name, *path))
        columns = tuple(_column(prefix, key, info, model) for key, info in fields)
        groups.append(
            FigureGroup(
                name=prefix,
                paths=tuple(".".join((*path, key)) for key, _ in fields),
                columns=columns,
                offset=offset,
                has_outcome=issubclass(model, Group),
            )
        )
        offset += len(columns)
    if not groups:
        raise ConfigurationError(f"the result of metric {name!r} has no figures")
    return tuple(groups)


def _column(prefix: str, key: str, info: FieldInfo, model: type[BaseModel]) -> Column:
    annotation, extras = bare(info.annotation)
    figures = [extra for extra in (*info.metadata, *extras) if isinstance(extra, Figure)]
    shape = cell_shape(annotation)
    role: Role = "figure"
    if issubclass(model, Group) and key in ("outcome", "cause"):
        role = "outcome" if key == "outcome" else "cause"
    return Column(
        name=f"{prefix}.{key}",
        shape=shape,
        role=role,
        meaning=info.description or None,
        figure=figures[0] if figures else None,
        dump=dump_of(annotation, shape),
        load=load_of(annotation, shape),
        model=model,
    )


def _value_of_unscored(column: Column) -> str | None:
    if column.role == "outcome":
        return Outcome.NOT_SCORED.value
    if column.role == "cause":
        return Cause.METRIC_ERROR.value
    return None
