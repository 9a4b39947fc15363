"""``trajmeter compare``: put frameworks' results of one scenario side by side."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._messages import Messages
from trajmeter.cli._options import OriginalProfile, is_original
from trajmeter.cli._results import read_results
from trajmeter.cli._stdout import stdout_console
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.errors import ConfigurationError
from trajmeter.reports.comparison import html_report, markdown_report, print_comparison
from trajmeter.summaries.comparison import compare as put_side_by_side
from trajmeter.writers import write_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.summaries.comparison import Comparison

__all__ = ["ReportFormat", "compare"]


class ReportFormat(str, Enum):
    """What is printed."""

    TABLE = "table"
    """Tables for a terminal."""
    MARKDOWN = "markdown"
    """The report as Markdown, with every question."""
    JSON = "json"
    """Every figure as one JSON document."""


_REPORTS: dict[str, Callable[[Comparison], str]] = {".md": markdown_report, ".html": html_report}


def compare(
    results: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            metavar="RESULTS...",
            show_default=False,
            help="Result files of one scenario, one for each framework.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="REPORT",
            show_default=False,
            help="Write the report to a .md file, or to an .html file that opens offline.",
        ),
    ] = None,
    output_format: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="What to print.")
    ] = ReportFormat.TABLE,
    profile: OriginalProfile = None,
) -> ExitCode:
    """Put frameworks' results of one scenario side by side.

    Shows answer quality, latency, cost, the scenario's own metrics, code quality and a scorecard.
    Questions are joined by id.

    Examples:
    trajmeter compare results/*.json

    trajmeter compare results/*.json -o report.html
    """
    messages = Messages()
    original = is_original(profile)
    if output is not None and output.suffix.lower() not in _REPORTS:
        raise ConfigurationError(f"{output}: a report is a file that ends in {', '.join(_REPORTS)}")
    comparison = put_side_by_side(read_results(results, messages), original=original)
    if output is not None:
        write_text(_REPORTS[output.suffix.lower()](comparison), output)
        messages.tell(f"wrote {output}")
    if output_format is ReportFormat.JSON:
        sys.stdout.write(comparison.model_dump_json(indent=2) + "\n")
    elif output_format is ReportFormat.MARKDOWN:
        sys.stdout.write(markdown_report(comparison))
    else:
        print_comparison(comparison, stdout_console())
    return ExitCode.UNREADABLE_INPUT if messages.unreadable else ExitCode.OK
