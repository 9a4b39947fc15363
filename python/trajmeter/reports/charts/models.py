"""The data of charts, independent of how they are drawn."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

__all__ = [
    "Chart",
    "Curve",
    "CurveChart",
    "DistributionChart",
    "Grid",
    "Interval",
    "IntervalChart",
    "IntervalGroup",
    "Point",
    "ScatterChart",
    "Series",
    "Stack",
    "StackChart",
]


class Interval(NamedTuple):
    """A value and its uncertainty: a dot with a line through it."""

    label: str
    """Name of the system or other subject with the value."""
    value: float | None
    """The value; no dot is drawn for ``None``."""
    low: float | None = None
    """Lower limit; ``None`` for none."""
    high: float | None = None
    """Upper limit."""
    remark: str = ""
    """Short text that replaces a missing value or follows the value, such as ``68/72``."""
    is_best: bool = False
    """Whether it is marked as the best of its group."""
    series: int = 0
    """Number of the colour, from 0; a system has the same colour in all charts of a report."""


class IntervalGroup(NamedTuple):
    """Intervals under one heading."""

    heading: str
    """Their common property, such as the figure; empty for no heading."""
    intervals: tuple[Interval, ...]
    """The intervals, from top to bottom."""


class IntervalChart(NamedTuple):
    """Dots and intervals on one axis, which need not start at zero.

    Used for means with their limits, differences (``reference`` 0), speedups by level
    (``is_ratio``, ``reference`` 1), and repeats with their deviation.
    """

    title: str
    """Heading."""
    groups: tuple[IntervalGroup, ...]
    """Groups, from top to bottom."""
    axis: str
    """Label of the axis, with its unit."""
    reference: float | None = None
    """Value at which a reference line is drawn, such as no difference."""
    is_ratio: bool = False
    """Whether the axis is logarithmic."""
    low_end: float | None = None
    """Value at which the axis starts; ``None`` to fit the values."""
    high_end: float | None = None
    """Value at which it ends."""
    least: float | None = None
    """Minimum possible value: an interval below it is cut there, and ends in an arrow."""
    greatest: float | None = None
    """Maximum possible value, likewise."""


class Point(NamedTuple):
    """A system with two figures."""

    label: str
    """Name of the system."""
    x: float
    """Value on the x axis, such as its cost."""
    y: float
    """Value on the y axis, such as its quality."""
    y_low: float | None = None
    """Lower limit of ``y``."""
    y_high: float | None = None
    """Upper limit of ``y``."""
    series: int = 0
    """Number of the colour."""
    part: str = ""
    """Attempts that ``x`` covers, if not all, such as ``40/80``; the point is then hollow."""


class ScatterChart(NamedTuple):
    """One figure plotted against another, with the name of each system next to its point."""

    title: str
    """Heading."""
    points: tuple[Point, ...]
    """The systems."""
    x_axis: str
    """Label of the x axis, with its unit."""
    y_axis: str
    """Label of the y axis, with its unit."""
    is_ratio: bool = False
    """Whether the x axis is logarithmic, if all values are above zero."""


class Series(NamedTuple):
    """Values of one system."""

    label: str
    """Name of the system."""
    values: tuple[float, ...]
    """One value per task or attempt, in any order."""
    names: tuple[str, ...] = ()
    """Name of the task or attempt of each value; empty if unknown."""
    series: int = 0
    """Number of the colour."""


class DistributionChart(NamedTuple):
    """Distribution of values: dots for few values, or a histogram for many."""

    title: str
    """Heading."""
    series: tuple[Series, ...]
    """Systems, from top to bottom, on one axis."""
    axis: str
    """Label of the axis, with its unit."""
    noun: str = "tasks"
    """Noun for the counted items."""
    low_end: float | None = None
    """Value at which the axis starts."""
    high_end: float | None = None
    """Value at which it ends."""


class Curve(NamedTuple):
    """A line, with a band if limits are given."""

    label: str
    """Name of the system."""
    xs: tuple[float, ...]
    """Values on the x axis, ascending."""
    ys: tuple[float, ...]
    """Values on the y axis."""
    lows: tuple[float, ...] = ()
    """Lower edge of the band; empty for no band."""
    highs: tuple[float, ...] = ()
    """Upper edge of the band."""
    series: int = 0
    """Number of the colour."""


class CurveChart(NamedTuple):
    """Lines on a common axis: coverage by step, or share of tasks solved within n turns."""

    title: str
    """Heading."""
    curves: tuple[Curve, ...]
    """The lines."""
    x_axis: str
    """Label of the x axis."""
    y_axis: str
    """Label of the y axis."""
    is_step: bool = False
    """Whether a value applies until the next one, as for cumulative counts."""
    low_end: float | None = 0.0
    """Value at which the y axis starts."""
    high_end: float | None = None
    """Value at which it ends."""


class Stack(NamedTuple):
    """Counts of one system by cause."""

    label: str
    """Name of the system."""
    counts: dict[str, int]
    """Count of each cause."""


class StackChart(NamedTuple):
    """Counts by cause, one bar per system; a cause has the same colour in all bars."""

    title: str
    """Heading."""
    stacks: tuple[Stack, ...]
    """Bars, from top to bottom."""
    axis: str
    """Label of the axis: the noun for the counted items."""


class Grid(NamedTuple):
    """A value for each system and question, as a shade and a number."""

    title: str
    """Heading."""
    rows: tuple[str, ...]
    """Systems."""
    columns: tuple[str, ...]
    """Questions or tasks."""
    values: tuple[tuple[float | None, ...], ...]
    """One row per system; a cell is empty for ``None``."""
    low_end: float
    """Value of the lightest shade."""
    high_end: float
    """Value of the darkest shade."""


Chart: TypeAlias = (
    "IntervalChart | ScatterChart | DistributionChart | CurveChart | StackChart | Grid"
)
