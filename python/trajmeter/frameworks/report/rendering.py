"""The comparison as Markdown, as one HTML file that opens offline, and on a terminal."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ExtraMissingError
from trajmeter.frameworks.report.charts import comparison_charts
from trajmeter.frameworks.report.notes import heading, notes
from trajmeter.frameworks.report.tables import comparison_tables, labels, question_table
from trajmeter.reports.cells import visible
from trajmeter.reports.charts import draw, stylesheet
from trajmeter.reports.markdown import escape, render_table
from trajmeter.reports.tables import Table, fitting
from trajmeter.text import without_controls

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

    Scripts, styles and data are inlined, and its security policy forbids every request, so it opens
    offline and sends nothing. Answers are escaped.

    Args:
        comparison: The comparison.

    Returns:
        The document.

    Raises:
        ExtraMissingError: jinja2 is not installed.
    """
    try:
        import jinja2
    except ModuleNotFoundError as error:
        raise ExtraMissingError("HTML reports need jinja2; install trajmeter[report]") from error
    here = resources.files("trajmeter.frameworks.report")
    environment = jinja2.Environment(
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.from_string(here.joinpath("report.html.j2").read_text("utf-8")).render(
        comparison=comparison,
        columns=labels(comparison),
        heading=heading(comparison),
        tables=list(comparison_tables(comparison)),
        notes=notes(comparison),
        questions=[
            (question_id, text, question_table(comparison, question_id))
            for question_id, text in comparison.question_texts().items()
        ],
        charts=comparison_charts(comparison),
        draw=draw,
        style=stylesheet() + here.joinpath("report.css").read_text("utf-8"),
        script=here.joinpath("report.js").read_text("utf-8"),
    )


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print the comparison's tables, without those of single questions.

    Args:
        comparison: The comparison.
        console: Console to print to; frameworks that do not fit its width continue in another
            table.
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


def _shown(value: Any) -> Any:  # noqa: ANN401 - whatever a template holds
    """The value with every control character in its text shown as such; markup stays markup."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return without_controls(value)
    return value
