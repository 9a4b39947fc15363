"""Plots one figure against another, with labels that do not overlap."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.reports.cells import amount
from trajmeter.reports.charts.axes import AXIS_HEIGHT, horizontal_axis, mark, vertical_axis
from trajmeter.reports.charts.intervals import limits_text
from trajmeter.reports.charts.scales import drawable, scale_of, tick_labels
from trajmeter.reports.charts.svg import (
    FONT_SIZE,
    HEIGHT,
    WIDTH,
    drawing,
    label,
    shortened,
    tag,
    width_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.reports.charts.models import Point, ScatterChart

__all__ = ["draw_scatter"]

_TOP = 30.0
_RADIUS = 6.0
_WIDEST_NAME, _WIDEST_OF_MANY = 200.0, 110.0
_MANY = 12
"""Number of points from which names are shortened more, so that more of them fit."""
_RINGS = 8
"""Distances from its point, in lines, at which a name may be placed; a name that does not fit is
shown only in the tooltip."""


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def lies_within(self, other: _Box) -> bool:
        return (
            other.left <= self.left
            and self.right <= other.right
            and other.top <= self.top
            and self.bottom <= other.bottom
        )


def draw_scatter(chart: ScatterChart) -> str:
    """Draw points with their names."""
    is_ratio = chart.is_ratio and all(drawable(each.x, is_ratio=True) for each in chart.points)
    shown = [each for each in chart.points if drawable(each.x) and drawable(each.y)]
    bottom = float(HEIGHT - AXIS_HEIGHT)
    ys = [end for each in shown for end in (each.y, each.y_low, each.y_high)]
    upwards = scale_of(ys, bottom, _TOP)
    numbers = tick_labels(upwards.ticks(round((bottom - _TOP) / 45)))
    left = max(map(width_of, numbers), default=0.0) + 10
    across = scale_of([each.x for each in shown], left, WIDTH - 8, is_ratio=is_ratio)
    places = [(across.at(each.x), upwards.at(each.y)) for each in shown]
    parts = [
        vertical_axis(upwards, chart.y_axis, left, WIDTH),
        horizontal_axis(across, chart.x_axis, _TOP, bottom),
    ]
    facts = [
        f"{each.label}: {chart.x_axis} {amount(each.x)}, {chart.y_axis} {amount(each.y)}"
        f"{limits_text(each.y_low, each.y_high)}"
        f"{f', {each.part} of it known' if each.part else ''}"
        for each in shown
    ]
    for each, fact, (x, y) in zip(shown, facts, places, strict=True):
        class_ = "hollow" if each.part else "fill"
        shapes = [tag("circle", class_=class_, cx=x, cy=y, r=_RADIUS)]
        if drawable(each.y_low) and drawable(each.y_high):
            ends = {"y1": upwards.at(each.y_low), "y2": upwards.at(each.y_high)}
            shapes.insert(0, tag("line", class_="interval", x1=x, x2=x, **ends))
        parts.append(mark(each.series, [fact], "".join(shapes)))
    lines = [
        _Box(x - 2, upwards.at(each.y_high), x + 2, upwards.at(each.y_low))
        for each, (x, _) in zip(shown, places, strict=True)
        if drawable(each.y_low) and drawable(each.y_high)
    ]
    parts += _names(shown, places, lines, _Box(left, _TOP - FONT_SIZE, WIDTH, bottom))
    return drawing(chart.title, facts, HEIGHT, parts)


def _names(
    points: Sequence[Point],
    places: Sequence[tuple[float, float]],
    lines: Sequence[_Box],
    within: _Box,
) -> Iterator[str]:
    reach = _RADIUS + 1
    taken = [_Box(x - reach, y - reach, x + reach, y + reach) for x, y in places]
    widest = _WIDEST_NAME if len(points) < _MANY else _WIDEST_OF_MANY
    for point, (x, y) in zip(points, places, strict=True):
        part = f" ({point.part})" if point.part else ""
        text = f"{shortened(point.label, widest)}{part}"
        width = width_of(text)
        free = [
            box
            for box in _boxes(x, y, width)
            if box.lies_within(within) and not any(map(box.overlaps, taken))
        ]
        box = next(
            (box for box in free if not any(map(box.overlaps, lines))), next(iter(free), None)
        )
        if box is not None:
            taken.append(box)
            if not _touches(box, x, y):
                near_x = min(max(x, box.left), box.right)
                near_y = box.bottom if box.bottom < y else max(y, box.top)
                yield tag("line", class_="leader", x1=x, y1=y, x2=near_x, y2=near_y)
            yield label(text, box.left, box.bottom - 4, class_="name")


def _boxes(x: float, y: float, width: float) -> Iterator[_Box]:
    """Possible positions of a name: next to, below and above its point, with growing distance."""
    line = FONT_SIZE + 4.0
    for ring in range(_RINGS):
        for side in (0, 1, -1) if not ring else (1, -1):
            middle = y + side * (ring * line + line * 0.9)
            for start in (x + _RADIUS + 3, x - _RADIUS - 3 - width, x - width / 2):
                if side or start != x - width / 2:
                    yield _Box(start, middle - line / 2, start + width, middle + line / 2)


def _touches(box: _Box, x: float, y: float) -> bool:
    across = max(box.left - x, x - box.right, 0.0)
    up = max(box.top - y, y - box.bottom, 0.0)
    return math.hypot(across, up) <= _RADIUS * 2.5
