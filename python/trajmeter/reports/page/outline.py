"""Converts a report to sections for terminal and Markdown, without the page's closed content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.sections import Section

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.reports.page.document import Document, Part, PartTable
    from trajmeter.reports.tables import Table

__all__ = ["outline"]

_BEST = " *"
"""Suffix of the best value in its row or column."""


def outline(document: Document) -> list[Section]:
    """Sections for the headlines, then the tables of each part, then the provenance."""
    sections = [Section(document.title, None, tuple(text for _, text in document.headlines))]
    for part in (*document.parts, document.provenance):
        sections += _sections(part)
    return sections


def _sections(part: Part) -> Iterator[Section]:
    held = [table for table in part.tables if table.table.rows]
    notes = list(part.notes)
    if any(table.best for table in held):
        notes.append(f"{_BEST.strip()} the best of its row or column")
    if not held:
        if notes and not part.charts:
            yield Section(part.title, None, tuple(notes))
        return
    for place, each in enumerate(held):
        parts = [part.title] if not place else []
        title = ": ".join([*parts, *([each.table.title] if each.table.title else [])])
        is_last = place == len(held) - 1
        yield Section(title, _marked(each), tuple(notes) if is_last else ())


def _marked(held: PartTable) -> Table:
    rows = tuple(
        tuple(
            f"{cell}{_BEST}" if (at, place) in held.best else cell for place, cell in enumerate(row)
        )
        for at, row in enumerate(held.table.rows)
    )
    return held.table._replace(rows=rows)
