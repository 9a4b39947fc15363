"""``trajmeter score``: score trajectories, write a row for each, and print a summary."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, closing
from enum import Enum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from trajmeter.cli import _gates as gate
from trajmeter.cli._outputs import ScoreOutputs
from trajmeter.cli._process import (
    ExitCode,
    PrintedTable,
    Unreadable,
    import_numpy,
    print_message,
    tolerating_closed_stdout,
    without_repeats,
)
from trajmeter.cli._progress import tracked
from trajmeter.cli._snapshots import (
    CacheFolder,
    NoCache,
    RepositoryFolders,
    open_store,
    report_missing_snapshots,
)
from trajmeter.cli._terminal import (
    JUDGE_PANEL,
    ColumnMap,
    InputFormat,
    JudgeBaseUrl,
    JudgeRecord,
    JudgeReplay,
    JudgeRequestsPerMinute,
    LogFiles,
    SnapshotFiles,
    TaskFiles,
    column_map,
    make_judge,
    stdout_console,
)
from trajmeter.errors import ConfigurationError, ReadError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from trajmeter.judges import ModelAssertionJudge
    from trajmeter.scoring.stream import StreamScorer
    from trajmeter.summaries.summary import Summary
    from trajmeter.writers import TableWriter

__all__ = ["Format", "score"]


class Format(str, Enum):
    """What is printed."""

    TABLE = "table"
    """The summary as tables for a terminal."""
    MARKDOWN = "markdown"
    """The same tables as Markdown."""
    MD = "md"
    """Short for markdown."""
    JSON = "json"
    """The summary as one JSON document."""
    JSONL = "jsonl"
    """The rows as JSON lines."""
    CSV = "csv"
    """The rows as CSV."""


def score(
    logs: LogFiles,
    tasks: TaskFiles = None,
    snapshots: SnapshotFiles = None,
    repos: RepositoryFolders = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metrics",
            "-m",
            metavar="A,B",
            show_default=False,
            help="Metrics, rules or groups of figures (context.final) by name, or file.py@name for "
            "your own (default: context). May be repeated. See trajmeter metrics list.",
        ),
    ] = None,
    profiles: Annotated[
        list[str] | None,
        typer.Option(
            "--profile",
            "-p",
            metavar="PROFILE",
            show_default=False,
            help="Reproduce another tool's numbers, quirks included. May be repeated, once per "
            "metric. See trajmeter metrics list.",
        ),
    ] = None,
    input_format: InputFormat = None,
    mapping: ColumnMap = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            show_default=False,
            rich_help_panel=JUDGE_PANEL,
            help="Model that judges assertions no rule can check; none is called by default.",
        ),
    ] = None,
    judge_base_url: JudgeBaseUrl = None,
    judge_requests_per_minute: JudgeRequestsPerMinute = None,
    judge_record: JudgeRecord = None,
    judge_replay: JudgeReplay = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write one row per trajectory to a .jsonl, .parquet or .csv file, or a report to "
            "an .html file; folders are created if missing. May be repeated, once for each.",
        ),
    ] = None,
    output_format: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="Print the summary (table, markdown, md or json) or the rows (jsonl or csv).",
        ),
    ] = Format.TABLE,
    cache: CacheFolder = None,
    no_cache: NoCache = False,
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
) -> ExitCode:
    """Score trajectories, write one row for each, and print a summary.

    Input that cannot be read is reported with its file and line, everything else is scored, and
    the exit code is 4. An attempt that cannot be scored is counted with its cause; that is not an
    error.

    **Examples**

        trajmeter score preds.jsonl --tasks gold.jsonl --snapshots snapshots.jsonl
        trajmeter score a.jsonl b.jsonl -t gold.jsonl -s checkout/ -o scores.parquet
        trajmeter score logs/ -t gold.jsonl --repos repositories/
        trajmeter score preds.jsonl -t gold.jsonl -m context,turns -p contextbench
        trajmeter score preds.jsonl -m my_metric.py@answered --format json
        trajmeter score preds.jsonl -t gold.jsonl --fail-under context.line.f1=0.6
        zcat runs.jsonl.gz | trajmeter score - "logs/**/*.traj.json" more/ -m turns
    """
    import_numpy()
    from trajmeter.metrics import create
    from trajmeter.readers import read_tasks
    from trajmeter.readers.batches import TrajectoryBatches
    from trajmeter.scoring.columns import columns_read
    from trajmeter.scoring.files import DEFAULT_METRICS
    from trajmeter.scoring.stream import StreamScorer

    _warn_of_slow_kernels()
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
    thresholds = gates.gates()
    read = (*logs, *(tasks or ()), snapshots, judge_replay)
    outputs = ScoreOutputs(output or (), read, judge)
    names = [name.strip() for part in metrics or DEFAULT_METRICS for name in part.split(",")]
    unreadable = Unreadable()
    report = unreadable.report
    store = open_store(
        snapshots, repos, cache, no_cache=no_cache, profiles=profiles or (), on_problem=report
    )
    assertion_judge = _assertion_judge(
        judge,
        base_url=judge_base_url,
        requests_per_minute=judge_requests_per_minute,
        record=judge_record,
        replay=judge_replay,
    )
    made = create(names, snapshots=store, profiles=profiles or (), judge=assertion_judge)
    task_files, files = without_repeats(tasks or ()), without_repeats(logs)
    columns = column_map(mapping)
    # Before the attempts are, as standard input is only copied once.
    mapped = [*read_tasks(files, mapping=columns, on_problem=report)] if columns else []
    reading: dict[str, Any] = {
        "input_format": input_format,
        "mapping": columns,
        "profiles": profiles or (),
    }
    attempts = TrajectoryBatches(
        files,
        columns=columns_read(made),
        on_problem=report,
        **reading,
    )
    with ExitStack() as stack:
        stack.enter_context(outputs)
        if assertion_judge is not None:
            stack.callback(assertion_judge.close)
        stack.enter_context(closing(attempts))
        attempts.start()  # on a thread, while the tasks are read
        known = chain(read_tasks(task_files, on_problem=report), mapped)
        scorer = StreamScorer(made, tasks=known)
        batches = stack.enter_context(tracked(attempts, files))
        gated = gate.GatedRows(scorer.layout, thresholds) if thresholds else None
        _write_rows(scorer, batches, outputs, output_format, gated)
        outputs.write_page(files, task_files, gates=thresholds, min_tasks=min_tasks, **reading)
    unreadable.report_total()
    # Of lines that could not be read at all, everything has been said.
    if attempts.note is not None and unreadable.count < attempts.lines_as_records / 2:
        print_message(f"trajmeter: {attempts.note}")
    summary = scorer.summary()
    _report_missing_tasks(summary)
    _report_missing_definitions(summary)
    report_missing_snapshots(store)
    _print_results(summary, outputs.rows, output_format)
    code = gate.report_gates(gated, gates, min_tasks)
    if unreadable.count or any(error.code == ReadError.code for error in summary.errors):
        return ExitCode.UNREADABLE_INPUT
    is_judged = assertion_judge is None or not _report_unjudged(summary)
    return code if is_judged else ExitCode.UNJUDGED


def _assertion_judge(
    model: str | None,
    *,
    base_url: str | None,
    requests_per_minute: float | None,
    record: Path | None,
    replay: Path | None,
) -> ModelAssertionJudge | None:
    """The judge of assertions, if one is asked for."""
    if model is None and replay is None:
        if (base_url, requests_per_minute, record) != (None, None, None):
            raise ConfigurationError("judge options need --judge MODEL")
        return None
    from trajmeter.judges import ModelAssertionJudge

    return ModelAssertionJudge(
        make_judge(
            model,
            base_url=base_url,
            requests_per_minute=requests_per_minute,
            record=record,
            replay=replay,
        )
    )


def _print_results(summary: Summary, output: Path | None, output_format: Format) -> None:
    """Print the summary, and say where the rows are and how to get intervals of them."""
    if output is not None:
        print_message(f"trajmeter: wrote {summary.overall.attempts:,} rows to {output}")
    with tolerating_closed_stdout():
        _print_summary(summary, output_format)
    if output is not None and output_format in (Format.TABLE, Format.MARKDOWN, Format.MD):
        print_message(f"trajmeter: for intervals: trajmeter summarize {output}")


def _warn_of_slow_kernels() -> None:
    """Say that the slower kernels compute, unless they were chosen."""
    from trajmeter.kernels import backend

    if backend() == "python" and os.environ.get("TRAJMETER_BACKEND") != "python":
        print_message(
            "trajmeter: the Rust extension is not installed; "
            "using the slower pure-Python kernels (same results)"
        )


def _report_unjudged(summary: Summary) -> int:
    """Say how many attempts the judge left without a verdict, if any, and how many they are."""
    from trajmeter.records import Cause

    causes = (Cause.JUDGE_ERROR, Cause.JUDGE_TIMEOUT, Cause.JUDGE_UNPARSEABLE, Cause.JUDGE_REFUSED)
    attempts, cause = max(
        (
            (figure.not_scored.get(each.value, 0), each.value)
            for figure in summary.overall.figures.values()
            for each in causes
        ),
        default=(0, ""),
    )
    if attempts:
        print_message(
            f"trajmeter: {attempts:,} of {summary.overall.attempts:,} attempts were not judged "
            f"({cause}): the reasons stand in the rows; correct what they name, and score again"
        )
    return attempts


def _report_missing_tasks(summary: Summary) -> None:
    """Say how many attempts found no task, and what to do."""
    missing = summary.missing_tasks
    if missing is None:
        return
    share = f"{missing.attempts:,} of {summary.overall.attempts:,} attempts found no task"
    if not missing.known:
        print_message(f"trajmeter: {share}; pass the tasks with --tasks FILE")
        return
    ids = ", ".join(
        repr(task_id) + (f" (did you mean {near!r}?)" if near else "")
        for task_id, near in missing.nearest.items()
    )
    print_message(f"trajmeter: {share}, such as {ids}")


def _report_missing_definitions(summary: Summary) -> None:
    """Say how many attempts have no scores of symbols for want of definitions, and what to do."""
    from trajmeter.records import Cause

    cause = Cause.MISSING_DEFINITIONS.value
    attempts = max(
        (figure.not_scored.get(cause, 0) for figure in summary.overall.figures.values()), default=0
    )
    if attempts:
        print_message(
            f"trajmeter: {attempts:,} of {summary.overall.attempts:,} attempts have no scores of "
            "symbols, because their snapshots lack definitions, as every folder does; "
            "take snapshots that have them with trajmeter snapshot, or pass git repositories with "
            "--repos DIR"
        )


def _write_rows(
    scorer: StreamScorer,
    batches: Iterable[pa.RecordBatch],
    outputs: ScoreOutputs,
    output_format: Format,
    gated: gate.GatedRows | None,
) -> None:
    """Score everything, writing each row to the file, to stdout, or to both; and to the gates."""
    from trajmeter.writers import CsvWriter, JsonLinesWriter, open_table

    printers: dict[Format, type[CsvWriter | JsonLinesWriter]] = {
        Format.JSONL: JsonLinesWriter,
        Format.CSV: CsvWriter,
    }
    with ExitStack() as stack:
        tables: list[TableWriter] = [gated] if gated is not None else []
        tables += [
            stack.enter_context(open_table(path, scorer.layout, outputs.about))
            for path in outputs.tables
        ]
        if output_format in printers:
            printed: TableWriter = printers[output_format](sys.stdout.buffer, scorer.layout)
            # The output file is completed even if stdout is closed early.
            tables.append(PrintedTable(printed) if outputs.tables else printed)
            stack.callback(tables[-1].finish)
        for each in scorer.score(batches):
            for table in tables:
                table.write_batch(each.scored)


def _print_summary(summary: Summary, output_format: Format) -> None:
    from trajmeter.reports.plain import takes_plain
    from trajmeter.reports.scores import print_report, score_report, to_markdown, to_plain
    from trajmeter.writers import json_pieces

    if output_format is Format.JSON:
        for piece in json_pieces(summary):
            typer.echo(piece, nl=False)
        typer.echo()
    elif output_format in (Format.MARKDOWN, Format.MD):
        typer.echo(to_markdown(score_report(summary)), nl=False)
    elif output_format is Format.TABLE:
        plain = to_plain(score_report(summary)) if takes_plain(sys.stdout) else None
        if plain is not None:
            typer.echo(plain, nl=False)
            return
        console = stdout_console()
        print_report(score_report(summary, width=console.width), console)
