"""``trajmeter compare``: put frameworks' results of one scenario side by side."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from trajmeter.cli._messages import Messages
from trajmeter.cli._options import OriginalProfile  # noqa: TC001 - typer reads it
from trajmeter.cli._pipes import for_whoever_reads
from trajmeter.cli._stdout import stdout_console
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.frameworks.compare import compare as compare_results
from trajmeter.frameworks.compare import report_writer
from trajmeter.frameworks.report import print_comparison
from trajmeter.writers import check_place, json_document

__all__ = ["ReportFormat", "compare"]


class ReportFormat(str, Enum):
    """What is printed."""

    TABLE = "table"
    """Tables for a terminal."""
    MARKDOWN = "markdown"
    """The report as Markdown, with every question."""
    JSON = "json"
    """Every figure as one JSON document."""


def compare(
    results: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            metavar="RESULTS",
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
            help="Write the report to a .md file, or to an .html file that opens offline; its "
            "folder is made.",
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

    **Examples**

        trajmeter compare results/*.json
        trajmeter compare results/*.json -o report.html
    """
    messages = Messages()
    if output is not None:
        report_writer(output)  # a wrong suffix is an error before anything is read
        check_place(output)
    compared = compare_results(results, profile=profile, on_problem=messages.report_unreadable)
    if output is not None:
        compared.write(output)
        messages.tell(f"wrote {output}")
    with for_whoever_reads():
        if output_format is ReportFormat.JSON:
            sys.stdout.write(json_document(compared.comparison) + "\n")
        elif output_format is ReportFormat.MARKDOWN:
            sys.stdout.write(compared.markdown())
        else:
            print_comparison(compared.comparison, stdout_console())
    return ExitCode.UNREADABLE_INPUT if messages.unreadable else ExitCode.OK
