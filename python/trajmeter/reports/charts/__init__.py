"""Charts of reports: turns plain data into SVG that follows the page's light or dark colours."""

from __future__ import annotations

from trajmeter.reports.charts.drawing import draw, standalone, stylesheet
from trajmeter.reports.charts.models import (
    Chart,
    Curve,
    CurveChart,
    DistributionChart,
    Grid,
    Interval,
    IntervalChart,
    IntervalGroup,
    Point,
    ScatterChart,
    Series,
    Stack,
    StackChart,
)

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
    "draw",
    "standalone",
    "stylesheet",
]
