"""Formats in which summaries and comparisons of results tables are printed and written."""

from __future__ import annotations

import sys
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.cli._process import tolerating_closed_stdout
from trajmeter.cli._terminal import stdout_console
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from trajmeter.reports.sections import Section
    from trajmeter.summaries.comparing import ComparedScores
    from trajmeter.summaries.table_estimates import Estimates

    Result: TypeAlias = Estimates | ComparedScores
    Sections: TypeAlias = Callable[[], Sequence[Section]]

__all__ = [
    "ResultFormat",
    "check_outputs",
    "holds_rows",
    "is_page",
    "print_result",
    "write_result",
]


class ResultFormat(str, Enum):
    """What to print."""

    TABLE = "table"
    """Tables for a terminal."""
    MARKDOWN = "markdown"
    """The same as Markdown."""
    MD = "md"
    """Short for markdown."""
    JSON = "json"
    """One JSON document."""
    JSONL = "jsonl"
    """A JSON line for each figure of each group or pair."""
    CSV = "csv"
    """The same as CSV."""


_SUFFIXES = {
    ".json": ResultFormat.JSON,
    ".jsonl": ResultFormat.JSONL,
    ".csv": ResultFormat.CSV,
    ".md": ResultFormat.MARKDOWN,
    ".html": None,
}
"""What a file of each suffix holds; a page is written by :mod:`trajmeter.cli._page`."""


def check_outputs(paths: Sequence[Path], inputs: Iterable[Path]) -> None:
    """Check, before anything is read, that a result can be written to files.

    Raises:
        ConfigurationError: The suffix of one is unknown, or it cannot be written.
        ExtraMissingError: A page needs a package that is not installed.
    """
    from trajmeter.writers import check_is_no_input, check_place

    read = [*inputs]
    for path in paths:
        if path.suffix.lower() not in _SUFFIXES:
            raise ConfigurationError(f"{path}: expected a file that ends in {', '.join(_SUFFIXES)}")
        check_place(path)
        check_is_no_input(path, read)
    if any(map(is_page, paths)):
        from trajmeter.reports.page.rendering import require_jinja

        require_jinja()


def is_page(path: Path) -> bool:
    """Whether a file is an HTML page."""
    return path.suffix.lower() == ".html"


def holds_rows(path: Path) -> bool:
    """Whether a file holds flat rows only."""
    return _SUFFIXES[path.suffix.lower()] in (ResultFormat.JSONL, ResultFormat.CSV)


def write_result(found: Result, sections: Sections, path: Path) -> None:
    """Write a result in the format of the file's suffix; not a page."""
    from trajmeter.writers import write_text

    write_text(_text(found, sections, _SUFFIXES[path.suffix.lower()]), path)


def print_result(found: Result, sections: Sections, output_format: ResultFormat) -> None:
    """Print a result.

    Args:
        found: The result.
        sections: Builds its tables.
        output_format: The format.
    """
    from trajmeter.reports.sections import print_sections

    with tolerating_closed_stdout():
        if output_format is ResultFormat.TABLE:
            print_sections(sections(), stdout_console())
        else:
            sys.stdout.write(_text(found, sections, output_format))


def _text(found: Result, sections: Sections, form: ResultFormat | None) -> str:
    from trajmeter.reports.sections import to_markdown
    from trajmeter.writers import csv_text, json_document, json_lines_text

    if form is ResultFormat.JSON:
        return json_document(found) + "\n"
    if form is ResultFormat.JSONL:
        return json_lines_text(found.rows)
    if form is ResultFormat.CSV:
        # A cell cannot hold counts by cause or reason.
        rows = [{k: v for k, v in row.items() if not isinstance(v, dict)} for row in found.rows]
        return csv_text(rows)
    return to_markdown(sections())
