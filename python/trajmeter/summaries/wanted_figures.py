"""Selects the requested figures of results tables, with their declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.metrics._result import read_range
from trajmeter.metrics.figure_names import matching_figures
from trajmeter.metrics.figures import FigureInfo, figures_in_metadata, registered_figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.readers.results import ResultsTable
    from trajmeter.summaries.options import Reading

__all__ = ["IDENTITY", "NUMERIC", "chosen_figures", "declared_figures", "known_figures"]

NUMERIC = ("boolean", "integer", "number")
"""Types of columns whose values can be figures."""
IDENTITY = ("task_id", "agent", "model", "attempt", "source", "backend")
"""Columns that identify an attempt, or say how it was scored."""
"""Columns that are not figures."""


def known_figures(
    tables: Sequence[ResultsTable], columns: Sequence[str], reading: Reading
) -> dict[str, FigureInfo]:
    """All figures of some tables, with their declarations.

    Args:
        tables: The tables.
        columns: Their columns.
        reading: Declarations about figures.

    Raises:
        UnknownNameError: No table has a figure that a declaration names.
        ConfigurationError: A declaration is wrong.
    """
    declared = declared_figures(tables, columns)
    known = {}
    requested = _requested(reading)
    for name in columns:
        info = declared.get(name)
        kinds = [table.columns[name] for table in tables if name in table.columns]
        if info is None:
            # The first rows of a text format may not tell the type of a column.
            is_figure = any(kind in NUMERIC for kind in kinds) or (
                name in requested and set(kinds) == {"unknown"}
            )
            if name in IDENTITY or not is_figure or _is_version(name):
                continue
            is_boolean = {"boolean"} <= set(kinds) <= {"boolean", "other", "unknown"}
            info = FigureInfo(kind="boolean", low=0.0, high=1.0) if is_boolean else FigureInfo()
        known[name] = info
    for option, names in (("--range", reading.ranges), ("--better", reading.better)):
        for name in names:
            (column,) = matching_figures([name], known)[:1]
            known[column] = _declared(known[column], name, option, reading)
    return known


def declared_figures(
    tables: Sequence[ResultsTable], columns: Iterable[str]
) -> dict[str, FigureInfo]:
    """What is declared of columns: by the first table that describes one, or else by its metric.

    Args:
        tables: The tables.
        columns: Their columns; those without a declaration are left out.
    """
    described: dict[str, FigureInfo] = {}
    for table in tables:
        described = figures_in_metadata(table.metadata.get("trajmeter.figures", "{}")) | described
    declared = {}
    for name in columns:
        info = described.get(name) or registered_figures(name.partition(".")[0]).get(name)
        if info is not None:
            declared[name] = info
    return declared


def _is_version(name: str) -> bool:
    """Whether a column holds the version of a metric, which looks like a number in CSV."""
    return name == f"{name.partition('.')[0]}.version"


def _requested(reading: Reading) -> set[str]:
    """Names of figures in the options."""
    success = () if reading.success is None else (reading.success.figure,)
    return {
        *(reading.figures or ()),
        *reading.extra_figures,
        *reading.ranges,
        *reading.better,
        *success,
    }


def _declared(info: FigureInfo, name: str, option: str, reading: Reading) -> FigureInfo:
    if option == "--better":
        direction = reading.better[name]
        if direction not in ("higher", "lower"):
            raise ConfigurationError(f"--better {name}={direction}: expected higher or lower")
        return info.model_copy(update={"higher_is_better": direction == "higher"})
    ends = reading.ranges[name]
    try:
        low, high = read_range(*ends)
    except ConfigurationError as error:
        shown = "..".join("" if end is None else str(end) for end in ends)
        raise ConfigurationError(f"--range {name}={shown}: {error}") from error
    return info.model_copy(update={"low": low, "high": high})


def chosen_figures(known: dict[str, FigureInfo], reading: Reading) -> tuple[list[str], list[str]]:
    """The requested figures, and all figures to read.

    Raises:
        UnknownNameError: No table has a requested figure.
        ConfigurationError: None is requested, and none has a direction.
    """
    if reading.figures is not None:
        wanted = matching_figures(reading.figures, known)
    else:
        wanted = [name for name, info in known.items() if info.higher_is_better is not None]
    extra = matching_figures(reading.extra_figures, known)
    if reading.success is not None:
        extra += matching_figures([reading.success.figure], known)
    if not wanted and not extra:
        raise ConfigurationError(
            "no figure of the tables has a direction; name figures with --figure, or say which "
            f"end is better with --better. There are: {', '.join(known) or 'none'}. If these are "
            "logs, score them first: trajmeter score LOGS -o scores.parquet"
        )
    return wanted, [name for name in known if name in {*wanted, *extra}]
