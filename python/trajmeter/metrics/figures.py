"""Figures by name: the meaning of columns of a results table, and short names.

A Parquet table has this information in its schema metadata; for other tables it comes from the
metric whose name begins the column.
"""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from pydantic import ConfigDict, TypeAdapter, ValidationError

from trajmeter.errors import TrajmeterError, UnknownNameError
from trajmeter.metrics._result import Figure
from trajmeter.metrics.columns import FamilyColumns
from trajmeter.records.record import LazyModel, frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from trajmeter.metrics.column import FigureGroup
    from trajmeter.metrics.rows import RowLayout

__all__ = [
    "FigureInfo",
    "figure_metadata",
    "figures_in_metadata",
    "figures_of_layout",
    "full_name",
    "listed_figures",
    "matching_figures",
    "principal_figures",
    "registered_figures",
    "short_name",
]

NumericKind: TypeAlias = Literal["boolean", "integer", "number"]

_NUMERIC: dict[str, NumericKind] = {
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
}
_MAGIC = r"[*?\[]"
_SHOWN = 12


class _Short(NamedTuple):
    """How to expand short names of figures."""

    short: str
    """Pattern of the short names; compiled when it is first used."""
    full: str


# The final context comes first; for what was seen on the way, lines come first.
_SHORT_NAMES = (
    _Short(r"tools\.(f1|precision|recall)", r"tools.any_order_grades.\1"),
    _Short(r"context\.(auc_coverage|redundancy)", r"context.trajectory.line.\1"),
    _Short(r"context\.(file|symbol|span|line)\.(\w+)", r"context.final.\1.\2"),
    _Short(r"rules\.(\w+)", r"rules.\1.score"),
    _Short(r"turns\.(turn_count)", r"turns.run.\1"),
    _Short(r"(\w+)", r"\1.value"),  # a function's figure
)


_SHORT_FORMS = {
    r"tools\.any_order_grades\.(f1|precision|recall)": r"tools.\1",
    r"context\.trajectory\.line\.(auc_coverage|redundancy)": r"context.\1",
    r"context\.final\.(file|symbol|span|line)\.(\w+)": r"context.\1.\2",
    r"rules\.(\w+)\.score": r"rules.\1",
    r"turns\.run\.(turn_count)": r"turns.\1",
    r"(\w+)\.value": r"\1",
}
"""Columns with their short names: the reverse of :data:`_SHORT_NAMES`."""

# The principal figures of each family: a report leads with the first that a table has.
_PRINCIPAL = (
    "context.final.line.f1",
    "context.final.file.f1",
    "speedup.task_speedup",
    "turns.run.passed",
    "rules.assertion_pass_rate.score",
    "tools.any_order_grades.f1",
    "answers.retrieval.recall",
    "answers.hops.coverage",
)


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


def full_name(name: str, known: Collection[str]) -> str | None:
    """Resolve a column or short name to a column; ``None`` if there is none.

    Args:
        name: A column, or the short name of a figure.
        known: The columns.

    Example:
        >>> full_name("context.line.f1", ["context.final.line.f1"])
        'context.final.line.f1'
    """
    if name in known:
        return name
    for short in _SHORT_NAMES:
        if re.fullmatch(short.short, name):
            full = re.sub(short.short, short.full, name)
            if full in known:
                return full
    return None


def short_name(column: str) -> str:
    """The shortest name by which a figure can be requested.

    Example:
        >>> short_name("context.final.line.f1"), short_name("turns.run.passed")
        ('context.line.f1', 'turns.run.passed')
    """
    for short, full in _SHORT_FORMS.items():
        found = re.fullmatch(short, column)
        if found:
            return found.expand(full)
    return column


def principal_figures(figures: Iterable[str]) -> list[str]:
    """The figure of each family that a report leads with, in family order.

    Args:
        figures: Columns, in order. If none of a family's principal figures is included here, the
            family is skipped, unless it is the only one.

    Example:
        >>> principal_figures(["context.final.file.f1", "context.final.line.f1", "mine.score"])
        ['context.final.line.f1', 'mine.score']
    """
    names = [*figures]
    known = {name.partition(".")[0] for name in _PRINCIPAL}
    chosen = []
    for family in dict.fromkeys(name.partition(".")[0] for name in names):
        own = [name for name in names if name.partition(".")[0] == family]
        leading = [name for name in _PRINCIPAL if name in own]
        if leading or family not in known:
            chosen.append((leading or own)[0])
    return chosen or names[:1]


def listed_figures(figures: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Requested figures as a tuple; a single name or pattern becomes a tuple of one.

    Example:
        >>> listed_figures("context.line.f1"), listed_figures(["a", "b"]), listed_figures(None)
        (('context.line.f1',), ('a', 'b'), None)
    """
    if figures is None:
        return None
    return (figures,) if isinstance(figures, str) else tuple(figures)


def matching_figures(patterns: Iterable[str], known: Collection[str]) -> list[str]:
    """Columns that match names and patterns, in column order without repeats.

    Args:
        patterns: Columns, short names of figures, or shell-style patterns.
        known: The columns of figures, in order.

    Raises:
        UnknownNameError: A name or pattern matches no column; the nearest are named.
    """
    found: set[str] = set()
    for pattern in patterns:
        own = full_name(pattern, known)
        if own is not None:
            found.add(own)
            continue
        matched = {
            name
            for name in known
            if fnmatchcase(name, pattern) or fnmatchcase(short_name(name), pattern)
        }
        if not matched:
            raise UnknownNameError(_unknown(pattern, known))
        found |= matched
    return [name for name in known if name in found]


def _unknown(pattern: str, known: Collection[str]) -> str:
    message = f"no figure {pattern!r}"
    if re.search(_MAGIC, pattern):
        message = f"no figure matches {pattern!r}"
    names = dict.fromkeys(name for column in known for name in (short_name(column), column))
    close = get_close_matches(pattern, names, n=1, cutoff=0.5)
    if close:
        return f"{message}; did you mean {close[0]!r}?"
    listed = ", ".join([*known][:_SHOWN]) + (" …" if len(known) > _SHOWN else "")
    return f"{message}; there are: {listed or 'none'}"
