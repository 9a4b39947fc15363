"""``trajmeter report``: present results on one page that explains its numbers."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli import _tables as table
from trajmeter.cli._input_options import OriginalProfile, SnapshotFiles
from trajmeter.cli._inputs import Unreadable, without_repeats
from trajmeter.cli._libraries import prepare_libraries
from trajmeter.cli._paths import existing, present
from trajmeter.cli._process import ExitCode, print_message, tolerating_closed_stdout
from trajmeter.cli._progress import records_tracked, timed
from trajmeter.cli._snapshots import RepositoryFolders
from trajmeter.cli._terminal import stdout_console

if TYPE_CHECKING:
    from trajmeter.frameworks.reporting import Report

__all__ = ["OutlineFormat", "report", "write_report"]


class OutlineFormat(str, Enum):
    """What to print."""

    TABLE = "table"
    """Headlines and tables for a terminal."""
    MARKDOWN = "markdown"
    """The same as Markdown."""
    MD = "md"
    """Short for markdown."""


def report(
    results: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            metavar="RESULTS",
            show_default=False,
            help="Results tables that trajmeter score wrote (Parquet, JSON lines or CSV), the "
            "baseline first; or result files of one scenario, one per framework.",
        ),
    ],
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write an .html page that opens offline, or an .md file. May be repeated; without "
            "it, headlines and tables are printed.",
        ),
    ] = None,
    trajectories: Annotated[
        list[str] | None,
        typer.Option(
            "--trajectories",
            callback=lambda logs: logs and [str(existing(Path(each))) for each in logs],
            metavar="LOGS",
            show_default=False,
            help="Logs of the attempts: each attempt then opens to its turns. A file, folder or "
            "quoted pattern; may be repeated.",
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
            help="Tasks with their gold, to compare views with; a task without rows counts as not "
            "scored. May be repeated.",
        ),
    ] = None,
    snapshots: SnapshotFiles = None,
    repos: RepositoryFolders = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", show_default=False, help="Heading of the report.")
    ] = None,
    figures: table.Figures = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            show_default=False,
            help="Columns that identify a system (default: the table, or agent,model within one).",
        ),
    ] = None,
    success: table.Success = None,
    profile: OriginalProfile = None,
    output_format: Annotated[
        OutlineFormat, typer.Option("--format", "-f", help="Output format.")
    ] = OutlineFormat.TABLE,
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
    """Write a report: who is better, by how much, how certainly, on what, and why.

    One page that opens offline: headlines, figures with their intervals as charts, cost against
    quality, values over tasks, what failed, and a table of attempts that expand to everything known
    about them. It ends with how it was made.

    **Examples**

        trajmeter report scores.parquet -o report.html
        trajmeter report old.parquet new.parquet -o report.html --trajectories logs/ -t gold.jsonl
        trajmeter report results/*_lighthouse_*.json -o report.html
        trajmeter report scores.jsonl --figure context.line.f1 --format markdown
    """
    prepare_libraries()
    from trajmeter.frameworks.reporting import check_report
    from trajmeter.frameworks.reporting import report as make_report
    from trajmeter.readers import read_tasks, read_trajectories
    from trajmeter.writers import check_is_no_input

    for path in output or ():
        check_report(path)
        check_is_no_input(path, [*results, *(tasks or ()), *([snapshots] if snapshots else ())])
    unreadable = Unreadable()
    named = without_repeats(tasks or ())
    with ExitStack() as stack:
        logs = None
        if trajectories is not None:
            read = read_trajectories(trajectories, on_problem=unreadable.report_once)
            logs = stack.enter_context(records_tracked(read, [*map(Path, trajectories)]))
        else:
            stack.enter_context(timed("Comparing attempts"))
        made = make_report(
            without_repeats(results),
            title=title,
            figures=figures,
            by=by,
            success=success,
            tasks=read_tasks(named, on_problem=unreadable.report_once) if named else None,
            trajectories=logs,
            snapshots=snapshots,
            repos=repos,
            interval=interval.value,
            level=level,
            cluster=cluster,
            seed=seed,
            resamples=resamples,
            ranges=table.ranges(range_) or None,
            better=table.directions(better) or None,
            duplicates=table.kept_duplicate(duplicates),
            mixed_settings=mixed_settings,
            profile=profile,
            on_problem=unreadable.report_once,
        )
    for path in output or ():
        write_report(made, path)
    unreadable.report_total()
    if not output:
        _print(made, output_format)
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK


def write_report(made: Report, path: Path) -> None:
    """Write a report, and print its path."""
    with timed(f"Writing {path}"):
        made.write(path)
    print_message(f"trajmeter: wrote {path}")


def _print(made: Report, output_format: OutlineFormat) -> None:
    from trajmeter.reports.page.outline import outline
    from trajmeter.reports.sections import print_sections

    with tolerating_closed_stdout():
        if output_format is OutlineFormat.TABLE:
            print_sections(outline(made.document), stdout_console())
        else:
            sys.stdout.write(made.markdown())
