"""The report of a scoring run as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports import markdown

if TYPE_CHECKING:
    from trajmeter.reports.scores.tables import ScoreReport, Table

__all__ = ["to_markdown"]


def to_markdown(report: ScoreReport) -> str:
    """Render a report; whatever text the records hold stays text."""
    parts = [markdown.escape(report.heading)]
    for table in report.tables:
        parts += [f"## {markdown.escape(table.title)}", _table(table)]
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    header = [markdown.escape(cell) for cell in table.header]
    rows = (
        [markdown.escape(cell) if index in table.texts else cell for index, cell in enumerate(row)]
        for row in table.rows
    )
    return markdown.table(header, rows, texts=table.texts)
