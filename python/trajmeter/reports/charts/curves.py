"""Lines over a common axis, with their bands."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from trajmeter.reports.cells import amount
from trajmeter.reports.charts.axes import AXIS_HEIGHT, horizontal_axis, legend, mark, vertical_axis
from trajmeter.reports.charts.scales import drawable, scale_of, tick_labels
from trajmeter.reports.charts.svg import HEIGHT, WIDTH, coloured, drawing, tag, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.reports.charts.models import Curve, CurveChart
    from trajmeter.reports.charts.scales import Scale

__all__ = ["draw_curves"]

_TITLE = 30.0
"""Height for the title of the vertical axis."""
_FEW = 12
"""Maximum number of points marked individually; with more, marks would merge into a band."""


def draw_curves(chart: CurveChart) -> str:
    """Draw lines with their bands; values that are not finite are omitted."""
    entries = [(coloured(each.series), each.label) for each in chart.curves]
    names, names_height = legend(entries, 0, is_line=True)
    top = names_height + _TITLE
    bottom = top + HEIGHT - AXIS_HEIGHT - _TITLE
    heights = [y for each in chart.curves for y in (*each.ys, *each.lows, *each.highs)]
    upwards = scale_of(heights, bottom, top, low_end=chart.low_end, high_end=chart.high_end)
    numbers = tick_labels(upwards.ticks(round((bottom - top) / 45)))
    left = max(map(width_of, numbers), default=0.0) + 10
    xs = [x for each in chart.curves for x in each.xs]
    low, high = (min(xs), max(xs)) if xs else (None, None)
    is_whole = all(float(x).is_integer() for x in xs)
    across = scale_of(xs, left, WIDTH - 8, low_end=low, high_end=high)
    parts = [
        names,
        vertical_axis(upwards, chart.y_axis, left, WIDTH),
        horizontal_axis(across, chart.x_axis, top, bottom, is_whole=is_whole),
    ]
    parts += [_band(each, across, upwards, is_step=chart.is_step) for each in chart.curves]
    facts = []
    for each in chart.curves:
        points = [(x, y) for x, y in zip(each.xs, each.ys, strict=True) if drawable(y)]
        facts.append(_fact(each.label, points, chart.x_axis))
        places = [(across.at(x), upwards.at(y)) for x, y in points]
        shapes = tag("path", class_="curve", d=_path(places, is_step=chart.is_step))
        if len(places) <= _FEW and not chart.is_step:
            shapes += "".join(tag("circle", class_="fill", cx=x, cy=y, r=3) for x, y in places)
        parts.append(mark(each.series, [facts[-1]], shapes) if places else "")
    return drawing(chart.title, facts, bottom + AXIS_HEIGHT, parts)


def _fact(name: str, points: list[tuple[float, float]], axis: str) -> str:
    if not points:
        return f"{name}: no values"
    (first_x, first), (last_x, last) = points[0], points[-1]
    return f"{name}: {amount(first)} at {axis} {first_x:g}, {amount(last)} at {last_x:g}"


def _band(curve: Curve, across: Scale, upwards: Scale, *, is_step: bool) -> str:
    if not curve.lows or not curve.highs:
        return ""
    edges = [
        (across.at(x), upwards.at(low), upwards.at(high))
        for x, low, high in zip(curve.xs, curve.lows, curve.highs, strict=True)
        if drawable(low) and drawable(high)
    ]
    upper = _corners([(x, high) for x, _, high in edges], is_step=is_step)
    lower = _corners([(x, low) for x, low, _ in edges], is_step=is_step)
    path = _path([*upper, *reversed(lower)], is_step=False)
    return tag("path", class_=f"band {coloured(curve.series)}", d=f"{path}Z") if edges else ""


def _path(places: Iterable[tuple[float, float]], *, is_step: bool) -> str:
    corners = _corners(list(places), is_step=is_step)
    return "".join(f"{'L' if n else 'M'}{x:.1f} {y:.1f}" for n, (x, y) in enumerate(corners))


def _corners(places: list[tuple[float, float]], *, is_step: bool) -> list[tuple[float, float]]:
    """Corners of a line; a step line keeps its height until the next point."""
    if not is_step:
        return places
    corners = places[:1]
    for (_, before), (x, y) in pairwise(places):
        corners += [(x, before), (x, y)]
    return corners
