"""Renders sections of a trajectory as lines for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.cells import visible
from trajmeter.reports.trajectory.sections import Kind
from trajmeter.text import without_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajmeter.reports.trajectory.search import Search
    from trajmeter.reports.trajectory.sections import Block, Section

__all__ = ["terminal_lines"]

_HEAD, _TAIL = 10, 5
"""Number of lines at the start and end of a block that remain when it is folded."""
_AROUND = 2
"""Number of context lines around a match."""
_LONGEST = 2_000
"""Maximum number of characters shown of a line in a folded block."""

_BOLD, _FAINT, _END = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_MARKED = "\x1b[7m"
_STYLES = {
    Kind.TEXT: "",
    Kind.PROGRAM: "\x1b[36m",
    Kind.CALL: "\x1b[36m",
    Kind.RESULT: _FAINT,
    Kind.VIEW: "\x1b[32m",
    Kind.ERROR: "\x1b[31m",
}


def terminal_lines(
    sections: Iterable[Section], *, search: Search | None = None, full: bool = False, styled: bool
) -> Iterator[str]:
    """Yield sections as lines without line breaks; control characters of the log are escaped.

    Args:
        sections: The sections.
        search: Pattern to mark; lines around matches are always shown.
        full: Whether to show blocks in full instead of folding them.
        styled: Whether to use colour.
    """
    pen = _Pen(search if styled else None, styled=styled)
    for number, section in enumerate(sections):
        if number:
            yield ""
        yield pen.draw(visible(section.title), _BOLD)
        if section.facts:
            yield pen.draw(visible(" · ".join(section.facts)), _FAINT)
        for block in section.blocks:
            style = _STYLES[block.kind]
            indent = "  "
            if block.label:
                yield indent + pen.draw(visible(_cut(block.label, full=full)), style)
                indent = "    "
            for line in _shown(block, search, full=full):
                yield indent + pen.draw(line, _FAINT if block.kind is Kind.RESULT else "")


def _shown(block: Block, search: Search | None, *, full: bool) -> Iterator[str]:
    """Lines of a block, with notes about omitted lines."""
    lines = block.lines
    width = len(str((block.first_line or 0) + len(lines)))
    last = -1
    for at in _kept(block, search, full=full):
        if at > last + 1:
            yield _left_out(at - last - 1)
        last = at
        number = "" if block.first_line is None else f"{block.first_line + at:>{width}}  "
        yield number + _cut(lines[at], full=full)
    if last + 1 < len(lines):
        yield _left_out(len(lines) - last - 1)


def _kept(block: Block, search: Search | None, *, full: bool) -> Sequence[int]:
    count = len(block.lines)
    if full or count <= _HEAD + _TAIL + 1:
        return range(count)
    matches = [] if search is None else search.lines(block)
    if not matches:
        return [*range(_HEAD), *range(count - _TAIL, count)]
    near = {at + off for at in matches for off in range(-_AROUND, _AROUND + 1)}
    return sorted(at for at in near if 0 <= at < count)


def _left_out(count: int) -> str:
    return f"… {count:,} more line{'' if count == 1 else 's'} …"


def _cut(line: str, *, full: bool) -> str:
    if full or len(line) <= _LONGEST:
        return line
    return f"{line[:_LONGEST]}… {len(line) - _LONGEST:,} more characters"


class _Pen:
    """Draws text in a style, with matches marked."""

    def __init__(self, search: Search | None, *, styled: bool) -> None:
        self._search = search
        self._styled = styled

    def draw(self, text: str, style: str) -> str:
        if self._search is not None:
            parts = self._search.parts(text)
            drawn = (self._in(part, _MARKED if is_match else style) for part, is_match in parts)
            return "".join(drawn)
        return self._in(text, style)

    def _in(self, text: str, style: str) -> str:
        safe = without_controls(text).replace("\r", "\\r")
        return f"{style}{safe}{_END}" if style and safe and self._styled else safe
