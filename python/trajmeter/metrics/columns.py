"""Columns of a metric: the figures of its result, named by dotted path, and their values."""

from __future__ import annotations

import json
import reprlib
from dataclasses import dataclass, field
from functools import lru_cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from trajmeter.errors import ConfigurationError, InputError, format_exception
from trajmeter.metrics._result import Figure, Group, MetricError
from trajmeter.metrics._values import picked, values_at
from trajmeter.metrics.cells import cell_shape, dump_of, load_of
from trajmeter.metrics.groups import chosen_groups, models
from trajmeter.records import Cause, Outcome
from trajmeter.records.record import field_descriptions
from trajmeter.shapes import Shape, bare, is_model

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pydantic import BaseModel
    from pydantic.fields import FieldInfo

    from trajmeter.metrics._protocol import AnyMetric
    from trajmeter.metrics._result import Result

__all__ = [
    "Column",
    "FamilyColumns",
    "FigureGroup",
    "Role",
]

Role: TypeAlias = Literal["figure", "outcome", "cause", "about"]

TEXT = Shape("text")

_LEAST, _MOST = -(2**63), 2**63 - 1
"""Integers that a column can hold."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a results table; a value may always be missing."""

    name: str
    """Dotted path."""
    shape: Shape
    """Kind of its values: scalars, lists or mappings of scalars, mappings of records, or JSON."""
    role: Role = "about"
    """What it describes: a figure, a group's outcome, or the attempt and the metric."""
    meaning: str | None = None
    """Meaning of the column, if no docstring states it."""
    figure: Figure | None = None
    """Range, direction and unit of a figure."""
    dump: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)
    """Converts a field's value to the row's value; ``None`` if they are the same."""
    load: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)
    """Converts a value of an Arrow column to the field's value; ``None`` if they are the same."""
    model: type[BaseModel] | None = field(default=None, compare=False, repr=False)
    """Model of the field, whose docstring says what the column means."""

    @property
    def description(self) -> str | None:
        """Meaning of the column; docstrings are read from the source on demand."""
        if self.meaning is not None or self.model is None:
            return self.meaning
        return _descriptions(self.model).get(self.name.rpartition(".")[2])


_descriptions = lru_cache(maxsize=256)(field_descriptions)
"""Meaning of the fields of a model, which every part of a run needs for its columns."""


class FigureGroup(NamedTuple):
    """Figures that are scored together, and their position in the table."""

    name: str
    """Dotted path of the group."""
    paths: tuple[str, ...]
    """Attribute path of each column in the result."""
    columns: tuple[Column, ...]
    """Its columns, outcome and cause first if it has them."""
    offset: int
    """Position of its first column in the table."""
    has_outcome: bool
    """Whether the first two columns are outcome and cause."""


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
        self.error_position = offset + len(about) - 1
        self._own = own = _own_columns(
            name, metric.result_type, chosen_groups(metric), offset + len(about)
        )
        self.groups = own.groups
        self.figures = own.columns
        self.columns = (*about, *own.columns)

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
            return [self._version, self.parameters, result.message, *self._own.unscored]
        try:
            own = self._own
            values = own.get(result)
            for position, dump in own.dumps:
                value = values[position]
                if value is not None:
                    values[position] = dump(value)
            fits = _fit(own.integers_of(values))
            for position in own.of_integers:
                fits = fits and _fit(_items(values[position]))
        except Exception as error:
            raise InputError(self._refusal(result)) from error
        if not fits:
            raise InputError(self._refusal(result))
        return [self._version, self.parameters, None, *values]

    def _refusal(self, result: Result) -> str:
        """Which value of a result does not fit its column."""
        for position, (path, column) in enumerate(zip(self._own.paths, self.figures, strict=True)):
            try:
                value = attrgetter(path)(result)
                if column.dump and value is not None:
                    value = column.dump(value)
                is_one = position in self._own.integers
                integers = [value] if is_one else []
                if position in self._own.of_integers:
                    integers = [*_items(value)]
                for integer in integers:
                    if not _fit([integer]):
                        shown = f"{'is' if is_one else 'holds'} {reprlib.repr(integer)}"
                        return f"{column.name} {shown}, expected an integer of 64 bits"
            except Exception as error:  # noqa: BLE001 - a value may be of any class
                return f"{column.name} cannot be written: {format_exception(error)}"
        return f"the result of {self.name} cannot be written"


class _OwnColumns(NamedTuple):
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
def _own_columns(
    name: str, result_type: type[Result], chosen: tuple[str, ...], offset: int
) -> _OwnColumns:
    """Columns of a result, which depend only on its model.

    Deriving them takes milliseconds, and a harness needs them for every attempt it scores.
    """
    groups = _figure_groups(name, result_type, chosen=chosen, offset=offset)
    own = tuple(column for group in groups for column in group.columns)
    paths = [path for group in groups for path in group.paths]
    integers = [position for position, column in enumerate(own) if column.shape.kind == "integer"]
    return _OwnColumns(
        groups=groups,
        columns=own,
        paths=paths,
        get=values_at(paths),
        integers=integers,
        integers_of=picked(integers),
        of_integers=[
            position
            for position, column in enumerate(own)
            if column.shape.item is not None and column.shape.item.kind == "integer"
        ],
        dumps=[(position, column.dump) for position, column in enumerate(own) if column.dump],
        unscored=[_value_of_unscored(column) for column in own],
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
        own = [
            (key, info) for key, info in model.model_fields.items() if not is_model(info.annotation)
        ]
        if not own:
            continue
        prefix = ".".join((name, *path))
        columns = tuple(_column(prefix, key, info, model) for key, info in own)
        groups.append(
            FigureGroup(
                name=prefix,
                paths=tuple(".".join((*path, key)) for key, _ in own),
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


def _value_of_unscored(column: Column) -> str | None:
    if column.role == "outcome":
        return Outcome.NOT_SCORED.value
    if column.role == "cause":
        return Cause.METRIC_ERROR.value
    return None
