"""Draws dots with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.cells import amount
from trajmeter.reports.charts.axes import AXIS_HEIGHT, horizontal_axis, mark
from trajmeter.reports.charts.scales import drawable, scale_of
from trajmeter.reports.charts.svg import FONT_SIZE, WIDTH, drawing, label, tag, width_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.reports.charts.models import Interval, IntervalChart
    from trajmeter.reports.charts.scales import Scale

__all__ = ["draw_intervals", "limits_text", "names_width"]

_ROW, _HEADING = 26, 28
_WIDEST_NAME, _WIDEST_VALUE = 190.0, 150.0
_GAP = 14
_ARROW = 7.0
"""Length of the arrow at the end of an interval that exceeds the possible range."""
_BOLD = 1.07
"""Width of bold text relative to normal text."""


def draw_intervals(chart: IntervalChart) -> str:
    """Draw dots and intervals downwards on one axis."""
    rows = [each for group in chart.groups for each in group.intervals]
    texts = {id(each): _text(each, chart) for each in rows}
    bold = _BOLD if any(each.is_best for each in rows) else 1.0
    left = bold * names_width([each.label for each in rows]) + _GAP
    widest = bold * max((width_of(text) for text in texts.values()), default=0.0)
    right = WIDTH - min(widest, _WIDEST_VALUE) - _GAP
    scale = _scale(chart, rows, left, right)
    headings = sum(bool(group.heading) for group in chart.groups)
    bottom = 4 + len(rows) * _ROW + headings * _HEADING
    parts = [horizontal_axis(scale, chart.axis, 4, bottom)]
    if chart.reference is not None:
        x = scale.at(chart.reference)
        parts.append(tag("line", class_="reference", x1=x, x2=x, y1=4, y2=bottom))
    facts, y = [], 4.0
    for group in chart.groups:
        if group.heading:
            parts.append(label(group.heading, 0, y + 19, class_="heading", fits=WIDTH))
            y += _HEADING
        for each in group.intervals:
            text = texts[id(each)]
            description = f"{each.label}: {text}{limits_text(each.low, each.high)}"
            description += ", best" if each.is_best else ""
            facts.append(f"{group.heading}, {description}" if group.heading else description)
            best = "best" if each.is_best else ""
            base = y + _ROW / 2 + FONT_SIZE / 3
            parts.append(label(each.label, 0, base, class_=best, fits=(left - _GAP) / bold))
            parts.append(_dot(each, facts[-1], scale, y + _ROW / 2, (chart.least, chart.greatest)))
            parts.append(
                label(text, WIDTH, base, anchor="end", class_=best, fits=WIDTH - right - _GAP / 2)
            )
            y += _ROW
    return drawing(chart.title, facts, bottom + AXIS_HEIGHT, parts)


def limits_text(low: float | None, high: float | None) -> str:
    """Text of an interval in the tooltip of a mark."""
    if low is None or high is None:
        return ""
    return f", {amount(low)} to {amount(high)}"


def names_width(names: list[str]) -> float:
    """Width for names next to a chart; longer ones are shortened."""
    return min(max(map(width_of, names), default=0.0), _WIDEST_NAME)


def _text(interval: Interval, chart: IntervalChart) -> str:
    if interval.value is None:
        return interval.remark or "no value"
    sign = "+" if chart.reference == 0.0 and interval.value > 0.0 else ""  # a difference has one
    shown = f"{sign}{amount(interval.value)}{'x' if chart.is_ratio else ''}"
    return f"{shown} · {interval.remark}" if interval.remark else shown


def _scale(chart: IntervalChart, rows: Sequence[Interval], left: float, right: float) -> Scale:
    """An axis that contains every value and interval, limited to the possible range.

    A value alone is shown in the whole of that range.
    """
    ends = [end for each in rows for end in (each.value, each.low, each.high)]
    kept = [end for end in ends if end is not None and not _is_beyond(end, chart)]
    is_alone = len({*kept, chart.reference} - {None}) == 1
    is_cut_low = any(end is not None and _is_below(end, chart.least) for end in ends)
    is_cut_high = any(end is not None and _is_above(end, chart.greatest) for end in ends)
    return scale_of(
        [*kept, chart.reference],
        left,
        right,
        low_end=chart.least if is_cut_low or is_alone else chart.low_end,
        high_end=chart.greatest if is_cut_high or is_alone else chart.high_end,
        is_ratio=chart.is_ratio,
    )


def _is_beyond(end: float, chart: IntervalChart) -> bool:
    return _is_below(end, chart.least) or _is_above(end, chart.greatest)


def _is_below(end: float, least: float | None) -> bool:
    return least is not None and end < least


def _is_above(end: float, greatest: float | None) -> bool:
    return greatest is not None and end > greatest


def _dot(
    interval: Interval,
    fact: str,
    scale: Scale,
    y: float,
    possible: tuple[float | None, float | None],
) -> str:
    shapes = []
    low, high = interval.low, interval.high
    if drawable(low) and drawable(high):
        x1, x2 = scale.at(low), scale.at(high)
        shapes.append(tag("line", class_="interval", x1=x1, x2=x2, y1=y, y2=y))
        shapes.append(_end(x1, y, -_ARROW if _is_below(low, possible[0]) else 0.0))
        shapes.append(_end(x2, y, _ARROW if _is_above(high, possible[1]) else 0.0))
    if drawable(interval.value, is_ratio=scale.is_ratio):
        shapes.append(tag("circle", class_="fill", cx=scale.at(interval.value), cy=y, r=5))
    return mark(interval.series, [fact], "".join(shapes)) if shapes else ""


def _end(x: float, y: float, points: float) -> str:
    """Draw the end of an interval: a perpendicular stroke, or an arrow if it continues."""
    if not points:
        return tag("line", class_="interval", x1=x, x2=x, y1=y - 4, y2=y + 4)
    corners = (x + points, y, x, y - 4, x, y + 4)
    return tag("polygon", class_="arrow", points=" ".join(f"{place:g}" for place in corners))
