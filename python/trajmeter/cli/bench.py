"""``trajmeter bench``: how much faster Rust is than Python, on this machine and on your files."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._completion import metric_names
from trajmeter.cli._fields import PlainFormat
from trajmeter.cli._input_options import (
    ColumnMap,
    InputFormat,
    MetricProfiles,
    SnapshotFiles,
    TaskFiles,
    column_map,
)
from trajmeter.cli._inputs import without_repeats
from trajmeter.cli._option_values import names_in
from trajmeter.cli._process import ExitCode, print_message
from trajmeter.cli._terminal import stdout_console
from trajmeter.errors import BackendError
from trajmeter.reports.cells import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from trajmeter.bench import BenchReport

__all__ = ["bench"]

_MOST_CHART = 100
"""Width of the chart where lines are not wrapped."""


def bench(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            exists=True,
            metavar="FILE",
            show_default=False,
            help="Files or folders of recorded trajectories to score (default: generated ones).",
        ),
    ] = None,
    tasks: TaskFiles = None,
    snapshots: SnapshotFiles = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="A,B",
            show_default=False,
            autocompletion=metric_names,
            help="Metrics (default: all built-in ones that the files support). May be repeated.",
        ),
    ] = None,
    profiles: MetricProfiles = None,
    input_format: InputFormat = None,
    mapping: ColumnMap = None,
    output_format: Annotated[
        PlainFormat, typer.Option("--format", "-f", help="Output format.")
    ] = PlainFormat.TABLE,
) -> ExitCode:
    """Time the Rust extension against the Python kernels on this machine.

    Every kernel is called on generated data, and trajmeter score runs on your files with both, each
    in its own process. Only the beginning of a large file is scored.

    **Examples**

        trajmeter bench
        trajmeter bench preds.jsonl --tasks gold.jsonl --snapshots snapshots.jsonl
        trajmeter bench runs/ --metrics turns --format json
        trajmeter bench runs.parquet --map turns=steps,task_id=id
    """
    from trajmeter.bench import BenchReport, Request, time_files, time_kernels
    from trajmeter.kernels import load
    from trajmeter.scoring.reading_options import ReadingOptions

    try:
        load("rust")
    except BackendError as error:
        raise BackendError(
            "there is nothing to compare, because the Rust extension cannot be imported "
            f"({error.__cause__}); install Rust from https://rustup.rs, then trajmeter again"
        ) from error
    request = Request(
        files=without_repeats(files or ()),
        metrics=names_in(metrics or ()),
        tasks=tasks or (),
        snapshots=snapshots,
        reading=ReadingOptions(input_format, column_map(mapping), tuple(profiles or ())),
    )
    request.check()  # before kernels are timed
    if (input_format or mapping) and not files:
        print_message(
            "trajmeter: --input-format and --map are for files; the generated attempts are scored "
            "without them"
        )
    with _progress() as on_progress:
        kernels = time_kernels(on_progress=on_progress)
        scored = time_files(request, on_progress=on_progress)
    report = BenchReport.of(kernels, scored)
    if output_format is PlainFormat.JSON:
        typer.echo(report.model_dump_json(indent=2))
    else:
        _print(report)
    return ExitCode.OK


@contextmanager
def _progress() -> Iterator[Callable[[str], None]]:
    """Show what is being timed on stderr: on one line of a terminal, or line by line."""
    if not sys.stderr.isatty():
        yield lambda doing: print_message(f"trajmeter: {doing}")
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status("") as status:
        yield lambda doing: status.update(Text(visible(doing)))


def _print(report: BenchReport) -> None:
    from rich.text import Text

    from trajmeter.bench import chart, tables
    from trajmeter.reports.tables import fitting
    from trajmeter.reports.terminal import print_tables

    console = stdout_console()
    console.print(Text(f"trajmeter {report.trajmeter_version} on {report.machine}"))
    for table in tables(report):
        print_tables(fitting(table, console.width), console)
    console.print()
    console.print(Text("Times as fast in Rust as in Python (logarithmic scale)", style="bold"))
    block = "█" if console.encoding.startswith("utf") else "#"
    for line in chart(report, width=min(console.width, _MOST_CHART), block=block):
        console.print(Text(line), soft_wrap=True)
