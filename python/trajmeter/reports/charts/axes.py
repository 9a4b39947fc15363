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
"""Room below a chart for numbers and title of its axis."""
LEGEND_ROW = 22
"""Height of a line of a legend."""

_TICK_ROOM = 75
"""Width that a number below an axis may take."""
_SWATCH = 14
_GAP = 18


def horizontal_axis(
    scale: Scale, title: str, top: float, bottom: float, *, is_whole: bool = False
) -> str:
    """Numbers and title below a chart, with a faint line upwards from each number.

    Args:
        scale: The axis.
        title: What it shows.
        top: Where its faint lines end.
        bottom: Where they begin, above the numbers.
        is_whole: Whether only whole numbers have a meaning.
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
    """A quiet text about its middle, as far as the edges of the chart let it."""
    half = min(width_of(text), fits) / 2
    inside = min(max(x, half), WIDTH - half)
    return label(text, inside, y, anchor="middle", class_="quiet", fits=fits)


def vertical_axis(scale: Scale, title: str, left: float, right: float) -> str:
    """Numbers left of a chart, with a faint line to the right from each, and the title above."""
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
    """Names with their colours, in as many lines as they take.

    Args:
        entries: Class of each colour, and its name.
        top: Where it begins.
        is_line: Whether the colours are those of lines, which also differ by their dashes.

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
    """A mark in the colour of its system, with a tooltip that says what it represents."""
    return tag("g", tag("title", escape("; ".join(facts))), shape, class_=coloured(series))
