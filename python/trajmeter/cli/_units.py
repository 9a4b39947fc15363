"""Scoring in units: inputs that are large, folders of parts, shards and workers."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar

import typer

from trajmeter.cli._process import print_message
from trajmeter.cli._progress import units_tracked
from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pydantic import BaseModel

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.run import RunResult
    from trajmeter.scoring.runs.work import BatchWriter, Work

__all__ = [
    "Engine",
    "EngineName",
    "NoResume",
    "Overwrite",
    "Shard",
    "UnitOptions",
    "Workers",
    "are_large",
    "is_folder",
    "run_units",
]

SummaryT = TypeVar("SummaryT", bound="BaseModel")

PANEL = "Large inputs"

_FILES = (".csv", ".jsonl", ".parquet")
_LARGE_BYTES = 256 << 20
"""Up to this size one pass takes seconds; above, a run can be resumed, by several workers."""

Workers = Annotated[
    str | None,
    typer.Option(
        "--workers",
        "-w",
        metavar="N|auto",
        show_default=False,
        rich_help_panel=PANEL,
        help="Scoring processes (default: auto, which is 1 for inputs below 256 MiB, else one per "
        "core, as far as memory allows).",
    ),
]


class EngineName(str, Enum):
    """What runs the workers."""

    LOCAL = "local"
    """This program."""
    RAY = "ray"
    """Ray."""


Engine = Annotated[
    EngineName,
    typer.Option(
        "--engine",
        rich_help_panel=PANEL,
        help="Run workers as local processes, or with Ray, on the cluster that RAY_ADDRESS names.",
    ),
]
Shard = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        show_default=False,
        rich_help_panel=PANEL,
        help="Process every N-th unit, starting at the I-th. Needs an output folder, which shards "
        "may share; trajmeter merge joins them.",
    ),
]
NoResume = Annotated[
    bool,
    typer.Option(
        "--no-resume",
        rich_help_panel=PANEL,
        help="Discard the results of an unfinished run of the same command.",
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option(
        "--overwrite",
        rich_help_panel=PANEL,
        help="Replace a folder that contains the results of another run.",
    ),
]


def is_folder(output: Path) -> bool:
    """Whether an output should be a folder of parts."""
    from trajmeter.writers.files import is_folder as is_folder_of_parts

    return is_folder_of_parts(output)


class UnitOptions(NamedTuple):
    """Options of a run in units."""

    workers: str | None
    """As :data:`Workers`."""
    shard: str | None
    """As :data:`Shard`."""
    resume: bool
    """Whether to resume an earlier run."""
    overwrite: bool
    """Whether to replace another run."""
    engine: EngineName = EngineName.LOCAL
    """What runs the workers."""

    def worker_count(self) -> int | Literal["auto"]:
        """Number of workers.

        Raises:
            ConfigurationError: It is not a positive number.
        """
        if self.workers in (None, "auto"):
            return "auto"
        try:
            count = int(self.workers or "")
        except ValueError as error:
            raise ConfigurationError(
                f"--workers {self.workers!r}: expected a number or auto"
            ) from error
        if count < 1:
            raise ConfigurationError(f"--workers {count}: expected at least 1")
        return count

    def shard_numbers(self) -> tuple[int, int] | None:
        """Number of the shard, and the number of shards.

        Raises:
            ConfigurationError: It is not of the form I/N.
        """
        if self.shard is None:
            return None
        number, _, count = self.shard.partition("/")
        try:
            return int(number), int(count)
        except ValueError as error:
            raise ConfigurationError(
                f"--shard {self.shard!r}: expected I/N, such as 3/8"
            ) from error

    def are_wanted(self, files: Sequence[Path], output: Path | None) -> bool:
        """Whether to score in units, rather than everything in one pass."""
        workers = self.worker_count()
        if (
            self.engine is not EngineName.LOCAL
            or self.shard is not None
            or (output is not None and is_folder(output))
        ):
            return True
        if isinstance(workers, int) and workers != 1:
            return True
        if output is None and workers == 1:
            return False
        return are_large(files)


def are_large(paths: Sequence[Path]) -> bool:
    """Whether files, including those in folders and patterns, take more than a few seconds."""
    from trajmeter.cli._progress import sized_files

    remaining = _LARGE_BYTES
    for path in paths:
        for _, size in sized_files(path):
            remaining -= size
            if remaining < 0:
                return True
    return False


def run_units(
    work: Work[SummaryT],
    files: Sequence[Path],
    output: Path | None,
    options: UnitOptions,
    *,
    on_problem: Callable[[ReadProblem], None],
    on_opened: Callable[[Any], None] = lambda _: None,
    about: Callable[[], Mapping[str, str]] | None = None,
    tables: Callable[[], AbstractContextManager[Sequence[BatchWriter]]] | None = None,
) -> RunResult[SummaryT]:
    """Score or convert in units, with a progress bar."""
    from trajmeter.scoring.runs.run import RunListener, RunOptions, run
    from trajmeter.system.pipes import is_read_once

    def say(message: str) -> None:
        print_message(f"trajmeter: {message}")

    try:
        with units_tracked() as progress:
            done = run(
                work,
                files,
                output=output,
                options=RunOptions(
                    workers=options.worker_count(),
                    engine=options.engine.value,
                    shard=options.shard_numbers(),
                    resume=options.resume,
                    overwrite=options.overwrite,
                ),
                listener=RunListener(
                    on_problem=on_problem,
                    on_message=say,
                    on_progress=progress,
                    on_opened=on_opened,
                    about=about,
                    tables=tables,
                ),
            )
    except KeyboardInterrupt:
        if output is not None and not any(map(is_read_once, files)):
            say("run the same command again to resume")
        raise
    for text in done.failed:
        say(f"not done: {text}; run the same command again to retry")
    if not done.is_complete and not done.failed:
        say(
            f"shard {options.shard} is done; units of other shards are missing, so there is no "
            "manifest and no summary.json yet"
        )
    return done
