"""Renders any chart as markup."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from trajmeter.reports.charts.curves import draw_curves
from trajmeter.reports.charts.distributions import draw_distributions
from trajmeter.reports.charts.grids import draw_grid
from trajmeter.reports.charts.intervals import draw_intervals
from trajmeter.reports.charts.models import (
    CurveChart,
    DistributionChart,
    IntervalChart,
    ScatterChart,
    StackChart,
)
from trajmeter.reports.charts.scatter import draw_scatter
from trajmeter.reports.charts.stacks import draw_stacks
from trajmeter.reports.charts.svg import tag
from trajmeter.reports.html import escape

if TYPE_CHECKING:
    from trajmeter.reports.charts.models import Chart

__all__ = ["draw", "standalone", "stylesheet"]

_MARGIN = 12
"""Margin around a chart without a frame."""
_VIEW = re.compile(r'viewBox="0 0 (\S+) (\S+)"')


def draw(chart: Chart) -> str:
    """Render a chart as a ``<figure>``, coloured by the custom properties of :func:`stylesheet`.

    Args:
        chart: The chart; all text in it is escaped.
    """
    return tag("figure", tag("figcaption", escape(chart.title)), _svg(chart))


def standalone(chart: Chart) -> str:
    """Render a chart as a separate SVG file, which follows the reader's light or dark mode."""
    framed = _VIEW.sub(
        lambda size: (
            f'viewBox="{-_MARGIN} {-_MARGIN} {float(size[1]) + 2 * _MARGIN:g} '
            f'{float(size[2]) + 2 * _MARGIN:g}"'
        ),
        _svg(chart),
        count=1,
    )
    start, end, rest = framed.partition(">")
    ground = tag("rect", class_="ground", x=-_MARGIN, y=-_MARGIN, width="100%", height="100%")
    return f"{start}{end}{tag('style', stylesheet())}{ground}{rest}\n"


@cache
def stylesheet() -> str:
    """The style sheet: colours of pages and charts, and styles of charts."""
    return resources.files("trajmeter.reports.charts").joinpath("charts.css").read_text("utf-8")


def _svg(chart: Chart) -> str:
    if isinstance(chart, IntervalChart):
        return draw_intervals(chart)
    if isinstance(chart, ScatterChart):
        return draw_scatter(chart)
    if isinstance(chart, DistributionChart):
        return draw_distributions(chart)
    if isinstance(chart, CurveChart):
        return draw_curves(chart)
    if isinstance(chart, StackChart):
        return draw_stacks(chart)
    return draw_grid(chart)
