"""The comparison as Markdown, as one HTML file that opens offline, and on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.frameworks.report.notes import heading, notes
from trajmeter.frameworks.report.tables import comparison_tables, labels, question_table
from trajmeter.reports.cells import visible
from trajmeter.reports.markdown import escape, render_table
from trajmeter.reports.tables import Table, fitting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from trajmeter.frameworks.comparison import Comparison

__all__ = ["html_report", "markdown_report", "print_comparison"]


def markdown_report(comparison: Comparison) -> str:
    """The comparison as a Markdown document.

    Args:
        comparison: The comparison.

    Returns:
        The document; answers are escaped.
    """
    return "\n\n".join(_markdown_blocks(comparison)) + "\n"


def html_report(comparison: Comparison) -> str:
    """The comparison as one self-contained HTML document.

    Styles, scripts, charts and data are inlined, and its security policy forbids every request, so
    it opens offline and sends nothing. Answers are escaped.

    Args:
        comparison: The comparison.

    Returns:
        The document.

    Raises:
        ExtraMissingError: jinja2 is not installed.
    """
    from trajmeter.frameworks.report.page import comparison_document
    from trajmeter.reports.page.rendering import html_document

    return html_document(comparison_document(comparison))


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the comparison's tables, without those of single questions.

    Args:
        comparison: The comparison.
        console: Console to print to; frameworks that do not fit its width go into another table.
    """
    from rich.text import Text

    from trajmeter.reports.terminal import print_tables

    facts = ", ".join(f"{name.lower()} {value}" for name, value in heading(comparison)[2:])
    console.print(Text(visible(f"{comparison.scenario}: {facts}")), soft_wrap=True)
    for table in comparison_tables(comparison):
        print_tables(fitting(table.visible(), console.width), console)
    console.print()
    for note in notes(comparison):
        console.print(Text(visible(f"- {note}")))


def _markdown_blocks(comparison: Comparison) -> Iterator[str]:
    columns = labels(comparison)
    yield f"# Framework comparison: {escape(comparison.scenario)}"
    yield "\n".join(f"- **{name}:** {escape(value)}" for name, value in heading(comparison))
    for table in comparison_tables(comparison):
        yield f"## {escape(table.title)}"
        yield render_table(table)
    yield "\n".join(f"- {escape(note)}" for note in notes(comparison))
    yield "## Per-Question Results"
    for question_id, text in comparison.question_texts().items():
        yield f"### {escape(question_id)}"
        yield escape(text)
        yield render_table(question_table(comparison, question_id))
        answers = [result.questions.get(question_id) for result in comparison.results]
        shown = (answer.shown() if answer else "" for answer in answers)
        rows = tuple(zip(columns, shown, strict=True))
        yield render_table(Table("", ("Framework", "Answer"), rows, texts=(0, 1)))
