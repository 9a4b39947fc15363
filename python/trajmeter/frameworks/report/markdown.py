"""The comparison as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.frameworks.report.notes import heading, notes
from trajmeter.frameworks.report.tables import comparison_tables, labels, question_table
from trajmeter.reports.markdown import escape, table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.frameworks.compared import Comparison
    from trajmeter.frameworks.report.tables import Table

__all__ = ["markdown_report"]


def markdown_report(comparison: Comparison) -> str:
    """The comparison as a Markdown document.

    Args:
        comparison: What to show.

    Returns:
        The document; text of answers is escaped.
    """
    return "\n\n".join(_blocks(comparison)) + "\n"


def _blocks(comparison: Comparison) -> Iterator[str]:
    columns = [escape(label) for label in labels(comparison)]
    yield f"# Framework comparison: {escape(comparison.scenario)}"
    yield "\n".join(f"- **{name}:** {escape(value)}" for name, value in heading(comparison))
    for section in comparison_tables(comparison):
        yield f"## {escape(section.title)}"
        yield _rendered(section, columns)
    remarks = notes(comparison)
    if remarks:
        yield "\n".join(f"- {escape(remark)}" for remark in remarks)
    yield "## Per-Question Results"
    for question_id, text in comparison.question_texts().items():
        yield f"### {escape(question_id)}"
        yield escape(text)
        yield _rendered(question_table(comparison, question_id), columns)
        answers = [result.questions.get(question_id) for result in comparison.results]
        yield table(
            ["Framework", "Answer"],
            [
                [column, escape(answer.shown()) if answer else ""]
                for column, answer in zip(columns, answers, strict=True)
            ],
            texts=(0, 1),
        )


def _rendered(section: Table, columns: Sequence[str]) -> str:
    return table(
        [section.first_column, *columns],
        [[escape(name), *(escape(cell.text) for cell in cells)] for name, cells in section.rows],
    )
