"""Creates SVG elements with escaped text, and measures and shortens text."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from trajmeter.reports.cells import visible
from trajmeter.reports.html import escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "FONT_SIZE",
    "HEIGHT",
    "WIDTH",
    "coloured",
    "drawing",
    "escape",
    "label",
    "shortened",
    "tag",
    "width_of",
]

WIDTH = 520
"""Width of every chart, in units of about one pixel on a narrow page."""
HEIGHT = 300
"""Height of charts without rows."""
FONT_SIZE = 13

_NARROW, _USUAL, _BROAD = 0.3, 0.57, 0.85
"""Widths of letters as shares of the font size, estimated generously."""
_FULL_WIDTH = 1.05
_COLOURS = 8
"""Number of colours in the palette of ``charts.css``; the ninth system reuses the first."""


def tag(name: str, *children: str, **attributes: str | float) -> str:
    """Create an element.

    Args:
        name: Name of the element.
        *children: Markup inside it.
        **attributes: Its attributes; ``text_anchor`` becomes ``text-anchor``, and ``class_``
            ``class``. Text is escaped; numbers have at most two decimals.
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_attribute(value)}"'
        for key, value in attributes.items()
    )
    return f"<{name}{written}>{''.join(children)}</{name}>"


def _attribute(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{round(value, 2):g}"


def label(
    text: str,
    x: float,
    y: float,
    *,
    anchor: str = "start",
    class_: str = "",
    fits: float | None = None,
) -> str:
    """Create a line of text.

    Args:
        text: The text.
        x: Position of its anchor.
        y: Position of its baseline.
        anchor: Part of the text at ``x``: ``start``, ``middle`` or ``end``.
        class_: Its CSS class.
        fits: Maximum width; longer text is shortened in the middle, with the full text as tooltip.
    """
    shown = text if fits is None else shortened(text, fits)
    tooltip = "" if shown == text else tag("title", escape(text))
    classes = {"class_": class_} if class_ else {}
    return tag("text", escape(shown), tooltip, x=x, y=y, text_anchor=anchor, **classes)


def drawing(title: str, facts: Iterable[str], height: float, parts: Sequence[str]) -> str:
    """Create a chart that screen readers announce by its title and describe by its facts."""
    return tag(
        "svg",
        tag("title", escape(title)),
        tag("desc", escape("; ".join(facts) or "no values")),
        *parts,
        xmlns="http://www.w3.org/2000/svg",
        class_="chart",
        role="img",
        viewBox=f"0 0 {WIDTH} {height:g}",
    )


def coloured(series: int) -> str:
    """The CSS class that gives a mark the colour of its system."""
    return f"s{series % _COLOURS}"


def width_of(text: str) -> float:
    """Approximate width of a text; a generous estimate, because fonts differ."""
    return FONT_SIZE * sum(map(_share, visible(text)))


def _share(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return _FULL_WIDTH
    if character in "iljft.,:;'|!()[] ":
        return _NARROW if character not in "ft() " else 0.36
    return _BROAD if character in "mwMW%@—…" else _USUAL + 0.1 * character.isupper()


def shortened(text: str, width: float) -> str:
    """Shorten a text in the middle if it is wider; names usually differ at their ends.

    Example:
        >>> shortened("terminus-2 / claude-sonnet", 100), shortened("heron", 100)
        ('termin…sonnet', 'heron')
    """
    if width_of(text) <= width + 0.01:  # rounding aside
        return text
    text = visible(text)
    most = min(len(text) - 1, int(width / (FONT_SIZE * _NARROW)))
    for kept in range(most, 1, -1):
        short = f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"
        if width_of(short) <= width:
            return short
    return "…"
