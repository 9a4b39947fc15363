"""Options shared by commands on results tables, and the parsing of their values."""

from __future__ import annotations

from enum import Enum
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Better",
    "Cluster",
    "Duplicates",
    "Figures",
    "Interval",
    "IntervalName",
    "Level",
    "MixedSettings",
    "Ranges",
    "Resamples",
    "ResultFiles",
    "Seed",
    "Success",
    "WhichDuplicate",
    "directions",
    "kept_duplicate",
    "margins",
    "number",
    "ranges",
]

INTERVAL_PANEL = "Intervals"
READING_PANEL = "Reading"


class IntervalName(str, Enum):
    """How intervals are computed."""

    AUTO = "auto"
    """Chosen by the values: Wilson for booleans, otherwise Student's t."""
    T = "t"
    """Student's t."""
    BOOTSTRAP = "bootstrap"
    """Bootstrap over clusters."""
    WILSON = "wilson"
    """Wilson's score interval, for booleans."""


class WhichDuplicate(str, Enum):
    """Which of equal attempts counts."""

    FIRST = "first"
    """The first."""
    LAST = "last"
    """The last."""


ResultFiles = Annotated[
    list[Path],
    typer.Argument(
        exists=True,
        metavar="RESULTS",
        show_default=False,
        help="Results tables that trajmeter score wrote (JSON lines, CSV or Parquet).",
    ),
]
Figures = Annotated[
    list[str] | None,
    typer.Option(
        "--figure",
        metavar="PATTERN",
        show_default=False,
        help="Figures by name, short name (context.line.f1) or pattern ('context.final.*'); "
        "default: all with a direction. May be repeated.",
    ),
]
Success = Annotated[
    str | None,
    typer.Option(
        metavar="FIGURE",
        show_default=False,
        help="Add pass@k and pass^k. A success is a true figure, or 'FIGURE>=0.8'.",
    ),
]
Interval = Annotated[
    IntervalName,
    typer.Option(rich_help_panel=INTERVAL_PANEL, help="Method of the intervals."),
]
Level = Annotated[
    float,
    typer.Option(
        min=0.0,
        max=1.0,
        metavar="SHARE",
        rich_help_panel=INTERVAL_PANEL,
        help="Confidence level of the intervals.",
    ),
]
Cluster = Annotated[
    str,
    typer.Option(
        metavar="COLUMN",
        rich_help_panel=INTERVAL_PANEL,
        help="Treat rows with the same value as dependent; use a coarser column, such as the "
        "repository, if tasks share code.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", rich_help_panel=INTERVAL_PANEL, help="Seed for the random draws."
    ),
]
Resamples = Annotated[
    int,
    typer.Option(min=1, metavar="N", rich_help_panel=INTERVAL_PANEL, help="Bootstrap replicates."),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="FIGURE=LOW..HIGH",
        show_default=False,
        rich_help_panel=READING_PANEL,
        help="Range of a figure that declares none; either end may be omitted. May be repeated.",
    ),
]
Better = Annotated[
    list[str] | None,
    typer.Option(
        "--better",
        metavar="FIGURE=higher|lower",
        show_default=False,
        rich_help_panel=READING_PANEL,
        help="Direction of a figure that declares none. May be repeated.",
    ),
]
Duplicates = Annotated[
    WhichDuplicate | None,
    typer.Option(
        show_default=False,
        rich_help_panel=READING_PANEL,
        help="Which of several equal attempts to count (default: they are an error).",
    ),
]
MixedSettings = Annotated[
    bool,
    typer.Option(
        "--mixed-settings",
        rich_help_panel=READING_PANEL,
        help="Allow several versions or settings of one metric.",
    ),
]


def number(text: str, option: str) -> float:
    """Parse a number; one with a percent sign is divided by 100.

    Raises:
        ConfigurationError: It is not a number.
    """
    try:
        value = float(text[:-1]) / 100.0 if text.endswith("%") else float(text)
    except ValueError:
        value = nan
    if isnan(value):
        raise ConfigurationError(f"{option} {text}: expected a number")
    return value


def named(values: Sequence[str] | None, option: str, expected: str = "VALUE") -> dict[str, str]:
    """Parse values given per figure.

    Raises:
        ConfigurationError: One has no figure, or one figure has two.
    """
    by_figure: dict[str, str] = {}
    for value in values or ():
        name, sign, text = value.rpartition("=")
        if not sign or not name or not text:
            raise ConfigurationError(f"{option} {value}: expected FIGURE={expected}")
        if name in by_figure:
            raise ConfigurationError(f"{option}: {name} is given twice")
        by_figure[name] = text
    return by_figure


def ranges(values: Sequence[str] | None) -> dict[str, tuple[float | None, float | None]]:
    """Parse the values of ``--range``.

    Raises:
        ConfigurationError: One is not a range.
    """
    by_figure = {}
    for name, text in named(values, "--range", "LOW..HIGH").items():
        low, dots, high = text.partition("..")
        if not dots:
            raise ConfigurationError(f"--range {name}={text}: expected FIGURE=LOW..HIGH")
        ends = [number(end, "--range") if end.strip() else None for end in (low, high)]
        by_figure[name] = (ends[0], ends[1])
    return by_figure


def directions(values: Sequence[str] | None) -> dict[str, str]:
    """Parse the values of ``--better``."""
    return named(values, "--better", "higher|lower")


def margins(values: Sequence[str] | None) -> float | dict[str, float] | None:
    """Parse the values of ``--margin``: one for all figures, or one per figure.

    Raises:
        ConfigurationError: One is not a number, or there are several for all.
    """
    if not values:
        return None
    plain = [value for value in values if "=" not in value]
    if plain and len(values) > 1:
        raise ConfigurationError("--margin accepts one number, or FIGURE=NUMBER for each figure")
    if plain:
        return number(plain[0], "--margin")
    return {name: number(text, "--margin") for name, text in named(values, "--margin").items()}


def kept_duplicate(which: WhichDuplicate | None) -> Literal["first", "last"] | None:
    """Which duplicate attempt counts."""
    if which is None:
        return None
    return "first" if which is WhichDuplicate.FIRST else "last"
