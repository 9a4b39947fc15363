"""``trajmeter average``: average several runs of one framework."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from trajmeter.cli._messages import Messages
from trajmeter.cli._options import OriginalProfile, PlainFormat
from trajmeter.cli._plain import print_fields
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.frameworks.compare import is_original
from trajmeter.frameworks.repeats import average as average_runs
from trajmeter.frameworks.results import read_results, write_evaluation
from trajmeter.writers import check_is_no_input, check_place, json_document

__all__ = ["average"]


def average(
    runs: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            metavar="RUNS",
            show_default=False,
            help="Result files of single runs of one framework, in order.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="RESULT",
            show_default=False,
            help="Write the average as a result file; its folder is made.",
        ),
    ] = None,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="What to print.")
    ] = PlainFormat.TABLE,
    profile: OriginalProfile = None,
) -> ExitCode:
    """Average several runs of one framework, question by question.

    Scores and latencies are averaged, tokens and cost summed, and the answer closest to the mean
    correctness stands for all.

    **Example**

        trajmeter average results/anchor_*_run?.json -o results/anchor.json
    """
    messages = Messages()
    if output is not None:
        check_place(output)
        check_is_no_input(output, runs)
    read = read_results(runs, on_problem=messages.report_unreadable)
    evaluations = [evaluation for _, evaluation in read]
    averaged = average_runs(evaluations, original=is_original(profile))
    if output is not None:
        write_evaluation(averaged, output)
        messages.tell(f"wrote {output}")
    if output_format is PlainFormat.JSON:
        sys.stdout.write(json_document(averaged) + "\n")
    else:
        print_fields(averaged.model_dump(exclude={"questions", "code_quality", "versions"}))
    return ExitCode.UNREADABLE_INPUT if messages.unreadable else ExitCode.OK
