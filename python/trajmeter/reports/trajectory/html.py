"""Renders sections of a trajectory as one self-contained HTML page."""

from __future__ import annotations

from html import escape as escape_markup
from importlib import resources
from typing import TYPE_CHECKING

from trajmeter.text import without_controls

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajmeter.reports.trajectory.search import Search
    from trajmeter.reports.trajectory.sections import Block, Section

__all__ = ["html_page"]

_OPEN_LINES = 12
"""Maximum number of lines of a block that is not folded."""

# The page has no scripts and fetches nothing; styles are inlined.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html_page(
    title: str, sections: Iterable[Section], *, search: Search | None = None, full: bool = False
) -> Iterator[str]:
    """Yield sections as one self-contained page, piece by piece; text of the log is escaped.

    Args:
        title: Title of the page.
        sections: The sections.
        search: Pattern to mark; blocks that contain it are open.
        full: Whether all blocks are open.
    """
    style = resources.files("trajmeter.reports.trajectory").joinpath("page.css").read_text("utf-8")
    yield (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_escaped(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
    )
    for number, section in enumerate(sections):
        heading = "h2" if number else "h1"
        yield f"<section>\n<{heading}>{_marked(section.title, search)}</{heading}>\n"
        if section.facts:
            facts = "".join(f"<li>{_marked(fact, search)}</li>" for fact in section.facts)
            yield f"<ul>{facts}</ul>\n"
        for block in section.blocks:
            yield _block(block, search, full=full)
        yield "</section>\n"
    yield "</main>\n</body>\n</html>\n"


def _block(block: Block, search: Search | None, *, full: bool) -> str:
    label = _marked(block.label, search)
    kind = block.kind.value
    if not block.lines:
        return f'<p class="{kind}">{label}</p>\n'
    lines = _lines(block, search)
    if not label and len(block.lines) <= _OPEN_LINES:
        return f'<pre class="{kind}">{lines}</pre>\n'
    is_open = full or len(block.lines) <= _OPEN_LINES
    if search is not None:
        is_open = is_open or bool(search.lines(block))
    count = f" <small>{len(block.lines):,} line{'' if len(block.lines) == 1 else 's'}</small>"
    return (
        f'<details class="{kind}"{" open" if is_open else ""}>'
        f"<summary>{label or _marked(block.lines[0], search)}{count}</summary>"
        f"<pre>{lines}</pre></details>\n"
    )


def _lines(block: Block, search: Search | None) -> str:
    if block.first_line is None:
        return "\n".join(_marked(line, search) for line in block.lines)
    width = len(str(block.first_line + len(block.lines) - 1))
    return "\n".join(
        f"<i>{number:>{width}}</i>  {_marked(line, search)}"
        for number, line in enumerate(block.lines, block.first_line)
    )


def _marked(text: str, search: Search | None) -> str:
    if search is None:
        return _escaped(text)
    return "".join(
        f"<mark>{_escaped(part)}</mark>" if is_match else _escaped(part)
        for part, is_match in search.parts(text)
    )


def _escaped(text: str) -> str:
    return escape_markup(without_controls(text).replace("\r", "\\r"))
