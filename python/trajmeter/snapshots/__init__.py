"""Snapshots: a repository at a commit, reduced to what scoring needs."""

from __future__ import annotations

from trajmeter.snapshots._open import open_snapshots
from trajmeter.snapshots.snapshot import Definitions, FileSnapshot, Snapshot, SnapshotStore

__all__ = ["Definitions", "FileSnapshot", "Snapshot", "SnapshotStore", "open_snapshots"]
