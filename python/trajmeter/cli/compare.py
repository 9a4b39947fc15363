"""``trajmeter compare``: compare frameworks by their results of one scenario."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from trajmeter.cli._process import ExitCode, Unreadable, print_message, tolerating_closed_stdout
from trajmeter.cli._terminal import OriginalProfile, stdout_console

__all__ = ["ReportFormat", "compare"]


class ReportFormat(str, Enum):
    """What is printed."""

    TABLE = "table"
    """Tables for a terminal."""
    MARKDOWN = "markdown"
    """The report as Markdown, with every question."""
    MD = "md"
    """Short for markdown."""
    JSON = "json"
    """Every figure as one JSON document."""


def compare(
    results: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            metavar="RESULTS",
            show_default=False,
            help="Result files of one scenario, one per framework.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write the report to a .md file, or to an .html file that opens offline; its "
            "folder is created if missing.",
        ),
    ] = None,
    output_format: Annotated[
        ReportFormat, typer.Option("--format", "-f", help="Output format.")
    ] = ReportFormat.TABLE,
    profile: OriginalProfile = None,
) -> ExitCode:
    """Compare frameworks by their results of one scenario.

    Shows answer quality, latency, cost, the scenario's own metrics, code quality and a scorecard.
    Questions are matched by id.

    **Examples**

        trajmeter compare results/*.json
        trajmeter compare results/*.json -o report.html
    """
    from trajmeter.frameworks.compare import compare as compare_results
    from trajmeter.frameworks.compare import report_writer
    from trajmeter.frameworks.report import print_comparison
    from trajmeter.writers import check_place, json_document

    if output is not None:
        report_writer(output)  # an unknown suffix is an error before anything is read
        check_place(output)
    unreadable = Unreadable()
    compared = compare_results(results, profile=profile, on_problem=unreadable.report)
    if output is not None:
        compared.write(output)
        print_message(f"wrote {output}")
    with tolerating_closed_stdout():
        if output_format is ReportFormat.JSON:
            sys.stdout.write(json_document(compared.comparison) + "\n")
        elif output_format in (ReportFormat.MARKDOWN, ReportFormat.MD):
            sys.stdout.write(compared.markdown())
        else:
            print_comparison(compared.comparison, stdout_console())
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK
