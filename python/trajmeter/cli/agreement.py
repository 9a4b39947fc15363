"""``trajmeter agreement``: whether judges agree."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from trajmeter.cli import _tables as table
from trajmeter.cli._inputs import Unreadable, warn_of_repeats
from trajmeter.cli._libraries import prepare_libraries
from trajmeter.cli._process import ExitCode, tolerating_closed_stdout
from trajmeter.cli._terminal import stdout_console

__all__ = ["AgreementFormat", "ScaleName", "agreement"]


class ScaleName(str, Enum):
    """What distances between ratings mean."""

    NOMINAL = "nominal"
    """Ratings are equal or not."""
    ORDINAL = "ordinal"
    """Ranks."""
    INTERVAL = "interval"
    """Values."""


class AgreementFormat(str, Enum):
    """What to print."""

    TABLE = "table"
    """A table for a terminal."""
    MARKDOWN = "markdown"
    """The same as Markdown."""
    MD = "md"
    """Short for markdown."""
    JSON = "json"
    """One JSON document."""


def agreement(
    judges: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            metavar="JUDGES",
            show_default=False,
            help="A file for each judge: a results table, a framework's result file, or a "
            "recording of a judge.",
        ),
    ],
    figures: table.Figures = None,
    scale: Annotated[
        ScaleName | None,
        typer.Option(
            show_default=False,
            help="Default: ordinal for integers, interval for other numbers, nominal for texts "
            "and booleans.",
        ),
    ] = None,
    level: table.Level = 0.95,
    seed: table.Seed = 0,
    resamples: table.Resamples = 9999,
    output_format: Annotated[
        AgreementFormat, typer.Option("--format", "-f", help="Output format.")
    ] = AgreementFormat.TABLE,
) -> ExitCode:
    """Measure how far judges agree: Krippendorff's alpha, quadratic kappa, exact agreement.

    Results tables are joined by task, agent, model and attempt, framework results by question, and
    recordings by prompt.

    **Examples**

        trajmeter agreement judge-a.jsonl judge-b.jsonl --figure rules.tool_usage
        trajmeter agreement anchor-gpt.json anchor-claude.json
    """
    prepare_libraries()
    from trajmeter.frameworks.agreement import agreement as measure
    from trajmeter.reports.estimates import agreement_sections
    from trajmeter.reports.sections import print_sections, to_markdown
    from trajmeter.writers import json_document

    warn_of_repeats(judges, "each counts as a judge of its own")
    unreadable = Unreadable()
    found = measure(
        judges,
        figures=figures,
        scale=None if scale is None else scale.value,
        level=level,
        seed=seed,
        resamples=resamples,
        on_problem=unreadable.report,
    )
    unreadable.report_total()
    with tolerating_closed_stdout():
        if output_format is AgreementFormat.JSON:
            sys.stdout.write(json_document(found) + "\n")
        elif output_format is AgreementFormat.TABLE:
            print_sections(agreement_sections(found), stdout_console())
        else:
            sys.stdout.write(to_markdown(agreement_sections(found)))
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK
