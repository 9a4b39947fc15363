"""The comparison on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.comparison.notes import heading, notes
from trajmeter.reports.comparison.tables import comparison_tables, labels
from trajmeter.reports.plain_text import visible

if TYPE_CHECKING:
    from rich.console import Console

    from trajmeter.summaries.compared import Comparison

__all__ = ["print_comparison"]


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the comparison's tables, without those of single questions.

    Args:
        comparison: What to show.
        console: Where to print; its width decides where cells are broken.
    """
    from rich.text import Text

    from trajmeter.reports.scores import Table, print_table

    facts = ", ".join(f"{name.lower()} {value}" for name, value in heading(comparison)[2:])
    console.print(Text(visible(f"{comparison.scenario}: {facts}")), soft_wrap=True)
    columns = tuple(visible(label) for label in labels(comparison))
    for section in comparison_tables(comparison):
        console.print()
        console.print(Text(section.title, style="bold"), soft_wrap=True)
        rows = tuple(
            (visible(name), *(visible(cell.text) for cell in cells)) for name, cells in section.rows
        )
        print_table(Table("", (section.first_column, *columns), rows), console)
    console.print()
    for note in notes(comparison):
        console.print(Text(visible(f"- {note}")))
