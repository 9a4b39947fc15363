"""The comparison on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.comparison.notes import heading, notes
from trajmeter.reports.comparison.tables import comparison_tables, labels

if TYPE_CHECKING:
    from rich.console import RenderableType

    from trajmeter.summaries.comparison import Comparison

__all__ = ["terminal_report"]


def terminal_report(comparison: Comparison) -> list[RenderableType]:
    """The comparison's tables, without those of single questions, for a rich console.

    Args:
        comparison: What to show.

    Returns:
        What to print, one after another; text of results is never read as markup.
    """
    from rich.table import Table
    from rich.text import Text

    facts = ", ".join(f"{name.lower()} {value}" for name, value in heading(comparison)[2:])
    blocks: list[RenderableType] = [Text(f"{comparison.scenario}: {facts}")]
    for section in comparison_tables(comparison):
        table = Table(title=Text(section.title), title_justify="left", title_style="bold")
        table.add_column(Text(section.first_column))
        for label in labels(comparison):
            table.add_column(Text(label), justify="right")
        for name, cells in section.rows:
            table.add_row(Text(name), *(Text(cell.text) for cell in cells))
        blocks.append(table)
    return [*blocks, *(Text(f"- {note}") for note in notes(comparison))]
