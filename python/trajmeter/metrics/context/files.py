"""Numbers the files of a repository that gold names and that views lead to."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trajmeter.kernels import ContextFile, FileListing, FileTables, ResolvedPath
from trajmeter.metrics.context import paths
from trajmeter.snapshots import ListedFiles, ReadFiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import ContextFiles, Int64Array, Kernels, PathSearch, TablesLike
    from trajmeter.metrics.context.profile import ContextProfile
    from trajmeter.snapshots import Definitions, FileSnapshot, Snapshot

__all__ = ["RepositoryFiles"]

_Identity: TypeAlias = "tuple[int, int, str]"
"""Start, negated end and kind of a definition; it sorts the longest first among equal starts."""

# Approximate bytes of memory per file, line and definition of a snapshot, including text.
_FILE = 600
_LINE = 8
_DEFINITION = 150


class RepositoryFiles:
    """Finds the file that a path refers to, with its lines and definitions in the snapshot.

    Tasks with the same snapshot and repository share one instance.

    Args:
        snapshot: The repository that attempts start from; ``None`` if unknown.
        repo: Its name, as written in the tasks.
        profile: Decides which rules for paths apply, and which definitions count.
        kernels: Backend to compute with.
    """

    kernel: ContextFiles
    """The files as the backend stores them."""
    snapshot: Snapshot | None
    """The repository that attempts start from; ``None`` if unknown."""
    has_snapshot: bool
    """Whether there is a snapshot."""

    def __init__(
        self,
        snapshot: Snapshot | None,
        repo: str | None,
        profile: ContextProfile,
        kernels: Kernels,
    ) -> None:
        self.has_snapshot = snapshot is not None
        self.profile = profile
        self.kernels = kernels
        self._repo = repo
        self.snapshot = snapshot
        self._snapshot_bytes = 0 if snapshot is None else _snapshot_bytes(snapshot)
        self._files: dict[str, ContextFile] = {}
        self._gold: dict[str, tuple[str, ContextFile]] = {}
        self._codes = count()
        self._undefined: set[str] = set()
        self.kernel = kernels.context_files(self.resolve, profile.rules, self._listing())

    @property
    def bytes(self) -> int:
        """Approximate memory of the snapshot and its files, in bytes."""
        return self._snapshot_bytes + self.kernel.bytes

    def resolve(self, raw: str) -> ResolvedPath:
        """Find the file that a path in a log refers to."""
        path = self._find(raw)
        return ResolvedPath(None if path is None else self.file(path), leak=paths.is_leak(raw))

    def gold(self, raw: str) -> tuple[str, ContextFile]:
        """Find the file that a path of gold refers to, which may not exist in the snapshot."""
        found = self._gold.get(raw)
        if found is None:
            found = self._gold[raw] = self._find_gold(raw)
        return found

    def _find_gold(self, raw: str) -> tuple[str, ContextFile]:
        path = paths.gold_as_written(raw) if self.profile.takes_any_file_left else self._find(raw)
        if path is None:
            path = paths.file_path(raw, self._repo) or raw
        return path, self.file(path)

    def file(self, path: str) -> ContextFile:
        """Return the file at a path relative to the repository's root."""
        file = self._files.get(path)
        if file is None:
            # Several threads may look up a new path at once: each draws a number, one is kept.
            file = self._files.setdefault(path, ContextFile(next(self._codes), self._tables(path)))
        return file

    def lacks_definitions(self, path: str) -> bool:
        """Whether the snapshot has no extracted definitions for a requested file."""
        return path in self._undefined

    def _find(self, raw: str) -> str | None:
        if self.snapshot is None:
            return paths.file_path(raw, self._repo)
        return find_file(raw, self.snapshot, self._repo, self.profile)

    def _listing(self) -> FileListing | None:
        """How the backend finds files itself; ``None`` for a folder, as listing one is slow."""
        if self.snapshot is None:
            return FileListing("unlisted", self._repo, (), self.file)
        if not isinstance(self.snapshot.files, (dict, ListedFiles)):
            return None
        search: PathSearch = "any_left" if self.profile.takes_any_file_left else "careful"
        return FileListing(search, self._repo, self.snapshot.files, self.file)

    def _tables(self, path: str) -> TablesLike | None:
        if self.snapshot is None:
            return None
        files, keep_empty = self.snapshot.files, self.profile.keeps_empty_definitions
        if isinstance(files, ReadFiles) and path in files:
            tables = files.tables(path, keep_empty=keep_empty)
            if tables is not None:
                if not files.has_definitions(path):
                    self._undefined.add(path)
                return tables
        known = files.get(path)
        if known is None:
            return None
        if known.definitions is None:
            self._undefined.add(path)
        return _tables(known, keep_empty=keep_empty)


def find_file(
    raw: str, snapshot: Snapshot, repo: str | None, profile: ContextProfile
) -> str | None:
    """Find the file of a snapshot that a path in a log refers to, if any."""
    if profile.takes_any_file_left:
        return paths.find_any(raw, snapshot.files)
    return paths.find(raw, snapshot.files, repo)


def _snapshot_bytes(snapshot: Snapshot) -> int:
    """Approximate memory of a snapshot in bytes; 0 if its files are not held in memory."""
    files = snapshot.files
    if isinstance(files, ReadFiles):
        lines, definitions = files.totals
    elif isinstance(files, dict):
        lines = sum(len(file.line_starts) for file in files.values())
        definitions = sum(len(file.definitions or ()) for file in files.values())
    else:
        return 0
    return _FILE * len(files) + _LINE * lines + _DEFINITION * definitions


def _tables(file: FileSnapshot, *, keep_empty: bool) -> FileTables:
    """Line starts, and definitions in order of position without duplicates."""
    names = _Names(file.definitions, keep_empty=keep_empty)
    start, end = names.places()
    return FileTables(
        size=file.size,
        line_starts=file.line_starts,
        definition_start=start,
        definition_end=end,
        named=names,
    )


def _identities(definitions: Definitions) -> list[_Identity]:
    starts, ends = definitions.start.tolist(), (-definitions.end).tolist()
    return list(zip(starts, ends, definitions.kind, strict=True))


class _Names:
    """Finds the definitions of one file by name; the index is built on first use.

    Args:
        definitions: The definitions as recorded.
        keep_empty: Whether to keep definitions of zero length.
    """

    def __init__(self, definitions: Definitions | None, *, keep_empty: bool) -> None:
        self._definitions = definitions
        self._keep_empty = keep_empty

    def places(self) -> tuple[Int64Array, Int64Array]:
        """Start and end of the kept definitions, in order."""
        if self._definitions is None:
            return _column([]), _column([])
        start, end = self._definitions.start, self._definitions.end
        is_kept = self._keep_empty or np.count_nonzero(start >= end) == 0
        if is_kept and np.count_nonzero(start[1:] <= start[:-1]) == 0:  # as in most files
            return np.ascontiguousarray(start, np.int64), np.ascontiguousarray(end, np.int64)
        starts = [begin for begin, _, _ in self._identities]
        return _column(starts), _column([-negative for _, negative, _ in self._identities])

    @cached_property
    def _identities(self) -> list[_Identity]:
        """The distinct kept definitions, sorted by start, then longest first."""
        written = [] if self._definitions is None else _identities(self._definitions)
        return sorted({each for each in written if self._keep_empty or each[0] < -each[1]})

    def __call__(self, name: str) -> Sequence[int]:
        """Definitions with this name or, if there are none, with the part after its last dot."""
        name = name.strip()
        return self._indices.get(name) or self._indices.get(name.rpartition(".")[2], [])

    @cached_property
    def _indices(self) -> dict[str, list[int]]:
        if self._definitions is None:
            return {}
        places = {identity: place for place, identity in enumerate(self._identities)}
        names: defaultdict[str, set[int]] = defaultdict(set)
        written = _identities(self._definitions)
        for identity, name in zip(written, self._definitions.name, strict=True):
            if name is not None and identity in places:
                names[name].add(places[identity])
        return {name: sorted(found) for name, found in names.items()}


def _column(values: list[int]) -> Int64Array:
    return np.array(values, dtype=np.int64)
