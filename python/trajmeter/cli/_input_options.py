"""Options for what commands read: trajectories, tasks and snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._completion import format_names
from trajmeter.cli._paths import existing, present
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ColumnMap",
    "InputFormat",
    "LogFile",
    "LogFiles",
    "MetricProfiles",
    "OriginalProfile",
    "SnapshotFiles",
    "TaskFiles",
    "column_map",
]

LogFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="LOGS",
        show_default=False,
        # Without annotations: on Python 3.10, typer mistakes a list of paths for a class.
        callback=lambda paths: [*map(existing, paths)],
        help="Files, folders or quoted patterns (logs/**/*.json) of recorded trajectories, or - "
        "for standard input; formats are detected from content.",
    ),
]
LogFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        callback=existing,
        help="File, folder or quoted pattern of recorded trajectories, or - for standard input; "
        "the format is detected from content.",
    ),
]
InputFormat = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        metavar="NAME",
        show_default=False,
        autocompletion=format_names,
        help="Format of all logs, instead of detecting it. See trajmeter formats.",
    ),
]
ColumnMap = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN,…",
        show_default=False,
        help="Columns or keys of the logs that contain fields of a trajectory under other names: "
        "turns=steps,task_id=id. Prefix fields of its task with task.: task.gold_patch=patch. May "
        "be repeated.",
    ),
]


def column_map(options: Sequence[str] | None) -> dict[str, str]:
    """The columns of :data:`ColumnMap` by field.

    Raises:
        ConfigurationError: A part is not ``FIELD=COLUMN``, or repeats a field.
    """
    columns: dict[str, str] = {}
    for part in (part for option in options or () for part in option.split(",")):
        field, separator, column = (text.strip() for text in part.partition("="))
        if not (field and separator and column):
            raise ConfigurationError(f"--map {part!r}: expected FIELD=COLUMN")
        if field in columns:
            raise ConfigurationError(f"--map: two columns for {field!r}")
        columns[field] = column
    return columns


TaskFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--tasks",
        "-t",
        callback=lambda paths: paths and [*map(present, paths)],
        metavar="FILE",
        show_default=False,
        help="Tasks with their references. May be repeated.",
    ),
]
SnapshotFiles = Annotated[
    Path | None,
    typer.Option(
        "--snapshots",
        "-s",
        callback=lambda path: path and present(path),
        metavar="FILE|DIR",
        show_default=False,
        help="Repositories at the tasks' commits: a file of snapshots, or a folder.",
    ),
]

MetricProfiles = Annotated[
    list[str] | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="PROFILE",
        show_default=False,
        help="Reproduce another tool's numbers, quirks included. May be repeated, once per "
        "metric. See trajmeter metrics list.",
    ),
]
OriginalProfile = Annotated[
    str | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="PROFILE",
        show_default=False,
        help="framework-comparison: reproduce the original benchmark's numbers, quirks included.",
    ),
]
