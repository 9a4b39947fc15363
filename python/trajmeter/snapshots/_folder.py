"""Snapshots in folders of files: one checkout for all tasks, or a folder for each.

Files are read when they are needed. No path leads outside: names with ``..``, links that lead out
of the folder, and anything in ``.git`` are not found.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter import kernels
from trajmeter.errors import ReadError
from trajmeter.snapshots._links import linked_file
from trajmeter.snapshots.snapshot import FileSnapshot, Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.records import Task

__all__ = ["FolderSnapshots"]

_KEPT = 8
"""Snapshots to keep in memory, each with the line starts of the files that were read."""
_GIT = ".git"


class FolderSnapshots:
    """A folder that is one checkout, or holds a folder for each commit or task."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._is_checkout = any(
            entry.name == _GIT or (entry.is_file() and not entry.name.startswith("."))
            for entry in root.iterdir()
        )
        self._kept: OrderedDict[str, Snapshot] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        """Omit the line starts that were read."""
        return {**vars(self), "_kept": OrderedDict()}

    def find(self, task: Task) -> Snapshot | None:
        """Find the folder named after the task's commit, its id or an alias, in this order.

        Without one, the whole folder serves every task, whatever its commit, if it is a checkout:
        if it holds ``.git``, or a file whose name does not begin with a dot. If it holds only
        folders, it serves the tasks that have a gold file in it.
        """
        name = self._name(task)
        if name is None:
            return None
        return self._snapshot(name, task.commit if name == task.commit else None)

    def folder(self, task: Task) -> Path | None:
        """The folder whose files :meth:`find` gives."""
        name = self._name(task)
        return None if name is None else self._root / name

    def _name(self, task: Task) -> str | None:
        for name in (task.commit, task.id, *task.aliases):
            if name is not None and _is_plain(name) and self._holds(name):
                return name
        return "" if self._is_checkout or _has_gold(task, self._snapshot("", None)) else None

    def _holds(self, name: str) -> bool:
        """Whether there is a folder of this name; a link among the files of a checkout is none."""
        place = self._root / name
        return place.is_dir() and not (self._is_checkout and place.is_symlink())

    def _snapshot(self, name: str, commit: str | None) -> Snapshot:
        snapshot = self._kept.get(name)
        if snapshot is None:
            files = _FolderFiles((self._root / name).resolve())
            snapshot = self._kept[name] = Snapshot(repo=None, commit=commit, files=files)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(name)
        return snapshot


def _has_gold(task: Task, snapshot: Snapshot) -> bool:
    """Whether a path of the task's gold, with or without its leading folders, is a file."""
    for gold in task.gold_ranges or ():
        parts = gold.path.replace("\\", "/").split("/")
        if any("/".join(parts[index:]) in snapshot.files for index in range(len(parts))):
            return True
    return False


def _is_plain(name: str) -> bool:
    """Whether the name is that of an entry of a folder, not a path to another place."""
    return name not in {"", ".", "..", _GIT} and not any(mark in name for mark in "/\\:\0")


class _FolderFiles(Mapping[str, FileSnapshot]):
    """The files under a folder, by relative path; each is read on first use."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._places: dict[str, Path] = {}
        self._files: dict[str, FileSnapshot] = {}

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._place(path) is not None

    def __getitem__(self, path: str) -> FileSnapshot:
        file = self._files.get(path)
        if file is None:
            place = self._place(path)
            if place is None:
                raise KeyError(path)
            try:
                content = place.read_bytes()
            except OSError as error:
                raise ReadError(f"{place}: {error.strerror}") from error
            starts = kernels.active().line_starts(content)
            file = self._files[path] = FileSnapshot(len(content), starts, definitions=None)
        return file

    def __iter__(self) -> Iterator[str]:
        for folder, folders, names in os.walk(self._root):
            here = Path(folder).relative_to(self._root)
            folders[:] = sorted(name for name in folders if name != _GIT)
            for name in sorted(names):
                path = (here / name).as_posix()
                if path in self:
                    yield path

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _place(self, path: str) -> Path | None:
        """Where the file lies, links resolved; ``None`` unless it is a file within the root."""
        place = self._places.get(path)
        parts = path.split("/")
        if place is not None or not {"", ".", "..", _GIT}.isdisjoint(parts):
            return place
        wanted = self._root / path
        try:
            # Most paths do not exist, and this test is fast.
            if not wanted.is_file():
                return None
            place = linked_file(self._root, path)
        except (OSError, ValueError):  # no file system can hold such a name
            return None
        if place is None or _GIT in place.relative_to(self._root).parts:
            return None
        self._places[path] = place
        return place
