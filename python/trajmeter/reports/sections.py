"""Reports made of sections (tables with notes), for terminals, Markdown and HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.reports import html, markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from trajmeter.reports.tables import Table

__all__ = ["Section", "print_sections", "to_fragment", "to_html", "to_markdown"]

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;color-scheme:light dark}"
    "table{border-collapse:collapse}td,th{padding:.2rem .6rem;border-bottom:1px solid #8884}"
)
_POLICY = (
    '<meta http-equiv="Content-Security-Policy" '
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
)


@dataclass(frozen=True, slots=True)
class Section:
    """A table with notes."""

    title: str
    """Heading; empty for none."""
    table: Table | None = None
    """The table; its own title is not shown."""
    lines: tuple[str, ...] = ()
    """Notes below the table."""


def print_sections(sections: Sequence[Section], console: Console) -> None:
    """Print sections to a console; tables that are wider are printed in parts."""
    from rich.text import Text

    from trajmeter.reports.cells import visible
    from trajmeter.reports.tables import fitting
    from trajmeter.reports.terminal import print_table

    for place, section in enumerate(sections):
        if place:
            console.print()
        if section.title:
            console.print(Text(visible(section.title), style="bold"))
        if section.table is not None and section.table.rows:
            for number, part in enumerate(fitting(section.table.visible(), console.width)):
                if number:
                    console.print()
                    heading = visible(f"{section.title} (continued)".strip())
                    console.print(Text(heading, style="bold"))
                print_table(part, console)
        for line in section.lines:
            console.print(Text(visible(line)))


def to_markdown(sections: Sequence[Section]) -> str:
    """Render sections as Markdown; all text of records is escaped."""
    parts = []
    for section in sections:
        if section.title:
            parts.append(f"## {markdown.escape(section.title)}")
        if section.table is not None and section.table.rows:
            parts.append(markdown.render_table(section.table))
        if section.lines:
            parts.append("\n".join(f"- {markdown.escape(line)}" for line in section.lines))
    return "\n\n".join(parts) + "\n"


def to_fragment(sections: Sequence[Section]) -> str:
    """Render sections as an HTML fragment, for notebooks; all text is escaped."""
    parts = []
    for section in sections:
        if section.title:
            parts.append(f"<p><strong>{html.escape(section.title)}</strong></p>")
        if section.table is not None and section.table.rows:
            parts.append(html.render_table(section.table))
        parts += [f"<p>{html.escape(line)}</p>" for line in section.lines]
    return f"<div>{''.join(parts)}</div>"


def to_html(title: str, sections: Sequence[Section]) -> str:
    """Render sections as a self-contained HTML document; all text is escaped."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        _POLICY,
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{html.escape(title)}</h1>",
    ]
    for section in sections:
        if section.title:
            parts.append(f"<h2>{html.escape(section.title)}</h2>")
        if section.table is not None and section.table.rows:
            parts.append(html.render_table(section.table))
        parts += [f"<p>{html.escape(line)}</p>" for line in section.lines]
    return "\n".join([*parts, "</body></html>\n"])
