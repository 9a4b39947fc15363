"""Snapshots of a file that is scanned once for their positions; each is read on demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from trajmeter.errors import ReadError
from trajmeter.snapshots._names import same_repo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trajmeter.records import ReadProblem, Task
    from trajmeter.snapshots.snapshot import Snapshot

__all__ = ["IndexedSnapshots", "Place"]

_MOST_BYTES = 256 << 20
"""Maximum memory of the snapshots to keep: tasks of several repositories are often interleaved."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a snapshot lies in the file."""

    repo: str | None
    offset: int
    bytes: int
    """Its approximate size in memory."""
    number: int
    """Its line or row."""


class IndexedSnapshots(ABC):
    """The snapshots of one file, found by commit, then by repository.

    Args:
        path: The file.
        on_problem: Called with every line or row that cannot be read and is left out.
    """

    unit: ClassVar[str]
    """What holds a snapshot, for messages."""

    def __init__(self, path: Path, *, on_problem: Callable[[ReadProblem], None]) -> None:
        self.path = path
        self._places: dict[str | None, list[Place]] = {}
        self._kept: OrderedDict[Place, Snapshot] = OrderedDict()
        self._kept_bytes = 0
        self.index(on_problem)

    def __getstate__(self) -> dict[str, Any]:
        """Omit the snapshots that were read: they are large, and can be read again."""
        return {**vars(self), "_kept": OrderedDict(), "_kept_bytes": 0}

    @abstractmethod
    def index(self, on_problem: Callable[[ReadProblem], None]) -> None:
        """Note the place of each snapshot."""

    @abstractmethod
    def read(self, place: Place) -> Snapshot:
        """Read a snapshot.

        Raises:
            ReadError: It cannot be read.
        """

    def find(self, task: Task) -> Snapshot | None:
        """The snapshot of the task's commit; of several with that commit, that of its repository.

        Repositories agree if their names do, or the last parts of their names: a task of ``cli``
        finds ``cli/cli``. ``None`` if none fits, or several do.

        Raises:
            ReadError: The snapshot cannot be read.
        """
        places = self._places.get(task.commit, [])
        if len(places) > 1 or task.commit is None:
            same = [place for place in places if same_repo(place.repo, task.repo)]
            exact = [place for place in same if place.repo == task.repo]
            places = exact or same
        return self._load(places[0]) if len(places) == 1 else None

    def note(self, commit: str | None, place: Place) -> None:
        """Remember where a snapshot lies.

        Raises:
            ReadError: There is one of this repository and commit already.
        """
        places = self._places.setdefault(commit, [])
        for other in places:
            if other.repo == place.repo:
                raise ReadError(
                    f"a second snapshot of {place.repo!r} at {commit!r}, left out; "
                    f"the first is on {self.unit} {other.number}"
                )
        places.append(place)

    def _load(self, place: Place) -> Snapshot:
        snapshot = self._kept.get(place)
        if snapshot is None:
            snapshot = self._kept[place] = self.read(place)
            self._kept_bytes += place.bytes
            while self._kept_bytes > _MOST_BYTES and len(self._kept) > 1:
                forgotten, _ = self._kept.popitem(last=False)
                self._kept_bytes -= forgotten.bytes
        self._kept.move_to_end(place)
        return snapshot
