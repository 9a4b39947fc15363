"""Prints tables on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from trajmeter.reports.tables import GAP, broken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console

    from trajmeter.reports.tables import Table

__all__ = ["print_table", "print_tables"]

_LEAST_WIDTH = 8
"""Minimum width of a text column in characters."""

_COUNTS = r"(?<= )\(\d+/\d+\)$"
"""Number of attempts that a mean covers, which is dimmed."""


def print_tables(tables: Iterable[Table], console: Console) -> None:
    """Print tables, each below its title.

    Args:
        tables: Tables of visible text.
        console: Console to print to; its width determines where cells are wrapped.
    """
    for table in tables:
        console.print()
        console.print(Text(table.title, style="bold"))
        print_table(table, console)


def print_table(table: Table, console: Console) -> None:
    """Print one table, without its title."""
    rendered = RichTable(box=box.HORIZONTALS, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    widths = _widths(table, console.width)
    for column, heading in enumerate(table.header):
        justify: Literal["left", "right"] = "left" if column in table.texts else "right"
        rendered.add_column(
            _cell(heading, widths[column]),
            justify=justify,
            overflow="fold",
            max_width=max(widths[column], 1),
        )
    for row in table.rows:
        rendered.add_row(*map(_cell, row, widths))
    if console.is_terminal:
        console.print(rendered)
        return
    with console.capture() as shown:
        console.print(rendered)
    # rich pads the last cells too, which would only make lines longer.
    console.out("\n".join(line.rstrip() for line in shown.get().splitlines()), highlight=False)


def _widths(table: Table, available: int) -> list[int]:
    """Width of each column's cells: numbers are not wrapped, and texts share the rest."""
    widths = table.widths()
    if sum(widths) - GAP > available:
        narrow = table.narrow_widths()
        widths = [
            width if index in table.texts else narrow[index] for index, width in enumerate(widths)
        ]
    numbers = sum(width for index, width in enumerate(widths) if index not in table.texts)
    left = available + GAP - numbers  # no gap follows the last column
    by_width = sorted(table.texts, key=widths.__getitem__)
    for rank, column in enumerate(by_width):
        widths[column] = min(widths[column], max(left // (len(by_width) - rank), _LEAST_WIDTH))
        left -= widths[column]
    return [width - GAP for width in widths]


def _cell(text: str, width: int) -> Text:
    """Text that is shown unchanged; rich would interpret markup in a plain string."""
    cell = Text(" ".join("\n".join(broken(word, width)) for word in text.split(" ")))
    cell.highlight_regex(_COUNTS, "dim")
    return cell
