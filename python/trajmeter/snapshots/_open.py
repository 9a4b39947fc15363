"""Opening a store of snapshots: a file or a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.remote import is_remote, path_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trajmeter.records import ReadProblem
    from trajmeter.snapshots.snapshot import SnapshotStore

__all__ = ["open_snapshots"]


def open_snapshots(
    path: str | Path, *, on_problem: Callable[[ReadProblem], None] | None = None
) -> SnapshotStore:
    """Open a store of snapshots: a file of JSON lines or Parquet, or a folder.

    Args:
        path: A file with one snapshot on each line or in each row, found by a task's commit and,
            if several share it, by its repository; or a folder, either one checkout that serves
            every task, or one that holds a folder for each commit or task id.
        on_problem: Called with every line or row that cannot be read or repeats a snapshot, and is
            left out. Without it, the first one raises.

    Returns:
        A store that reads a snapshot when a task needs it, and can be pickled. A folder has no
        definitions.

    Raises:
        ReadError: The path cannot be read or, without ``on_problem``, one of its lines or rows.
    """
    place = path_of(path)
    try:
        if place.is_dir():
            if is_remote(place):
                raise ReadError(f"{place}: remote snapshots have to be a file, not a folder")
            from trajmeter.snapshots._folder import FolderSnapshots

            return FolderSnapshots(place)
        if place.suffix.lower() == ".parquet":
            from trajmeter.snapshots.parquet import ParquetSnapshots

            return ParquetSnapshots(place, on_problem=on_problem or _refuse)
        from trajmeter.snapshots._lines import LineSnapshots

        return LineSnapshots(place, on_problem=on_problem or _refuse)
    except OSError as error:
        raise ReadError(f"{path}: cannot be read: {error.strerror or error}") from error


def _refuse(problem: ReadProblem) -> None:
    raise ReadError(str(problem))
