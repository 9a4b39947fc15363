"""``trajmeter snapshot``: take snapshots of repositories, with their definitions."""

from __future__ import annotations

from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from trajmeter.cli._input_options import ColumnMap, InputFormat, TaskFiles, column_map
from trajmeter.cli._inputs import Unreadable, without_repeats
from trajmeter.cli._libraries import prepare_libraries
from trajmeter.cli._paths import existing
from trajmeter.cli._process import ExitCode, print_message, tolerating_closed_stdout
from trajmeter.cli._snapshots import CacheFolder, NoCache, cache_choice
from trajmeter.cli._streams import stdout_bytes
from trajmeter.errors import ConfigurationError
from trajmeter.records import ReadProblem
from trajmeter.reports.cells import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import pyarrow as pa

    from trajmeter.metrics.context.needed import ViewedPaths
    from trajmeter.records import Task
    from trajmeter.snapshots.targets import Target
    from trajmeter.writers.snapshots import SnapshotWriter

__all__ = ["snapshot"]


def snapshot(
    repositories: Annotated[
        list[str],
        typer.Argument(
            metavar="REPO[@COMMIT]",
            show_default=False,
            help="Git repositories, bare or not, each at a commit (default: HEAD, or the tasks' "
            "commits); with --tasks, folders of repositories; or other folders, whose files are "
            "read from disk.",
        ),
    ],
    tasks: TaskFiles = None,
    trajectories: Annotated[
        list[Path] | None,
        typer.Option(
            "--trajectories",
            callback=lambda paths: paths and [*map(existing, paths)],
            metavar="LOGS",
            show_default=False,
            help="Keep only the files that these trajectories viewed or the tasks' gold names. "
            "May be repeated.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Write the snapshots to a .jsonl or .parquet file; its folder is created if "
            "missing (default: JSON lines on stdout).",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            "-p",
            metavar="PROFILE",
            show_default=False,
            help="contextbench: name definitions like ContextBench.",
        ),
    ] = None,
    input_format: InputFormat = None,
    mapping: ColumnMap = None,
    cache: CacheFolder = None,
    no_cache: NoCache = False,
) -> ExitCode:
    """Take snapshots of repositories, for the context metrics.

    A snapshot contains the size, line starts and definitions of each file at a commit. It is read
    from git objects; nothing is checked out or fetched.

    **Examples**

        trajmeter snapshot checkout/ -o snapshots.jsonl
        trajmeter snapshot django.git@4.2 django.git@main -o snapshots.parquet
        trajmeter snapshot repos/ --tasks gold.jsonl -o snapshots.jsonl
        trajmeter snapshot repos/ -t gold.jsonl --trajectories logs/ -o snapshots.jsonl
    """
    prepare_libraries()
    from trajmeter.readers import read_tasks
    from trajmeter.snapshots import entry_maker
    from trajmeter.snapshots.targets import find_targets
    from trajmeter.writers import check_is_no_input
    from trajmeter.writers.snapshots import check_snapshot_output

    if trajectories is None and (input_format is not None or mapping):
        raise ConfigurationError("--input-format and --map need --trajectories LOGS")
    inputs = [*(tasks or ()), *(trajectories or ())]
    if output is not None:
        check_snapshot_output(output)
        check_is_no_input(output, inputs)
    unreadable = Unreadable()
    maker = entry_maker(cache_choice(cache, no_cache=no_cache), profile)
    known = None
    if tasks is not None:
        known = [*read_tasks(without_repeats(tasks), on_problem=unreadable.report)]
    targets = [target for each in repositories for target in find_targets(each, known)]
    if known is not None:
        _report_unfound(known, targets, repositories)
    viewed = None
    if trajectories is not None:
        from trajmeter.metrics.context.needed import VIEW_COLUMNS
        from trajmeter.readers.batches import TrajectoryBatches

        batches = TrajectoryBatches(
            without_repeats(trajectories),
            columns=VIEW_COLUMNS,
            input_format=input_format,
            mapping=column_map(mapping),
            profiles=() if profile is None else (profile,),
            on_problem=unreadable.report,
        )
        with closing(batches):
            viewed = _viewed(batches)
    count = 0
    with _writer(output) as writer:
        for target in targets:
            entries = target.entries(
                maker,
                keep=None if viewed is None else partial(_needed, viewed, target),
                on_missing=lambda text: unreadable.report(_problem(text)),
            )
            writer.write(target.repo, target.label, entries)
            count += len(entries)
    unreadable.report_total()
    if output is not None:
        print_message(
            f"trajmeter: wrote {counted(len(targets), 'snapshot')} "
            f"of {counted(count, 'file')} to {output}"
        )
    return ExitCode.UNREADABLE_INPUT if unreadable.count else ExitCode.OK


@contextmanager
def _writer(output: Path | None) -> Iterator[SnapshotWriter]:
    """A writer to a file, or to stdout."""
    from trajmeter.writers.snapshots import JsonLinesSnapshots, open_snapshot_file

    if output is None:
        with tolerating_closed_stdout():
            yield JsonLinesSnapshots(stdout_bytes())
    else:
        with open_snapshot_file(output) as writer:
            yield writer


def _viewed(batches: Iterable[pa.RecordBatch]) -> ViewedPaths:
    """The paths that trajectories viewed."""
    from trajmeter.metrics.context.needed import ViewedPaths

    viewed = ViewedPaths()
    for batch in batches:
        viewed.add(batch)
    return viewed


def _needed(viewed: ViewedPaths, target: Target, files: Collection[str]) -> set[str]:
    from trajmeter.metrics.context.needed import needed

    return needed(viewed.of(target.tasks), files)


def _report_unfound(
    tasks: Sequence[Task], targets: Sequence[Target], repositories: Sequence[str]
) -> None:
    """Report how many tasks start from none of the commits, and where they were searched for."""
    found = {task.id for target in targets for task in target.tasks or ()}
    missing = [task for task in tasks if task.id not in found]
    if missing:
        first = missing[0]
        print_message(
            f"trajmeter: {len(missing):,} of {len(tasks):,} tasks have no snapshot, such as "
            f"{first.id!r} ({first.repo or 'no repository'} at {first.commit or 'no commit'}): "
            f"looked in {', '.join(repositories)}"
        )


def _problem(text: str) -> ReadProblem:
    place, _, reason = text.partition(": ")
    return ReadProblem(file=place, message=reason)
