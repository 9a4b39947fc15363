"""``trajmeter convert``: turn logs of any format into records of our own."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._process import (
    ExitCode,
    Unreadable,
    import_numpy,
    print_message,
    without_repeats,
)
from trajmeter.cli._progress import tracked
from trajmeter.cli._terminal import ColumnMap, InputFormat, LogFiles, column_map
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping

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
"""Fields that metrics read, in the order to say that a format lacks them."""


def convert(
    logs: LogFiles,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write the trajectories to this .parquet or .jsonl file; its folder is created if "
            "missing.",
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
        int | None,
        typer.Option(
            "--workers",
            "-w",
            metavar="N",
            min=1,
            show_default=False,
            help="Processes that read logs (default: one for each processor; a few logs are read "
            "by one).",
        ),
    ] = None,
) -> ExitCode:
    """Convert logs of any format to trajectories, in one file that every command reads.

    Input that cannot be read is reported with its file and line, everything else is converted, and
    the exit code is 4. The file appears when everything is written.

    **Examples**

        trajmeter convert logs/ -o trajectories.parquet
        trajmeter convert "runs/**/*.traj.json" sessions.jsonl.gz -o trajectories.jsonl
        trajmeter convert rows.parquet --map turns=trajectory,task_id=instance_id -o rows.jsonl
    """
    import_numpy()
    from trajmeter.readers.parallel import ParallelBatches
    from trajmeter.writers import check_is_no_input
    from trajmeter.writers.trajectories import check_trajectory_output, open_trajectories

    check_trajectory_output(output)
    files = without_repeats(logs)
    columns = column_map(mapping)
    if of_tasks := [field for field in columns if field.startswith("task.")]:
        raise ConfigurationError(
            f"--map {of_tasks[0]}: trajectories are written, which have no task; "
            "map it where they are scored"
        )
    check_is_no_input(output, files)
    unreadable = Unreadable()
    attempts = ParallelBatches(
        files,
        input_format=input_format,
        mapping=columns,
        profiles=profiles or (),
        on_problem=unreadable.report,
        workers=workers,
    )
    with ExitStack() as stack:
        batches = stack.enter_context(tracked(attempts, files))
        writer = stack.enter_context(open_trajectories(output))
        for batch in batches:
            writer.write_batch(batch)
    unreadable.report_total()
    _report_formats(attempts.formats)
    print_message(f"trajmeter: wrote {attempts.rows:,} trajectories to {output}")
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK


def _report_formats(counts: Mapping[str, int]) -> None:
    """Say how many trajectories were read of each format, and what none of them can carry."""
    from trajmeter.readers import format_named
    from trajmeter.records import Trajectory

    for name in sorted(counts):
        known = format_named(name, Trajectory)
        missing = [field for field in _ASKED if not _carries(known.carries, field)]
        lacks = f"; the format does not record {', '.join(missing)}" if missing else ""
        print_message(f"trajmeter: {counts[name]:,} of {name}{lacks}")


def _carries(fields: tuple[str, ...], asked: str) -> bool:
    """Whether a field, or one above or below it, is among those of a format."""
    return any(
        f"{asked}.".startswith(f"{field}.") or f"{field}.".startswith(f"{asked}.")
        for field in fields
    )
