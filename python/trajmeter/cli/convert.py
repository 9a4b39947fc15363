"""``trajmeter convert``: convert logs of any format to Trajmeter records."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli import _units as units
from trajmeter.cli._input_options import ColumnMap, InputFormat, LogFiles, column_map
from trajmeter.cli._inputs import Unreadable, without_repeats
from trajmeter.cli._libraries import prepare_libraries
from trajmeter.cli._process import ExitCode, print_message
from trajmeter.cli._progress import tracked
from trajmeter.cli._reading import BatchSize, MaxLine, Threads, batch_rows, line_bytes
from trajmeter.errors import ConfigurationError, UnknownNameError
from trajmeter.remote import path_of
from trajmeter.system.processors import limited_threads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.scoring.reading_options import ReadingOptions

__all__ = ["convert"]

_ASKED = (
    "model",
    "turns",
    "turns.tool_calls",
    "turns.tool_calls.result",
    "turns.views",
    "turns.usage",
    "usage.cost_usd",
    "duration_seconds",
    "failure",
    "final_output",
    "final_patch",
)
"""Fields that metrics read, in the order in which missing ones are reported."""


def convert(
    logs: LogFiles,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR",
            show_default=False,
            help="Write the trajectories to this .parquet or .jsonl file, or to a folder of "
            "Parquet files; folders are created if missing.",
        ),
    ],
    input_format: InputFormat = None,
    mapping: ColumnMap = None,
    profiles: Annotated[
        list[str] | None,
        typer.Option(
            "--profile",
            "-p",
            metavar="PROFILE",
            show_default=False,
            help="Read logs as another tool does, such as contextbench. May be repeated.",
        ),
    ] = None,
    workers: Annotated[
        str | None,
        typer.Option(
            "--workers",
            "-w",
            metavar="N|auto",
            show_default=False,
            help="Processes that read logs (default: auto, which is one per core, or one in all "
            "for a few logs).",
        ),
    ] = None,
    threads: Threads = None,
    batch_size: BatchSize = None,
    max_line: MaxLine = None,
    engine: units.Engine = units.EngineName.LOCAL,
    shard: units.Shard = None,
    no_resume: units.NoResume = False,
    overwrite: units.Overwrite = False,
) -> ExitCode:
    """Convert logs in any format to trajectories, in one file that every command reads.

    Unreadable input is reported with its file and line, everything else is converted, and the exit
    code is 4. The file appears once it is complete. Inputs above 256 MiB, and those converted to a
    folder, are processed in units; run the same command again to resume.

    **Examples**

        trajmeter convert logs/ -o trajectories.parquet
        trajmeter convert "runs/**/*.traj.json" more.jsonl.gz -o runs.jsonl
        trajmeter convert rows.parquet --map turns=steps,task_id=id -o rows.jsonl
        trajmeter convert "logs/**/*.jsonl" -o trajectories/ --shard 3/8
    """
    prepare_libraries()
    from trajmeter.scoring.reading_options import ReadingOptions
    from trajmeter.writers import check_is_apart
    from trajmeter.writers.trajectories import check_trajectory_output

    output = path_of(output)
    is_folder = units.is_folder(output)
    check_is_apart(output, logs)
    if not is_folder:
        check_trajectory_output(output)
    files = without_repeats(logs)
    columns = column_map(mapping)
    if of_tasks := [field for field in columns if field.startswith("task.")]:
        raise ConfigurationError(
            f"--map {of_tasks[0]}: the output has trajectories without tasks; "
            "map it when scoring them"
        )
    if profiles:
        _check_profiles(profiles)
    reading = ReadingOptions(
        input_format,
        columns,
        tuple(profiles or ()),
        line_bytes(max_line),
        batch_rows(batch_size),
    )
    options = units.UnitOptions(
        workers, shard, resume=not no_resume, overwrite=overwrite, engine=engine
    )
    count = options.worker_count()
    is_local = engine is units.EngineName.LOCAL
    if is_folder or shard is not None or not is_local or units.are_large(files):
        with limited_threads(threads):
            return _convert_in_units(reading, files, output, options)
    with limited_threads(threads):
        return _convert_at_once(reading, files, output, None if count == "auto" else count)


def _convert_at_once(
    reading: ReadingOptions, files: Sequence[Path], output: Path, workers: int | None
) -> ExitCode:
    """Convert everything in one pass."""
    from trajmeter.readers.column_types import check_column_types
    from trajmeter.readers.parallel import ParallelBatches
    from trajmeter.writers import OutputWatch
    from trajmeter.writers.trajectories import open_trajectories

    check_column_types(files, **reading.recognition())
    watch = OutputWatch(output)
    unreadable = Unreadable()
    attempts = ParallelBatches(
        files, **reading._asdict(), on_problem=unreadable.report, workers=workers
    )
    with ExitStack() as stack:
        batches = stack.enter_context(tracked(attempts, files))
        writer = stack.enter_context(open_trajectories(output))
        for batch in batches:
            writer.write_batch(batch)
        message = watch.message()
        if message:
            print_message(f"trajmeter: {message}")
    unreadable.report_total()
    _report_formats(attempts.formats)
    if not attempts.rows and not unreadable.count and reading.input_format is not None:
        print_message(
            f"trajmeter: nothing was found, because all logs were read as {reading.input_format}; "
            "without --input-format, their formats are detected"
        )
    _report_written(attempts.rows, output)
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK


def _convert_in_units(
    reading: ReadingOptions, files: Sequence[Path], output: Path, options: units.UnitOptions
) -> ExitCode:
    """Convert unit by unit, so the same command can resume."""
    from trajmeter.scoring.runs.converting import Conversion

    unreadable = Unreadable()
    done = units.run_units(
        Conversion(reading), files, output, options, on_problem=unreadable.report
    )
    unreadable.report_total(done.problems)
    _report_formats(done.summary.formats)
    if done.failed:
        if not units.is_folder(output):
            print_message(f"trajmeter: {output} was not written, because units are missing")
        return ExitCode.INTERNAL_ERROR
    _report_written(done.rows, output)
    return ExitCode.UNREADABLE_INPUT if done.problems else ExitCode.OK


def _check_profiles(profiles: Sequence[str]) -> None:
    """Reject profiles that no format has.

    Raises:
        UnknownNameError: There is no such profile.
    """
    from trajmeter.readers import FileFormat, RecordFormat
    from trajmeter.readers import formats as all_formats

    known: set[str] = set()
    for each in all_formats():
        if isinstance(each, RecordFormat):
            known.update(each.profile_reads)
        elif isinstance(each, FileFormat):
            known.update(each.profile_records)
    for name in profiles:
        if name not in known:
            raise UnknownNameError(
                f"logs have no profile {name!r}; profiles of logs: {', '.join(sorted(known))}"
            )


def _report_written(count: int, output: Path) -> None:
    what = "trajectory" if count == 1 else "trajectories"
    print_message(f"trajmeter: wrote {count:,} {what} to {output}")


def _report_formats(counts: Mapping[str, int]) -> None:
    """Report the number of trajectories of each format, and the fields that none of them has."""
    from trajmeter.readers import format_named
    from trajmeter.records import Trajectory

    for name in sorted(counts):
        known = format_named(name, Trajectory)
        missing = [field for field in _ASKED if not _carries(known.carries, field)]
        lacks = f"; the format does not record {', '.join(missing)}" if missing else ""
        print_message(f"trajmeter: {counts[name]:,} of {name}{lacks}")


def _carries(fields: tuple[str, ...], asked: str) -> bool:
    """Whether a format has a field, or one above or below it."""
    return any(
        f"{asked}.".startswith(f"{field}.") or f"{field}.".startswith(f"{asked}.")
        for field in fields
    )
