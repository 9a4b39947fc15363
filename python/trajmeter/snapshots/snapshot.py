"""What a snapshot holds, and what a store of snapshots can be asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.kernels import Int64Array
    from trajmeter.records import Task

__all__ = ["Definitions", "FileSnapshot", "Snapshot", "SnapshotStore"]


@dataclass(frozen=True, slots=True, eq=False)
class Definitions:
    """Definitions of one file, in columns of equal length, in the order of their source."""

    kind: tuple[str, ...]
    """Node type of each definition in its language's grammar, such as ``class_definition``."""
    start: Int64Array
    """First byte of each definition."""
    end: Int64Array
    """Byte after the last of each definition."""
    name: tuple[str | None, ...]
    """Name of each definition; ``None`` for one without a name."""

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True, slots=True, eq=False)
class FileSnapshot:
    """One file of a snapshot."""

    size: int
    """Length in bytes."""
    line_starts: Int64Array
    """First byte of every line, and the size once more where the file ends in a newline."""
    definitions: Definitions | None
    """Definitions in the file; ``None`` where they were not extracted, which is not "none"."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A repository at a commit; files are read when they are asked for."""

    repo: str | None
    """Repository, as the store names it; ``None`` where it does not say."""
    commit: str | None
    """Commit; ``None`` where the store does not say."""
    files: Mapping[str, FileSnapshot]
    """Files by path relative to the root, with forward slashes; folders are not among them."""


class SnapshotStore(Protocol):
    """Where snapshots come from."""

    def find(self, task: Task) -> Snapshot | None:
        """Snapshot of the repository that an attempt at ``task`` starts from, if there is one.

        Raises:
            ReadError: There is one, and it cannot be read.
        """
