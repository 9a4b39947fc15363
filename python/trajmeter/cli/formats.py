"""``trajmeter formats``: list the formats of logs and tasks."""

from __future__ import annotations

import csv
import json
import sys
from enum import Enum
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._process import ExitCode
from trajmeter.cli._terminal import stdout_console
from trajmeter.text import to_cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["formats"]


class ListFormat(str, Enum):
    """How a list is printed."""

    TABLE = "table"
    """A table for a terminal."""
    JSON = "json"
    """One JSON document."""
    JSONL = "jsonl"
    """JSON lines."""
    CSV = "csv"
    """CSV with a header."""
    MARKDOWN = "markdown"
    """A table in Markdown."""
    MD = "md"
    """Short for markdown."""


def formats(
    output_format: Annotated[
        ListFormat, typer.Option("--format", "-f", help="Output format.")
    ] = ListFormat.TABLE,
) -> ExitCode:
    """List the supported formats, the fields each carries, and the program that writes it.

    A format carries the listed record fields and everything below them; all other fields are
    missing from whatever is read. Formats are detected from content; --input-format of other
    commands takes one of these names.

    **Example**

        trajmeter formats --format json
    """
    from trajmeter.readers import formats as all_formats
    from trajmeter.records import Task

    _print_list(
        [
            {
                "format": known.name,
                "makes": "tasks" if known.makes is Task else "trajectories",
                "from": known.origin,
                "carries": known.carries,
            }
            for known in all_formats()
        ],
        output_format,
    )
    return ExitCode.OK


def _print_list(
    items: Sequence[Mapping[str, str | Sequence[str]]], output_format: ListFormat
) -> None:
    """Print items with the same fields, each a text or a list of texts."""
    if output_format is ListFormat.JSON:
        sys.stdout.write(json.dumps(items, indent=2, ensure_ascii=False) + "\n")
        return
    if output_format is ListFormat.JSONL:
        for item in items:
            sys.stdout.write(json.dumps(item, ensure_ascii=False) + "\n")
        return
    header = tuple(items[0]) if items else ()
    rows = tuple(
        tuple(value if isinstance(value, str) else ", ".join(value) for value in item.values())
        for item in items
    )
    if output_format is ListFormat.CSV:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([header, *([to_cell(cell) for cell in row] for row in rows)])
        return
    from trajmeter.reports.markdown import render_table
    from trajmeter.reports.tables import Table
    from trajmeter.reports.terminal import print_table

    table = Table("", header, rows, texts=tuple(range(len(header))))
    if output_format in (ListFormat.MARKDOWN, ListFormat.MD):
        sys.stdout.write(render_table(table))
    else:
        print_table(table, stdout_console())
