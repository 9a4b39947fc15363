"""``trajmeter average``: average several runs of one framework."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from trajmeter.cli._fields import PlainFormat, print_fields
from trajmeter.cli._input_options import OriginalProfile
from trajmeter.cli._inputs import Unreadable, without_repeats
from trajmeter.cli._process import ExitCode, print_message

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
            metavar="FILE",
            show_default=False,
            help="Write the average to this .json result file; its folder is created if missing.",
        ),
    ] = None,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = PlainFormat.TABLE,
    profile: OriginalProfile = None,
) -> ExitCode:
    """Average several runs of one framework, question by question.

    Scores and latencies are averaged, tokens and cost are summed, and the answer closest to the
    mean correctness represents the runs.

    **Example**

        trajmeter average results/anchor_*_run?.json -o results/anchor.json
    """
    from trajmeter.errors import ConfigurationError
    from trajmeter.frameworks.compare import is_original
    from trajmeter.frameworks.repeats import average as average_runs
    from trajmeter.frameworks.result_files import read_results, write_evaluation
    from trajmeter.writers import check_is_no_input, check_place, json_document

    runs = without_repeats(runs)
    if output is not None:
        if output.suffix.lower() != ".json":
            raise ConfigurationError(f"{output}: expected a file that ends in .json")
        check_place(output)
        check_is_no_input(output, runs)
    unreadable = Unreadable()
    read = read_results(runs, on_problem=unreadable.report)
    averages = [name for name, evaluation in read if evaluation.run_count > 1]
    if averages:
        raise ConfigurationError(f"{averages[0]} is an average of several runs; pass single runs")
    evaluations = [evaluation for _, evaluation in read]
    averaged = average_runs(evaluations, original=is_original(profile))
    if output is not None:
        write_evaluation(averaged, output)
        print_message(f"trajmeter: wrote {output}")
    if output_format is PlainFormat.JSON:
        sys.stdout.write(json_document(averaged) + "\n")
    else:
        print_fields(averaged.model_dump(exclude={"questions", "code_quality", "versions"}))
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK
