"""``trajmeter summarize``: means of results tables with their intervals, and gates on them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from trajmeter.cli import _gate_options as gate
from trajmeter.cli import _tables as table
from trajmeter.cli._gates import report_found
from trajmeter.cli._inputs import Unreadable, without_repeats
from trajmeter.cli._libraries import prepare_libraries, without_blas_threads
from trajmeter.cli._page import write_page
from trajmeter.cli._paths import present
from trajmeter.cli._process import ExitCode, print_message
from trajmeter.cli._progress import timed
from trajmeter.cli._result_formats import (
    ResultFormat,
    check_outputs,
    is_page,
    print_result,
    write_result,
)
from trajmeter.errors import ConfigurationError

__all__ = ["summarize"]


def summarize(
    results: table.ResultFiles,
    figures: table.Figures = None,
    by: Annotated[
        str,
        typer.Option(
            metavar="COLUMNS",
            help="Columns to group by, separated by commas; file groups by table, none puts all "
            "attempts together.",
        ),
    ] = "agent,model",
    success: table.Success = None,
    ks: Annotated[
        str | None,
        typer.Option(
            "--k",
            metavar="K,K",
            show_default=False,
            help="Attempts to draw (default: powers of 2, 5 and 10 that all tasks allow).",
        ),
    ] = None,
    tasks: Annotated[
        list[Path] | None,
        typer.Option(
            "--tasks",
            "-t",
            callback=lambda paths: paths and [*map(present, paths)],
            metavar="FILE",
            show_default=False,
            help="Tasks that should have been attempted; a task without rows counts as not scored. "
            "May be repeated.",
        ),
    ] = None,
    interval: table.Interval = table.IntervalName.AUTO,
    level: table.Level = 0.95,
    cluster: table.Cluster = "task_id",
    seed: table.Seed = 0,
    resamples: table.Resamples = 9999,
    fail_under: gate.FailUnder = None,
    fail_over: gate.FailOver = None,
    fail_under_lower: gate.FailUnderLower = None,
    fail_over_upper: gate.FailOverUpper = None,
    max_not_scored: gate.MaxNotScored = None,
    no_regression: gate.NoRegression = None,
    margin: gate.Margin = None,
    min_tasks: gate.MinTasks = 10,
    inconclusive: gate.InconclusiveOption = None,
    junit: gate.JUnitFile = None,
    step_summary: gate.StepSummary = False,
    range_: table.Ranges = None,
    better: table.Better = None,
    duplicates: table.Duplicates = None,
    mixed_settings: table.MixedSettings = False,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write to a .json, .jsonl, .csv, .md or .html file. May be repeated.",
        ),
    ] = None,
    output_format: Annotated[
        ResultFormat, typer.Option("--format", "-f", help="Output format.")
    ] = ResultFormat.TABLE,
) -> ExitCode:
    """Show figures with their intervals, and how much is missing.

    Means with intervals that account for repeated attempts at one task, pass@k, and gates for CI:
    exit code 1 if a gate failed, 5 if one could not be decided for lack of evidence.

    **Examples**

        trajmeter summarize heron.parquet magpie.parquet --figure context.line.f1
        trajmeter summarize runs.jsonl --success turns.run.passed
        trajmeter summarize new.parquet --fail-under context.line.f1=0.6 --max-not-scored 5%
        trajmeter summarize new.parquet --no-regression old.parquet --margin 0.02
    """
    prepare_libraries()
    from trajmeter.readers import read_tasks
    from trajmeter.reports.estimates import summary_sections
    from trajmeter.summaries.summarizing import summarize as sum_up

    if ks is not None and success is None:
        raise ConfigurationError("--k needs --success FIGURE")
    gates = gate.GateOptions(
        fail_under=fail_under,
        fail_over=fail_over,
        fail_under_lower=fail_under_lower,
        fail_over_upper=fail_over_upper,
        max_not_scored=max_not_scored,
        no_regression=no_regression,
        margin=margin,
        inconclusive=inconclusive,
        junit=junit,
        step_summary=step_summary,
    )
    check_outputs(output or (), [*results, *(tasks or ())])
    unreadable = Unreadable()
    tables = without_repeats(results)
    options: dict[str, Any] = {
        "figures": figures,
        "interval": interval.value,
        "level": level,
        "cluster": cluster,
        "seed": seed,
        "resamples": resamples,
        "ranges": table.ranges(range_),
        "better": table.directions(better),
        "duplicates": table.kept_duplicate(duplicates),
        "mixed_settings": mixed_settings,
    }
    with timed("Reading results"), without_blas_threads():
        found = sum_up(
            tables,
            by=by,
            success=success,
            ks=_ks(ks),
            tasks=read_tasks(without_repeats(tasks)) if tasks else None,
            gates=gates.gates(),
            min_tasks=min_tasks,
            on_problem=unreadable.report_once,
            **options,
        )
    if not found.groups:
        print_message("trajmeter: the tables contain no attempts")
    sections = partial(summary_sections, found)
    for path in output or ():
        if is_page(path):
            with timed(f"Writing {path}"):
                write_page(
                    path, tables, options, estimates=found, on_problem=unreadable.report_once
                )
        else:
            write_result(found, sections, path)
        print_message(f"trajmeter: wrote {path}")
    unreadable.report_total()
    print_result(found, sections, output_format)
    printed = output_format in (ResultFormat.TABLE, ResultFormat.MARKDOWN, ResultFormat.MD)
    code = report_found(found, gates, printed=printed)
    unread = ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK
    return ExitCode.first_of(unread, code)


def _ks(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(each) for each in text.split(",")]
    except ValueError as error:
        raise ConfigurationError(f"--k {text}: expected numbers separated by commas") from error
