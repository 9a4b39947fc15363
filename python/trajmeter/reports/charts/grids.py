"""Draws a value for each system and question, as a shade and a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.cells import amount
from trajmeter.reports.charts.axes import centred
from trajmeter.reports.charts.intervals import names_width
from trajmeter.reports.charts.scales import drawable
from trajmeter.reports.charts.svg import (
    FONT_SIZE,
    WIDTH,
    drawing,
    escape,
    label,
    tag,
    width_of,
)

if TYPE_CHECKING:
    from trajmeter.reports.charts.models import Grid

__all__ = ["draw_grid"]

_ROW, _HEADINGS = 30, 24
_GAP = 12
_SHADES = 5
"""Shades of ``charts.css``: ``g0`` to ``g5``."""


def draw_grid(chart: Grid) -> str:
    """Draw one row of cells per system; numbers are omitted if cells are too narrow."""
    left = names_width(list(chart.rows)) + _GAP
    cell = (WIDTH - left) / max(len(chart.columns), 1)
    bottom = _HEADINGS + _ROW * len(chart.rows)
    parts, facts = [], []
    every = _every(chart.columns, cell)
    for place, column in enumerate(chart.columns):
        x, fits = left + (place + 0.5) * cell, every * cell - 4
        # A name beyond the right edge would be shifted onto the one before it.
        if place % every == 0 and (place == 0 or x + min(width_of(column), fits) / 2 <= WIDTH):
            parts.append(centred(column, x, 15, fits=fits))
    for row, (name, values) in enumerate(zip(chart.rows, chart.values, strict=True)):
        y = _HEADINGS + row * _ROW
        base = y + _ROW / 2 + FONT_SIZE / 3
        parts.append(label(name, 0, base, fits=left - _GAP))
        shown = []
        for place, (column, value) in enumerate(zip(chart.columns, values, strict=True)):
            x = left + place * cell
            text = amount(value) if drawable(value) else "no value"
            shown.append(f"{column} {text}")
            if not drawable(value):
                continue
            shade = _shade(value, chart)
            box = tag("title", escape(f"{name}, {column}: {text}"))
            ends = {"x": x + 0.5, "y": y + 1, "width": max(cell - 1, 0.5), "height": _ROW - 2}
            parts.append(tag("rect", box, class_=f"cell g{shade}", **ends))
            number = f"{value:.3g}"
            if width_of(number) + 4 <= cell:
                at = x + cell / 2
                parts.append(label(number, at, base, anchor="middle", class_=f"on g{shade}"))
        facts.append(f"{name}: {', '.join(shown)}")
    return drawing(chart.title, facts, bottom + 4, parts)


def _every(columns: tuple[str, ...], cell: float) -> int:
    """Interval between columns with names, so that names of usual length fit."""
    usual = sorted(map(width_of, columns))[len(columns) // 2] + 8 if columns else 1.0
    return max(1, min(round(usual / cell + 0.49), len(columns)))


def _shade(value: float, chart: Grid) -> int:
    share = (value - chart.low_end) / ((chart.high_end - chart.low_end) or 1.0)
    return round(min(max(share, 0.0), 1.0) * _SHADES)
