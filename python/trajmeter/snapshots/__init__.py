"""Snapshots: a repository at a commit, reduced to what scoring needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr
from trajmeter.snapshots._read import ReadFiles
from trajmeter.snapshots.snapshot import (
    Definitions,
    FileSnapshot,
    ListedFiles,
    ReadsAhead,
    Snapshot,
    SnapshotStore,
)

if TYPE_CHECKING:
    from trajmeter.snapshots._open import open_snapshots
    from trajmeter.snapshots._repositories import RepositoryFolder, open_repositories
    from trajmeter.snapshots._take import entry_maker, open_files, take_snapshot

__all__ = [
    "Definitions",
    "FileSnapshot",
    "ListedFiles",
    "ReadFiles",
    "ReadsAhead",
    "RepositoryFolder",
    "Snapshot",
    "SnapshotStore",
    "entry_maker",
    "open_files",
    "open_repositories",
    "open_snapshots",
    "take_snapshot",
]

_MODULES = {
    "RepositoryFolder": "_repositories",
    "entry_maker": "_take",
    "open_files": "_take",
    "open_repositories": "_repositories",
    "open_snapshots": "_open",
    "take_snapshot": "_take",
}
"""The modules of what reads and makes snapshots, loaded when they are first used."""

__getattr__ = lazy_getattr(__name__, _MODULES)
