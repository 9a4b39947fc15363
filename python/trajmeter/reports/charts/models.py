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
    """A value and how sure it is: a dot with a line through it."""

    label: str
    """What has the value, such as a system."""
    value: float | None
    """The value; ``None`` draws no dot, never one at zero."""
    low: float | None = None
    """Lower limit; ``None`` for none."""
    high: float | None = None
    """Upper limit."""
    remark: str = ""
    """A few words in place of a value that is missing, or after the value, such as ``68/72``."""
    is_best: bool = False
    """Whether it is marked as the best of its group."""
    series: int = 0
    """Which colour, from 0: a system keeps its own in all charts of a report."""


class IntervalGroup(NamedTuple):
    """Intervals under one heading."""

    heading: str
    """What they have in common, such as the figure; empty for no heading."""
    intervals: tuple[Interval, ...]
    """The intervals, downwards."""


class IntervalChart(NamedTuple):
    """Dots and intervals on one axis, which need not begin at zero.

    Means with their limits, differences (``reference`` 0), speedups by level (``is_ratio``,
    ``reference`` 1), and repeats with their deviation.
    """

    title: str
    """Heading."""
    groups: tuple[IntervalGroup, ...]
    """Groups, downwards."""
    axis: str
    """What the axis shows, with its unit."""
    reference: float | None = None
    """Where a line is drawn that values are read against, such as no difference."""
    is_ratio: bool = False
    """Whether equal ratios are equally far apart."""
    low_end: float | None = None
    """Where the axis must begin; ``None`` to fit the values."""
    high_end: float | None = None
    """Where it must end."""
    least: float | None = None
    """Least value that is possible: an interval below it is cut there, and ends in an arrow."""
    greatest: float | None = None
    """Greatest value that is possible, likewise."""


class Point(NamedTuple):
    """A system, by two figures."""

    label: str
    """Name of the system."""
    x: float
    """To the right, such as its cost."""
    y: float
    """Upwards, such as its quality."""
    y_low: float | None = None
    """Lower limit of ``y``."""
    y_high: float | None = None
    """Upper limit of ``y``."""
    series: int = 0
    """Which colour."""
    part: str = ""
    """How much ``x`` covers if not everything, such as ``40/80``; the point is then hollow."""


class ScatterChart(NamedTuple):
    """One figure against another, with the name of each system beside its point."""

    title: str
    """Heading."""
    points: tuple[Point, ...]
    """The systems."""
    x_axis: str
    """Label of the x axis, with its unit."""
    y_axis: str
    """Label of the y axis, with its unit."""
    is_ratio: bool = False
    """Whether equal ratios are equally far apart to the right, if all are above zero."""


class Series(NamedTuple):
    """Values of one system."""

    label: str
    """Name of the system."""
    values: tuple[float, ...]
    """One for each task or attempt, in any order."""
    names: tuple[str, ...] = ()
    """What each value belongs to; empty if it is not known."""
    series: int = 0
    """Which colour."""


class DistributionChart(NamedTuple):
    """How values are spread: a strip of single values, or a histogram of many."""

    title: str
    """Heading."""
    series: tuple[Series, ...]
    """Systems, downwards, on one axis."""
    axis: str
    """What the values are, with their unit."""
    noun: str = "tasks"
    """What is counted."""
    low_end: float | None = None
    """Where the axis must begin."""
    high_end: float | None = None
    """Where it must end."""


class Curve(NamedTuple):
    """A line, with a band where limits are given."""

    label: str
    """Name of the system."""
    xs: tuple[float, ...]
    """Ascending."""
    ys: tuple[float, ...]
    """One for each."""
    lows: tuple[float, ...] = ()
    """Lower edge of the band; empty for no band."""
    highs: tuple[float, ...] = ()
    """Upper edge."""
    series: int = 0
    """Which colour."""


class CurveChart(NamedTuple):
    """Lines over a common axis: coverage by step, or share of tasks solved within n turns."""

    title: str
    """Heading."""
    curves: tuple[Curve, ...]
    """The lines."""
    x_axis: str
    """Label of the x axis."""
    y_axis: str
    """Label of the y axis."""
    is_step: bool = False
    """Whether a value holds until the next, as cumulative counts do."""
    low_end: float | None = 0.0
    """Where the axis upwards must begin."""
    high_end: float | None = None
    """Where it must end."""


class Stack(NamedTuple):
    """Counts of one system by cause."""

    label: str
    """Name of the system."""
    counts: dict[str, int]
    """By cause."""


class StackChart(NamedTuple):
    """Counts by cause, one bar for each system; a cause has one colour in all bars."""

    title: str
    """Heading."""
    stacks: tuple[Stack, ...]
    """Bars, downwards."""
    axis: str
    """What is counted."""


class Grid(NamedTuple):
    """A value for each system and question, as a shade and as a number."""

    title: str
    """Heading."""
    rows: tuple[str, ...]
    """Systems."""
    columns: tuple[str, ...]
    """Questions or tasks."""
    values: tuple[tuple[float | None, ...], ...]
    """A row for each system; ``None`` leaves its cell empty."""
    low_end: float
    """Value of the lightest shade."""
    high_end: float
    """Value of the darkest."""


Chart: TypeAlias = (
    "IntervalChart | ScatterChart | DistributionChart | CurveChart | StackChart | Grid"
)
