"""The files of one task: those its gold names and those that views lead to, numbered."""

from __future__ import annotations

from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.kernels import ContextFile, FileTables, ResolvedPath
from trajmeter.metrics.context import paths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.context.profile import ContextProfile
    from trajmeter.records import Task
    from trajmeter.snapshots import Definitions, FileSnapshot, Snapshot

__all__ = ["TaskFiles"]


class TaskFiles:
    """Finds the file that a path means, and what the snapshot knows of it.

    Args:
        task: The task.
        snapshot: The repository that its attempts start from, if there is one.
        profile: Which rules for paths apply, and which definitions count.
    """

    unresolved_gold: set[str]
    """Paths of gold, as written, that lead to no file of the snapshot."""
    has_snapshot: bool
    """Whether there is a snapshot."""
    lacks_definitions: bool
    """Whether the definitions of a file with gold were not extracted."""

    def __init__(self, task: Task, snapshot: Snapshot | None, profile: ContextProfile) -> None:
        self.unresolved_gold = set()
        self.has_snapshot = snapshot is not None
        self.lacks_definitions = False
        self._repo = task.repo
        self._snapshot = snapshot
        self._profile = profile
        self._files: dict[str, ContextFile] = {}
        self._codes = count()
        self._undefined: set[str] = set()

    def resolve(self, raw: str) -> ResolvedPath:
        """The file that a path of a log means."""
        path = self._find(raw)
        return ResolvedPath(None if path is None else self._file(path), leak=paths.is_leak(raw))

    def gold(self, raw: str) -> tuple[str, ContextFile]:
        """The file that a path of the reference means, which may be in no snapshot."""
        path = paths.gold_as_written(raw) if self._profile.takes_any_file_left else self._find(raw)
        if path is None:
            path = paths.file_path(raw, self._repo) or raw
        file = self._file(path)
        if self.has_snapshot and file.tables is None:
            self.unresolved_gold.add(raw)
        self.lacks_definitions |= path in self._undefined
        return path, file

    def _find(self, raw: str) -> str | None:
        if self._snapshot is None:
            return paths.file_path(raw, self._repo)
        if self._profile.takes_any_file_left:
            return paths.find_any(raw, self._snapshot.files)
        return paths.find(raw, self._snapshot.files, self._repo)

    def _file(self, path: str) -> ContextFile:
        file = self._files.get(path)
        if file is None:
            # Several threads may meet a path at once: one number is drawn for each, one is kept.
            file = self._files.setdefault(path, ContextFile(next(self._codes), self._tables(path)))
        return file

    def _tables(self, path: str) -> FileTables | None:
        known = None if self._snapshot is None else self._snapshot.files.get(path)
        if known is None:
            return None
        if known.definitions is None:
            self._undefined.add(path)
        return _tables(known, keep_empty=self._profile.keeps_empty_definitions)


def _tables(file: FileSnapshot, *, keep_empty: bool) -> FileTables:
    """Line starts, and definitions by their place; one that repeats another is left out."""
    identities: dict[tuple[int, int, str], int] = {}
    names: defaultdict[str, set[int]] = defaultdict(set)
    for identity, name in sorted(_definitions(file.definitions), key=lambda item: item[0]):
        if identity[0] < -identity[1] or keep_empty:
            index = identities.setdefault(identity, len(identities))
            if name is not None:
                names[name].add(index)
    return FileTables(
        size=file.size,
        line_starts=file.line_starts,
        definition_start=_column([start for start, _, _ in identities]),
        definition_end=_column([-negative_end for _, negative_end, _ in identities]),
        named=_Names({name: sorted(found) for name, found in names.items()}),
    )


def _definitions(
    definitions: Definitions | None,
) -> list[tuple[tuple[int, int, str], str | None]]:
    """Identity and name of each definition; identities sort by start, then the longest first."""
    if definitions is None:
        return []
    return [
        ((start, -end, kind), name)
        for kind, start, end, name in zip(
            definitions.kind,
            definitions.start.tolist(),
            definitions.end.tolist(),
            definitions.name,
            strict=True,
        )
    ]


class _Names:
    """The definitions of one file by their names."""

    def __init__(self, indices: dict[str, list[int]]) -> None:
        self._indices = indices

    def __call__(self, name: str) -> Sequence[int]:
        """Definitions of this very name, else of what follows its last dot."""
        name = name.strip()
        return self._indices.get(name) or self._indices.get(name.rpartition(".")[2], [])


def _column(values: list[int]) -> Int64Array:
    return np.array(values, dtype=np.int64)
