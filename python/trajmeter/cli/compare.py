"""``trajmeter compare``: compare frameworks by their results, or systems by their scores."""

from __future__ import annotations

import sys
from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trajmeter.cli import _tables as table
from trajmeter.cli._input_options import OriginalProfile
from trajmeter.cli._inputs import Unreadable, warn_of_repeats
from trajmeter.cli._libraries import prepare_libraries, without_blas_threads
from trajmeter.cli._page import write_page
from trajmeter.cli._process import ExitCode, print_message, tolerating_closed_stdout
from trajmeter.cli._progress import timed
from trajmeter.cli._result_formats import (
    ResultFormat,
    check_outputs,
    holds_rows,
    is_page,
    print_result,
    write_result,
)
from trajmeter.cli._terminal import stdout_console
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence
__all__ = ["MissingRule", "PairsName", "compare"]

_TABLES_PANEL = "Results tables"


class MissingRule(str, Enum):
    """How to treat attempts that could not be scored."""

    DROP = "drop"
    """They are omitted."""
    WORST = "worst"
    """They get the figure's worst value."""
    BEST = "best"
    """They get the figure's best value."""


class PairsName(str, Enum):
    """Which systems are compared."""

    FIRST = "first"
    """Each with the first."""
    ALL = "all"
    """All with each other."""


def compare(
    results: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            metavar="RESULTS",
            show_default=False,
            help="Result files of one scenario, one per framework; or results tables that "
            "trajmeter score wrote, the baseline first.",
        ),
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write to a .md or .html file; of results tables, also to a .json, .jsonl or .csv "
            "file. May be repeated.",
        ),
    ] = None,
    output_format: Annotated[
        ResultFormat,
        typer.Option("--format", "-f", help="Output format; jsonl and csv of results tables only."),
    ] = ResultFormat.TABLE,
    profile: OriginalProfile = None,
    figures: table.Figures = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            show_default=False,
            rich_help_panel=_TABLES_PANEL,
            help="Columns that identify a system (default: the table, or agent,model within one).",
        ),
    ] = None,
    pairs: Annotated[
        PairsName,
        typer.Option(rich_help_panel=_TABLES_PANEL, help="Compare with the first, or all pairs."),
    ] = PairsName.FIRST,
    missing: Annotated[
        MissingRule,
        typer.Option(
            rich_help_panel=_TABLES_PANEL,
            help="Drop attempts not scored, or give them the figure's worst or best value.",
        ),
    ] = MissingRule.DROP,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            "--margin",
            metavar="M|FIGURE=M",
            show_default=False,
            rich_help_panel=_TABLES_PANEL,
            help="Largest difference that does not matter, to test whether one is not worse and "
            "whether both are equivalent. May be repeated by figure.",
        ),
    ] = None,
    tasks_table: Annotated[
        bool,
        typer.Option(
            "--tasks-table", rich_help_panel=_TABLES_PANEL, help="List every task, worst first."
        ),
    ] = False,
    interval: table.Interval = table.IntervalName.AUTO,
    level: table.Level = 0.95,
    cluster: table.Cluster = "task_id",
    seed: table.Seed = 0,
    resamples: table.Resamples = 9999,
    range_: table.Ranges = None,
    better: table.Better = None,
    duplicates: table.Duplicates = None,
    mixed_settings: table.MixedSettings = False,
) -> ExitCode:
    """Compare frameworks on one scenario, or systems by their scores.

    Results of trajmeter run: answer quality, latency, cost, the scenario's own metrics, code
    quality and a scorecard; questions are matched by id. Results tables of trajmeter score: whether
    a system is better than the first on the tasks that both have, by how much, and how certainly.

    **Examples**

        trajmeter compare results/*.json
        trajmeter compare results/*.json -o report.html
        trajmeter compare old.parquet new.parquet --figure context.line.f1 --margin 0.02
    """
    from trajmeter.readers.results import is_results_table

    warn_of_repeats(results, "each counts as a system of its own")
    are_tables = {is_results_table(path): path for path in results}
    if len(are_tables) > 1:
        raise ConfigurationError(
            f"{are_tables[True]} is a results table and {are_tables[False]} is not; compare files "
            "of one kind"
        )
    options: dict[str, Any] = {
        "figures": figures,
        "by": by,
        "pairs": pairs.value,
        "missing": missing.value,
        "margin": table.margins(margin),
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
    if True in are_tables:
        if profile is not None:
            raise ConfigurationError("--profile is for results of frameworks, not results tables")
        prepare_libraries()
        return _compare_tables(
            results, options, output or (), output_format, with_tasks=tasks_table
        )
    changed = [name for name, value in options.items() if value != _DEFAULTS.get(name)]
    if changed or tasks_table:
        shown = ", ".join(f"--{_OPTIONS.get(name, name)}" for name in changed) or "--tasks-table"
        raise ConfigurationError(
            f"{shown.replace('_', '-')}: for results tables, not for results of frameworks"
        )
    return _compare_frameworks(results, output or (), output_format, profile)


_OPTIONS = {"figures": "figure", "ranges": "range"}
_DEFAULTS: dict[str, Any] = {
    "pairs": "first",
    "missing": "drop",
    "interval": "auto",
    "level": 0.95,
    "cluster": "task_id",
    "seed": 0,
    "resamples": 9999,
    "ranges": {},
    "better": {},
    "mixed_settings": False,
}


def _compare_frameworks(
    results: Sequence[Path],
    output: Sequence[Path],
    output_format: ResultFormat,
    profile: str | None,
) -> ExitCode:
    from trajmeter.frameworks.compare import compare as compare_results
    from trajmeter.frameworks.report import print_comparison
    from trajmeter.frameworks.reporting import check_report
    from trajmeter.writers import check_is_no_input, json_document

    if output_format in (ResultFormat.JSONL, ResultFormat.CSV):
        raise ConfigurationError(
            f"--format {output_format.value}: for results tables, not for results of frameworks"
        )
    for path in output:
        check_report(path)
        check_is_no_input(path, results)
    unreadable = Unreadable()
    compared = compare_results(results, profile=profile, on_problem=unreadable.report)
    for path in output:
        compared.write(path)
        print_message(f"trajmeter: wrote {path}")
    with tolerating_closed_stdout():
        if output_format is ResultFormat.JSON:
            sys.stdout.write(json_document(compared.comparison) + "\n")
        elif output_format in (ResultFormat.MARKDOWN, ResultFormat.MD):
            sys.stdout.write(compared.markdown())
        else:
            print_comparison(compared.comparison, stdout_console())
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK


def _compare_tables(
    results: Sequence[Path],
    options: dict[str, Any],
    output: Sequence[Path],
    output_format: ResultFormat,
    *,
    with_tasks: bool,
) -> ExitCode:
    from trajmeter.reports.differences import comparison_sections
    from trajmeter.summaries.comparing import compare_scores

    check_outputs(output, results)
    unreadable = Unreadable()
    report = unreadable.report_once
    lists_tasks = (
        with_tasks
        or output_format is ResultFormat.JSON
        or not all(holds_rows(path) for path in output)
    )
    tasks_of = None if lists_tasks else ()  # every figure has a row for each of thousands of tasks
    with timed("Comparing attempts"), without_blas_threads():
        compared = compare_scores(results, on_problem=report, tasks_of=tasks_of, **options)
    for path in output:
        if is_page(path):
            with timed(f"Writing {path}"):
                write_page(path, results, options, compared=compared, on_problem=report)
        else:
            write_result(compared, partial(comparison_sections, compared, with_tasks=True), path)
        print_message(f"trajmeter: wrote {path}")
    unreadable.report_total()
    print_result(
        compared, partial(comparison_sections, compared, with_tasks=with_tasks), output_format
    )
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK
