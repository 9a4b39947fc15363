"""Lists of items with the same fields, such as formats and metrics, in every output format."""

from __future__ import annotations

import csv
import json
import sys
from enum import Enum
from typing import TYPE_CHECKING

from trajmeter.cli._terminal import stdout_console
from trajmeter.text import to_cell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["ListFormat", "print_list"]


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


def print_list(
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
