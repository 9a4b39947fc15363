"""Default metrics, and where attempts, tasks and snapshots come from."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ConfigurationError
from trajmeter.records import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from trajmeter.records import ReadProblem
    from trajmeter.snapshots import SnapshotStore

__all__ = ["DEFAULT_METRICS", "RecordSource", "open_store", "records_from", "tasks_from"]

DEFAULT_METRICS = ("context",)
"""Metrics used when none are named."""

_RecordT = TypeVar("_RecordT")

RecordSource: TypeAlias = "str | Path | Iterable[str | Path | _RecordT]"
"""One file, or several, or records, or both."""


def tasks_from(
    source: RecordSource[Task], *, on_problem: Callable[[ReadProblem], None] | None = None
) -> Iterator[Task]:
    """Tasks, from files of any known format and from records.

    Raises:
        InputError: An item is neither.
        ReadError: Without ``on_problem``: something cannot be read.
    """

    def read(path: Path) -> Iterator[Task]:
        from trajmeter.readers import read_tasks  # a harness passes records, and needs no reader

        return read_tasks(path, on_problem=on_problem)

    return records_from(paths_and_records(source, Task, name="tasks"), read)


def records_from(
    items: Iterable[str | Path | _RecordT], read: Callable[[Path], Iterator[_RecordT]]
) -> Iterator[_RecordT]:
    """Yield the records, and those in the files."""
    for item in items:
        if isinstance(item, (str, PathLike)):
            from trajmeter.remote import path_of

            yield from read(path_of(item))
        else:
            yield item


def open_store(
    snapshots: str | Path | SnapshotStore | None,
    repos: str | Path | None = None,
    *,
    cache: Path | bool = True,
    profiles: Collection[str] = (),
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> SnapshotStore | None:
    """Open the source of snapshots, if there is one.

    Args:
        snapshots: A file or a folder of snapshots, or a store of them.
        repos: A folder of git repositories to take snapshots from instead.
        cache: Where to cache what is found in repositories, as for
            :func:`trajmeter.snapshots.open_repositories`.
        profiles: Compatibility profiles, one of which decides how definitions are named.
        on_problem: Called with every snapshot that cannot be read.

    Raises:
        ConfigurationError: Both snapshots and repositories are given.
        ReadError: The source or, without ``on_problem``, one of its snapshots cannot be read.
    """
    if repos is not None:
        if snapshots is not None:
            raise ConfigurationError("snapshots and repos cannot be used together")
        from trajmeter.snapshots import open_repositories  # not every metric needs snapshots

        naming = "contextbench" if "contextbench" in profiles else None
        return open_repositories(repos, cache=cache, profile=naming)
    if not isinstance(snapshots, (str, PathLike)):
        return snapshots
    from trajmeter.snapshots import open_snapshots

    return open_snapshots(snapshots, on_problem=on_problem)
