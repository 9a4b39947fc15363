"""Axes, legends and frames shared by charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.charts.scales import tick_labels
from trajmeter.reports.charts.svg import FONT_SIZE, WIDTH, coloured, escape, label, tag, width_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.reports.charts.scales import Scale

__all__ = [
    "AXIS_HEIGHT",
    "LEGEND_ROW",
    "centred",
    "horizontal_axis",
    "legend",
    "mark",
    "vertical_axis",
]

AXIS_HEIGHT = 42
"""Height below a chart for the numbers and title of its axis."""
LEGEND_ROW = 22
"""Height of one line of a legend."""

_TICK_ROOM = 75
"""Maximum width of a number below an axis."""
_SWATCH = 14
_GAP = 18


def horizontal_axis(
    scale: Scale, title: str, top: float, bottom: float, *, is_whole: bool = False
) -> str:
    """Draw numbers and title below a chart, with a faint line upwards from each number.

    Args:
        scale: The axis.
        title: Title of the axis.
        top: Upper end of the faint lines.
        bottom: Lower end of the faint lines, above the numbers.
        is_whole: Whether only integers are meaningful.
    """
    parts = []
    room = max(2, round((scale.end - scale.start) / _TICK_ROOM))
    ticks = scale.ticks(room, is_whole=is_whole)
    for tick, text in zip(ticks, tick_labels(ticks, is_ratio=scale.is_ratio), strict=True):
        x = scale.at(tick)
        parts.append(tag("line", class_="grid", x1=x, x2=x, y1=top, y2=bottom))
        parts.append(centred(text, x, bottom + 16))
    middle = (scale.start + scale.end) / 2
    half = min(middle, WIDTH - middle)
    parts.append(label(title, middle, bottom + 34, anchor="middle", class_="quiet", fits=2 * half))
    return "".join(parts)


def centred(text: str, x: float, y: float, *, fits: float = WIDTH) -> str:
    """Draw muted text centred at ``x``, shifted if it would exceed the chart's edges."""
    half = min(width_of(text), fits) / 2
    inside = min(max(x, half), WIDTH - half)
    return label(text, inside, y, anchor="middle", class_="quiet", fits=fits)


def vertical_axis(scale: Scale, title: str, left: float, right: float) -> str:
    """Draw numbers left of a chart, with a faint line to the right of each, and the title above."""
    ticks = scale.ticks(max(2, round(abs(scale.end - scale.start) / 45)))
    parts = [label(title, 2, scale.end - 12, class_="quiet", fits=right - 2)]
    for tick, text in zip(ticks, tick_labels(ticks), strict=True):
        y = scale.at(tick)
        parts.append(tag("line", class_="grid", x1=left, x2=right, y1=y, y2=y))
        parts.append(label(text, left - 6, y + FONT_SIZE / 3, anchor="end", class_="quiet"))
    return "".join(parts)


def legend(
    entries: Sequence[tuple[str, str]], top: float, *, is_line: bool = False
) -> tuple[str, float]:
    """Draw names with their colours, in as many lines as needed.

    Args:
        entries: CSS class of each colour, and its name.
        top: Upper edge.
        is_line: Whether the colours belong to lines, which also differ in their dashes.

    Returns:
        The legend, and its height.
    """
    parts = []
    x, y = 0.0, top
    for class_, name in entries:
        width = min(width_of(name), WIDTH - _SWATCH - _GAP)
        if x and x + _SWATCH + 6 + width > WIDTH:
            x, y = 0.0, y + LEGEND_ROW
        middle = y + LEGEND_ROW / 2
        if is_line:
            parts.append(
                tag(
                    "line", class_=f"curve {class_}", x1=x, x2=x + _SWATCH + 4, y1=middle, y2=middle
                )
            )
        else:
            parts.append(
                tag("rect", class_=f"fill {class_}", x=x, y=middle - 6, width=12, height=12, rx=2)
            )
        parts.append(label(name, x + _SWATCH + 8, middle + FONT_SIZE / 3, fits=width))
        x += _SWATCH + 8 + width + _GAP
    return "".join(parts), (y - top + LEGEND_ROW if entries else 0.0)


def mark(series: int, facts: Iterable[str], shape: str) -> str:
    """Draw a mark in the colour of its system, with a tooltip that describes it."""
    return tag("g", tag("title", escape("; ".join(facts))), shape, class_=coloured(series))
