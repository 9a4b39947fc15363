"""Draws distributions of values: one dot per value if there are few, otherwise a histogram."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from trajmeter.reports.cells import amount
from trajmeter.reports.charts.axes import AXIS_HEIGHT, horizontal_axis
from trajmeter.reports.charts.intervals import names_width
from trajmeter.reports.charts.scales import drawable, scale_of
from trajmeter.reports.charts.svg import (
    WIDTH,
    coloured,
    drawing,
    escape,
    label,
    tag,
    width_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trajmeter.reports.charts.models import DistributionChart, Series
    from trajmeter.reports.charts.scales import Scale

__all__ = ["draw_distributions"]

_SINGLE = 80
"""Maximum number of values drawn as dots; more are counted in bins."""
_BINS = 24
_ROW, _ROOM = 60, 46.0
"""Height of a system's row, and how much of it dots or bars may use."""
_RADIUS, _LEAST_RADIUS = 4.0, 3.0
"""Maximum and minimum radius of a dot; if stacks need a smaller one, values are binned."""
_GAP = 14


def draw_distributions(chart: DistributionChart) -> str:
    """Draw one row per system, all on one axis."""
    values = [[each for each in series.values if drawable(each)] for series in chart.series]
    texts = [_text(each, chart.noun) for each in values]
    left = names_width([series.label for series in chart.series]) + _GAP
    right = WIDTH - max(map(width_of, texts), default=0.0) - _GAP - _RADIUS
    scale = scale_of(
        [each for row in values for each in row],
        left,
        right,
        low_end=chart.low_end,
        high_end=chart.high_end,
    )
    bottom = 4.0 + _ROW * len(values)
    parts = [horizontal_axis(scale, chart.axis, 4, bottom)]
    are_few = all(len(row) <= _SINGLE for row in values)
    radius = _radius(values, scale) if are_few else 0.0
    is_single = radius >= _LEAST_RADIUS
    counts = [_bins(row, scale) for row in values]
    greatest = max((count for row in counts for count in row.values()), default=1)
    facts = []
    for place, (series, row) in enumerate(zip(chart.series, values, strict=True)):
        base = 4.0 + _ROW * (place + 1) - 6
        facts.append(_fact(series.label, row, chart.noun))
        parts.append(label(series.label, 0, base - 14, fits=left - _GAP))
        parts.append(label(texts[place], WIDTH, base - 14, anchor="end", class_="quiet"))
        shapes = (
            _dots(series, scale, base, radius)
            if is_single
            else _bars(counts[place], greatest, scale, base, chart.noun)
        )
        parts.append(tag("g", *shapes, class_=coloured(series.series)))
        if row:
            x = scale.at(statistics.median(row))
            parts.append(tag("line", class_="median", x1=x, x2=x, y1=base - _ROOM, y2=base + 3))
    return drawing(chart.title, facts, bottom + AXIS_HEIGHT, parts)


def _text(values: Sequence[float], noun: str) -> str:
    if not values:
        return "no values"
    return _counted(len(values), noun)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun if count != 1 else noun.removesuffix('s')}"


def _fact(name: str, values: Sequence[float], noun: str) -> str:
    if not values:
        return f"{name}: no values"
    least, middle, most = map(amount, (min(values), statistics.median(values), max(values)))
    return f"{name}: {_counted(len(values), noun)}, median {middle}, from {least} to {most}"


def _bin(value: float, scale: Scale) -> int:
    share = (scale.at(value) - scale.start) / (scale.end - scale.start)
    return min(int(share * _BINS), _BINS - 1)


def _bins(values: Sequence[float], scale: Scale) -> dict[int, int]:
    counts: dict[int, int] = defaultdict(int)
    for value, count in Counter(values).items():
        counts[_bin(value, scale)] += count
    return counts


def _bars(
    counts: Mapping[int, int], greatest: int, scale: Scale, base: float, noun: str
) -> Iterator[str]:
    width = (scale.end - scale.start) / _BINS
    step = (scale.high - scale.low) / _BINS
    for place, count in sorted(counts.items()):
        height = max(_ROOM * count / greatest, 1.5)
        low, high = (amount(scale.low + step * end) for end in (place, place + 1))
        yield tag(
            "rect",
            tag("title", escape(f"{_counted(count, noun)} from {low} to {high}")),
            class_="fill",
            x=scale.start + place * width + 0.5,
            y=base - height,
            width=width - 1,
            height=height,
        )


def _radius(rows: Sequence[Sequence[float]], scale: Scale) -> float:
    """The largest radius at which dots do not overlap; may be below the minimum."""
    radius = _RADIUS
    while radius >= _LEAST_RADIUS:
        stacks = (Counter(_column(value, scale, radius) for value in row) for row in rows)
        highest = max((max(stack.values(), default=1) for stack in stacks), default=1)
        if highest * 2 * radius <= _ROOM:
            break
        radius = _ROOM / (2 * highest)  # narrower columns may be higher, so it is computed again
    return radius


def _column(value: float, scale: Scale, radius: float) -> int:
    return round(scale.at(value) / (2 * radius))


def _dots(series: Series, scale: Scale, base: float, radius: float) -> Iterator[str]:
    """Draw one dot per value; equal values are stacked."""
    names = series.names or ("",) * len(series.values)
    pairs = [pair for pair in zip(series.values, names, strict=True) if drawable(pair[0])]
    stacks: Counter[int] = Counter()
    for value, name in sorted(pairs):
        column = _column(value, scale, radius)
        description = f"{name}: {amount(value)}" if name else amount(value)
        yield tag(
            "circle",
            tag("title", escape(description)),
            class_="fill single",
            cx=column * 2 * radius,
            cy=base - radius - stacks[column] * 2 * radius,
            r=radius,
        )
        stacks[column] += 1
