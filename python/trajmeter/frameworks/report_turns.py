"""The turns that a report shows, from logs or trajectories."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain, islice
from os import PathLike
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from trajmeter.records import ReadProblem, Task, Trajectory
    from trajmeter.reports.results.turns import Turns
    from trajmeter.snapshots import SnapshotStore

__all__ = ["report_turns"]


def report_turns(
    trajectories: str | Path | Iterable[str | Path] | Iterable[Trajectory],
    tasks: Sequence[Task] = (),
    *,
    snapshots: str | Path | SnapshotStore | None = None,
    repos: str | Path | None = None,
    limit: int | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
    **reading: Any,  # noqa: ANN401 - as read_trajectories takes it
) -> Turns:
    """Read the turns that a report shows.

    Args:
        trajectories: Logs, or trajectories.
        tasks: Tasks, with the gold ranges to compare views with.
        snapshots: Their snapshots, for gold in definitions and bytes.
        repos: Git repositories to take them from instead.
        limit: Maximum number to read.
        on_problem: Called with every record that cannot be read.
        reading: Further arguments for :func:`~trajmeter.readers.read_trajectories`.
    """
    from trajmeter.metrics import TaskIndex
    from trajmeter.readers import read_trajectories
    from trajmeter.records import Trajectory
    from trajmeter.reports.results.turns import read_turns

    remaining: Iterator[Any]
    remaining = iter([trajectories] if isinstance(trajectories, (str, PathLike)) else trajectories)
    first = [*islice(remaining, 1)]
    read: Iterable[Any] = chain(first, remaining)
    if first and not isinstance(first[0], Trajectory):
        read = read_trajectories([*read], on_problem=on_problem, **reading)
    else:
        read = _checked(read)
    if not tasks:
        return read_turns(read, limit=limit)
    with _opened(snapshots, repos, on_problem) as store:
        return read_turns(read, TaskIndex(tasks), snapshots=store, limit=limit)


def _checked(trajectories: Iterable[Any]) -> Iterator[Trajectory]:
    """The same trajectories, each checked to be one."""
    from trajmeter.arguments import check_type
    from trajmeter.records import Trajectory

    for number, each in enumerate(trajectories):
        check_type(each, Trajectory, name=f"trajectories[{number}]")
        yield each


@contextmanager
def _opened(
    snapshots: str | Path | SnapshotStore | None,
    repos: str | Path | None,
    on_problem: Callable[[ReadProblem], None] | None,
) -> Iterator[SnapshotStore | None]:
    """The snapshots, open while they are used."""
    if repos is not None:
        if snapshots is not None:
            raise ConfigurationError("snapshots and repos cannot be used together")
        from trajmeter.snapshots import open_repositories

        store = open_repositories(repos)
        try:
            yield store
        finally:
            store.close()
    elif isinstance(snapshots, (str, PathLike)):
        from trajmeter.snapshots import open_snapshots

        yield open_snapshots(snapshots, on_problem=on_problem)
    else:
        yield snapshots
