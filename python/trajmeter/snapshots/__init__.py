"""Snapshots: a repository at a commit, reduced to what scoring needs."""

from __future__ import annotations

from trajmeter.snapshots._open import open_snapshots
from trajmeter.snapshots._repositories import RepositoryFolder, open_repositories
from trajmeter.snapshots._take import entry_maker, open_files, take_snapshot
from trajmeter.snapshots.snapshot import (
    Definitions,
    FileSnapshot,
    ListedFiles,
    Snapshot,
    SnapshotStore,
)

__all__ = [
    "Definitions",
    "FileSnapshot",
    "ListedFiles",
    "RepositoryFolder",
    "Snapshot",
    "SnapshotStore",
    "entry_maker",
    "open_files",
    "open_repositories",
    "open_snapshots",
    "take_snapshot",
]
