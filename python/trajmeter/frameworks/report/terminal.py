"""The comparison on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.frameworks.report.notes import heading, notes
from trajmeter.frameworks.report.tables import comparison_tables, labels
from trajmeter.reports.plain_text import visible

if TYPE_CHECKING:
    from rich.console import Console

    from trajmeter.frameworks.compared import Comparison

__all__ = ["print_comparison"]


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the comparison's tables, without those of single questions.

    Args:
        comparison: What to show.
        console: Where to print; frameworks that its width has no room for follow in another table.
    """
    from rich.text import Text

    from trajmeter.reports.scores import Table, fitting, print_table

    facts = ", ".join(f"{name.lower()} {value}" for name, value in heading(comparison)[2:])
    console.print(Text(visible(f"{comparison.scenario}: {facts}")), soft_wrap=True)
    columns = tuple(visible(label) for label in labels(comparison))
    for section in comparison_tables(comparison):
        rows = tuple(
            (visible(name), *(visible(cell.text) for cell in cells)) for name, cells in section.rows
        )
        whole = Table(section.title, (section.first_column, *columns), rows)
        for table in fitting(whole, console.width):
            console.print()
            console.print(Text(table.title, style="bold"), soft_wrap=True)
            print_table(table, console)
    console.print()
    for note in notes(comparison):
        console.print(Text(visible(f"- {note}")))
