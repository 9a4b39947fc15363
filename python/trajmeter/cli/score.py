"""``trajmeter score``: score trajectories, write a row for each, and print a summary."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._judging import BaseUrl, Recording, Replayed, RequestsPerMinute, make_judge
from trajmeter.cli._messages import Messages
from trajmeter.cli._pipes import PrintedTable, for_whoever_reads
from trajmeter.cli._progress import tracked
from trajmeter.cli._stdout import stdout_console
from trajmeter.cli.exit_codes import ExitCode
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.judges import DEFAULT_MODEL, ModelAssertionJudge
from trajmeter.metrics import create
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.reports.scores import print_report, score_report, to_markdown
from trajmeter.scoring.files import DEFAULT_METRICS, Scorer
from trajmeter.snapshots import open_snapshots
from trajmeter.writers import (
    CsvWriter,
    JsonLinesWriter,
    check_is_no_input,
    check_output,
    json_document,
    open_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.records import Trajectory
    from trajmeter.summaries.summary import Summary
    from trajmeter.writers import TableWriter

__all__ = ["Format", "score"]


class Format(str, Enum):
    """What is printed."""

    TABLE = "table"
    """The summary as tables for a terminal."""
    MARKDOWN = "markdown"
    """The same tables as Markdown."""
    JSON = "json"
    """The summary as one JSON document."""
    JSONL = "jsonl"
    """The rows as JSON lines."""
    CSV = "csv"
    """The rows as CSV."""


_ROW_WRITERS: dict[Format, type[JsonLinesWriter | CsvWriter]] = {
    Format.JSONL: JsonLinesWriter,
    Format.CSV: CsvWriter,
}


def score(
    predictions: Annotated[
        list[Path],
        typer.Argument(
            exists=True,
            metavar="PREDICTIONS",
            show_default=False,
            help="Files or folders of recorded trajectories; formats are told by content.",
        ),
    ],
    tasks: Annotated[
        list[Path] | None,
        typer.Option(
            "--tasks",
            "-t",
            exists=True,
            metavar="GOLD",
            show_default=False,
            help="Tasks with their references. May be repeated.",
        ),
    ] = None,
    snapshots: Annotated[
        Path | None,
        typer.Option(
            "--snapshots",
            "-s",
            exists=True,
            metavar="FILE|DIR",
            show_default=False,
            help="Repositories at the tasks' commits: a file of snapshots, or a folder.",
        ),
    ] = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="A,B",
            show_default=False,
            help="Metrics by name, or file.py@name for one of your own; "
            f"{', '.join(DEFAULT_METRICS)} by default. May be repeated. "
            "See trajmeter metrics list.",
        ),
    ] = None,
    profiles: Annotated[
        list[str] | None,
        typer.Option(
            "--profile",
            "-p",
            metavar="P",
            show_default=False,
            help="Reproduce another tool's numbers, quirks included. May be repeated, once for "
            "each metric. See trajmeter metrics list.",
        ),
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            show_default=False,
            help="Model that judges the assertions no rule can grade; none is asked by default.",
        ),
    ] = None,
    judge_base_url: BaseUrl = None,
    judge_requests_per_minute: RequestsPerMinute = None,
    judge_record: Recording = None,
    judge_replay: Replayed = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            show_default=False,
            help="Write one row for each trajectory to a .jsonl, .parquet or .csv file; its folder "
            "is made.",
        ),
    ] = None,
    output_format: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="Print the summary as tables, markdown or json, or the rows as jsonl or csv.",
        ),
    ] = Format.TABLE,
) -> ExitCode:
    """Score trajectories, write one row for each, and print a summary.

    What cannot be read is reported with its file and line, and everything else is scored: the
    command then ends with code 4. What cannot be scored is counted with its cause, and is no error.

    **Examples**

        trajmeter score preds.jsonl --tasks gold.jsonl --snapshots snapshots.jsonl
        trajmeter score a.jsonl b.jsonl -t gold.jsonl -s checkout/ -o scores.parquet
        trajmeter score preds.jsonl -t gold.jsonl -m context,turns -p contextbench
        trajmeter score preds.jsonl -m my_metric.py@answered --format json
    """
    messages = Messages()
    messages.tell_backend()
    if output is not None:
        read = (*predictions, *(tasks or ()), snapshots, judge_replay)
        check_output(output)
        check_is_no_input(output, [path for path in read if path is not None])
    names = [name.strip() for part in metrics or DEFAULT_METRICS for name in part.split(",")]
    report = messages.report_unreadable
    store = open_snapshots(snapshots, on_problem=report) if snapshots is not None else None
    assertion_judge = None
    if judge is not None or judge_replay is not None:
        asked = make_judge(
            judge or DEFAULT_MODEL,
            base_url=judge_base_url,
            requests_per_minute=judge_requests_per_minute,
            record=judge_record,
            replay=judge_replay,
        )
        assertion_judge = ModelAssertionJudge(asked)
    elif (judge_base_url, judge_requests_per_minute, judge_record) != (None, None, None):
        raise ConfigurationError("options of a judge need --judge MODEL: no judge is asked for")
    scorer = Scorer(
        create(names, snapshots=store, profiles=profiles or (), judge=assertion_judge),
        tasks=read_tasks(messages.each_once(tasks or ()), on_problem=report),
    )
    files = messages.each_once(predictions)
    trajectories = read_trajectories(files, on_problem=report)
    with tracked(trajectories, files, messages.console) as watched:
        _write_rows(scorer, watched, output, _ROW_WRITERS.get(output_format))
    messages.tell_unreadable()
    summary = scorer.summary()
    if output is not None:
        messages.tell(f"trajmeter: wrote {summary.overall.attempts:,} rows to {output}")
    with for_whoever_reads():
        _print_summary(summary, output_format)
    unreadable = messages.unreadable or any(e.code == ReadError.code for e in summary.errors)
    return ExitCode.UNREADABLE_INPUT if unreadable else ExitCode.OK


def _write_rows(
    scorer: Scorer,
    trajectories: Iterable[Trajectory],
    output: Path | None,
    printer: type[JsonLinesWriter | CsvWriter] | None,
) -> None:
    """Score everything, writing each row to the file, to stdout, or to both."""
    with ExitStack() as stack:
        tables: list[TableWriter] = []
        if output is not None:
            tables.append(stack.enter_context(open_table(output, scorer.layout)))
        if printer is not None:
            printed: TableWriter = printer(sys.stdout.buffer, scorer.layout)
            # A file that was asked for is completed, whoever reads what is printed.
            tables.append(PrintedTable(printed) if tables else printed)
            stack.callback(tables[-1].finish)
        for _, values in scorer.score(trajectories):
            for table in tables:
                table.write(values)


def _print_summary(summary: Summary, output_format: Format) -> None:
    if output_format is Format.JSON:
        typer.echo(json_document(summary))
    elif output_format is Format.MARKDOWN:
        typer.echo(to_markdown(score_report(summary)), nl=False)
    elif output_format is Format.TABLE:
        console = stdout_console()
        print_report(score_report(summary, width=console.width), console)
