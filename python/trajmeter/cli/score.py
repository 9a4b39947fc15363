"""``trajmeter score``: score trajectories, write a row for each, and print a summary."""

from __future__ import annotations

import shlex
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli import _gate_options as gate
from trajmeter.cli import _units as units
from trajmeter.cli._completion import metric_names
from trajmeter.cli._findings import (
    report_missing_definitions,
    report_missing_tasks,
    report_unjudged,
    warn_of_slow_kernels,
)
from trajmeter.cli._gates import report_gates
from trajmeter.cli._input_options import (
    ColumnMap,
    InputFormat,
    LogFiles,
    MetricProfiles,
    SnapshotFiles,
    TaskFiles,
    column_map,
)
from trajmeter.cli._inputs import without_repeats
from trajmeter.cli._judge_options import (
    JUDGE_PANEL,
    JudgeBaseUrl,
    JudgeRecord,
    JudgeReplay,
    JudgeRequestsPerMinute,
    JudgeTimeoutSeconds,
    make_assertion_judge,
)
from trajmeter.cli._option_values import names_in
from trajmeter.cli._outputs import ScoreOutputs
from trajmeter.cli._process import ExitCode, print_message, tolerating_closed_stdout
from trajmeter.cli._reading import BatchSize, MaxLine, Threads, batch_rows, line_bytes
from trajmeter.cli._scoring import Format, Wanted, score_at_once, score_in_units
from trajmeter.cli._snapshots import (
    CacheFolder,
    NoCache,
    RepositoryFolders,
    cache_choice,
    check_store_options,
    report_missing_snapshots,
)
from trajmeter.cli._terminal import stdout_console
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.reports.cells import counted
from trajmeter.system.processors import limited_threads

if TYPE_CHECKING:
    from trajmeter.summaries.summary import Summary

__all__ = ["Format", "score"]


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
            autocompletion=metric_names,
            help="Metrics, rules or groups of figures (context.final) by name, or file.py@name for "
            "your own (default: context). May be repeated. See trajmeter metrics list.",
        ),
    ] = None,
    profiles: MetricProfiles = None,
    input_format: InputFormat = None,
    mapping: ColumnMap = None,
    judge: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            show_default=False,
            rich_help_panel=JUDGE_PANEL,
            help="Model to judge assertions that no rule can check (default: none).",
        ),
    ] = None,
    judge_base_url: JudgeBaseUrl = None,
    judge_requests_per_minute: JudgeRequestsPerMinute = None,
    judge_timeout_seconds: JudgeTimeoutSeconds = None,
    judge_record: JudgeRecord = None,
    judge_replay: JudgeReplay = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR",
            show_default=False,
            help="Write one row per trajectory to a .jsonl, .parquet or .csv file, or to a folder "
            "of Parquet files, or a report to an .html file; folders are created if missing. May "
            "be repeated, once for each.",
        ),
    ] = None,
    output_format: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            metavar="FORMAT",
            help="Print the summary (table, markdown, md or json), the rows (jsonl or csv), or one "
            "figure per row for Inspect's precomputed_scores (inspect).",
        ),
    ] = Format.TABLE,
    figure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default=False,
            help="Figure to print with --format inspect, by name or short name (tools.f1).",
        ),
    ] = None,
    quantiles: Annotated[
        bool,
        typer.Option(
            "--quantiles",
            help="Include quantiles for each agent and model in --format json and summary.json; "
            "those over all attempts are always included.",
        ),
    ] = False,
    cache: CacheFolder = None,
    no_cache: NoCache = False,
    workers: units.Workers = None,
    threads: Threads = None,
    batch_size: BatchSize = None,
    max_line: MaxLine = None,
    engine: units.Engine = units.EngineName.LOCAL,
    shard: units.Shard = None,
    no_resume: units.NoResume = False,
    overwrite: units.Overwrite = False,
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
    """Score trajectories, write one row per attempt, and print a summary.

    Unreadable input is reported with its file and line, everything else is scored, and the exit
    code is 4. An attempt that cannot be scored is counted with its cause; that is not an error.

    **Examples**

        trajmeter score preds.jsonl --tasks gold.jsonl --snapshots snapshots.jsonl
        trajmeter score a.jsonl b.jsonl -t gold.jsonl -s checkout/ -o scores.parquet
        trajmeter score logs/ -t gold.jsonl --repos repositories/
        trajmeter score preds.jsonl -t gold.jsonl -m context,turns -p contextbench
        trajmeter score preds.jsonl -m my_metric.py@answered --format json
        trajmeter score run.eval -t gold.jsonl --format inspect --figure tools.f1
        trajmeter score preds.jsonl -t gold.jsonl --fail-under context.line.f1=0.6
        trajmeter score "runs/*.parquet" -t gold.jsonl -o scores/ --shard 3/8
        zcat runs.jsonl.gz | trajmeter score - "logs/**/*.traj.json" more/ -m turns
    """
    from trajmeter.scoring.reading_options import ReadingOptions
    from trajmeter.scoring.runs.job import Job
    from trajmeter.scoring.sources import DEFAULT_METRICS

    warn_of_slow_kernels()
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
    read = (*logs, *(tasks or ()), snapshots, judge_replay)
    if (figure is None) is (output_format is Format.INSPECT):
        raise ConfigurationError("--format inspect and --figure NAME go together")
    outputs = ScoreOutputs(output or (), read, judge)
    wanted = Wanted(outputs, output_format, gates.gates(), min_tasks, figure)
    default = DEFAULT_METRICS if figure is None else (figure.partition(".")[0],)
    names = names_in(metrics or default)
    check_store_options(snapshots, repos, cache, no_cache=no_cache)
    assertion_judge = make_assertion_judge(
        judge,
        base_url=judge_base_url,
        requests_per_minute=judge_requests_per_minute,
        timeout_seconds=judge_timeout_seconds,
        record=judge_record,
        replay=judge_replay,
    )
    task_files, files = without_repeats(tasks or ()), without_repeats(logs)
    columns = column_map(mapping)
    job = Job(
        metrics=tuple(names),
        tasks=tuple(task_files),
        mapped_tasks=tuple(files) if columns else (),
        snapshots=snapshots,
        repos=repos,
        cache=cache_choice(cache, no_cache=no_cache),
        reading=ReadingOptions(
            input_format,
            columns,
            tuple(profiles or ()),
            line_bytes(max_line),
            batch_rows(batch_size),
        ),
        quantiles=quantiles,
        judge=assertion_judge,
        judge_settings={
            "model": judge,
            "base_url": judge_base_url,
            "replay": None if judge_replay is None else str(judge_replay),
        },
    )
    in_units = units.UnitOptions(
        workers, shard, resume=not no_resume, overwrite=overwrite, engine=engine
    )
    with ExitStack() as stack:
        stack.enter_context(outputs)
        stack.enter_context(limited_threads(threads))
        if assertion_judge is not None:
            stack.callback(assertion_judge.close)
        if in_units.are_wanted(files, outputs.rows):
            done = score_in_units(job, files, wanted, in_units)
        else:
            done = score_at_once(job, files, wanted)
    summary = done.summary
    if not summary.overall.attempts and not done.problems and not done.has_failed and shard is None:
        print_message("trajmeter: the logs contain no attempts")
    report_missing_tasks(summary)
    report_missing_definitions(summary)
    if repos is not None:
        report_missing_snapshots(done.store)
    written = outputs.rows
    if done.has_failed and written is not None and not units.is_folder(written):
        print_message(f"trajmeter: {written} was not written, because units are missing")
        written = None
    _print_results(summary, written, output_format, is_complete=done.is_complete)
    code = report_gates(done.gated, gates, min_tasks)
    if done.has_failed:
        return ExitCode.INTERNAL_ERROR
    if done.problems or any(error.code == ReadError.code for error in summary.errors):
        return ExitCode.UNREADABLE_INPUT
    is_judged = assertion_judge is None or not report_unjudged(summary)
    return code if is_judged else ExitCode.UNJUDGED


def _print_results(
    summary: Summary, output: Path | None, output_format: Format, *, is_complete: bool
) -> None:
    """Print the summary, the path of the rows, and how to compute intervals for them."""
    if output is not None:
        print_message(f"trajmeter: wrote {counted(summary.overall.attempts, 'row')} to {output}")
    with tolerating_closed_stdout():
        _print_summary(summary, output_format)
    if not is_complete or not summary.overall.attempts:
        return
    if output is not None and output_format in (Format.TABLE, Format.MARKDOWN, Format.MD):
        name = shlex.quote(str(output))
        print_message(f"trajmeter: for intervals: trajmeter summarize {name}")


def _print_summary(summary: Summary, output_format: Format) -> None:
    from trajmeter.reports.plain import takes_plain
    from trajmeter.reports.scores import print_report, score_report, to_markdown, to_plain

    if output_format is Format.JSON:
        from trajmeter.writers import json_pieces

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
