"""Draws counts by cause, one bar per system."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.charts.axes import AXIS_HEIGHT, horizontal_axis, legend
from trajmeter.reports.charts.intervals import names_width
from trajmeter.reports.charts.scales import Scale
from trajmeter.reports.charts.svg import (
    FONT_SIZE,
    WIDTH,
    coloured,
    drawing,
    escape,
    label,
    tag,
    width_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajmeter.reports.charts.models import StackChart

__all__ = ["draw_stacks"]

_ROW, _BAR = 32, 22
_GAP = 14
_CAUSES = 8
"""Maximum number of causes with their own colour; the rarest others are combined."""
_OTHER = "other causes"


def draw_stacks(chart: StackChart) -> str:
    """Draw bars whose parts are the causes, the most frequent first."""
    causes = _causes(chart)
    entries = [(coloured(place), cause) for place, cause in enumerate(causes)]
    names, top = legend(entries, 0)
    top += 8
    stacks = [(each.label, _counted(each.counts, causes)) for each in chart.stacks]
    totals = [sum(counts.values()) for _, counts in stacks]
    left = names_width([name for name, _ in stacks]) + _GAP
    right = WIDTH - max((width_of(f"{total:,}") for total in totals), default=0.0) - _GAP
    scale = Scale(0.0, float(max(totals, default=0) or 1), left, right)
    bottom = top + _ROW * len(stacks)
    parts = [names, horizontal_axis(scale, chart.axis, top, bottom, is_whole=True)]
    facts = []
    for place, ((name, counts), total) in enumerate(zip(stacks, totals, strict=True)):
        middle = top + place * _ROW + _ROW / 2
        base = middle + FONT_SIZE / 3
        description = ", ".join(f"{cause} {count:,}" for cause, count in counts.items())
        facts.append(f"{name}: {total:,}{f' ({description})' if description else ''}")
        parts.append(label(name, 0, base, fits=left - _GAP))
        parts.append(label(f"{total:,}", WIDTH, base, anchor="end"))
        parts += _bar(name, [counts.get(cause, 0) for cause in causes], causes, scale, middle)
    return drawing(chart.title, facts, bottom + AXIS_HEIGHT, parts)


def _bar(
    name: str, counts: Iterable[int], causes: Iterable[str], scale: Scale, middle: float
) -> Iterator[str]:
    """The parts of a bar, each with its count if there is room for it."""
    before = 0
    for series, (cause, count) in enumerate(zip(causes, counts, strict=True)):
        if count:
            x, end = scale.at(before), scale.at(before + count)
            yield _part(f"{name}, {cause}: {count:,}", series, x, end - x, middle)
            if end - x > width_of(f"{count:,}") + 6:
                at, base = (x + end) / 2, middle + FONT_SIZE / 3
                yield label(f"{count:,}", at, base, anchor="middle", class_="inside")
            before += count


def _causes(chart: StackChart) -> list[str]:
    totals: dict[str, int] = {}
    for stack in chart.stacks:
        for cause, count in stack.counts.items():
            totals[cause] = totals.get(cause, 0) + count
    found = sorted((cause for cause in totals if totals[cause]), key=lambda each: -totals[each])
    return found if len(found) <= _CAUSES else [*found[: _CAUSES - 1], _OTHER]


def _counted(counts: dict[str, int], causes: list[str]) -> dict[str, int]:
    """Counts in the order of the causes; those that share a colour are summed."""
    found = {cause: counts.get(cause, 0) for cause in causes}
    if rest := sum(count for cause, count in counts.items() if cause not in found):
        found[_OTHER] = found.get(_OTHER, 0) + rest
    return {cause: count for cause, count in found.items() if count}


def _part(said: str, series: int, x: float, width: float, middle: float) -> str:
    return tag(
        "rect",
        tag("title", escape(said)),
        class_=f"fill part {coloured(series)}",
        x=x,
        y=middle - _BAR / 2,
        width=width,
        height=_BAR,
    )
