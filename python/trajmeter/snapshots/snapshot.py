"""What a snapshot holds, and the protocol of a store of snapshots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from trajmeter.kernels import Int64Array
    from trajmeter.records import Task

__all__ = [
    "Definitions",
    "FileSnapshot",
    "ListedFiles",
    "ReadsAhead",
    "Snapshot",
    "SnapshotStore",
]


@dataclass(frozen=True, slots=True, eq=False)
class Definitions:
    """Definitions of one file in source order, as columns of equal length."""

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
    """First byte of every line, and the size once more if the file ends in a newline."""
    definitions: Definitions | None
    """Definitions in the file; ``None`` if they were not extracted, which differs from none."""


class ListedFiles(Mapping[str, FileSnapshot]):
    """Files of a snapshot that are read on first use, and whose paths are known and stay."""


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """A repository at a commit; files are read on first use."""

    repo: str | None
    """Repository, as the store names it; ``None`` if it does not."""
    commit: str | None
    """Commit; ``None`` if the store does not name it."""
    files: Mapping[str, FileSnapshot]
    """Files by path relative to the root, with forward slashes; folders are not among them."""


class SnapshotStore(Protocol):
    """Where snapshots come from."""

    def find(self, task: Task) -> Snapshot | None:
        """The snapshot that an attempt at ``task`` starts from; ``None`` if missing.

        Raises:
            ReadError: The snapshot exists and cannot be read.
        """


@runtime_checkable
class ReadsAhead(SnapshotStore, Protocol):
    """A store whose files are sooner read many at once than one by one."""

    def read_ahead(self, wanted: Iterable[tuple[Snapshot, Collection[str]]]) -> None:
        """Read files that will be asked for, of snapshots that were found here.

        Args:
            wanted: Snapshots with the paths of their files; others are passed over.

        Raises:
            ReadError: Contents cannot be read.
        """
