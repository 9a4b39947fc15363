"""Prepares each task once per run, and keeps as many as fit in memory."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from trajmeter.kernels import active
from trajmeter.metrics.context.files import RepositoryFiles, find_file
from trajmeter.metrics.context.prepared import prepare_in
from trajmeter.snapshots import ReadFiles, ReadsAhead
from trajmeter.system.forks import lock_for

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.metrics.context.profile import ContextProfile
    from trajmeter.records import Task
    from trajmeter.snapshots import Snapshot, SnapshotStore

__all__ = ["PreparedTasks"]

_MOST_BYTES = 256 << 20
"""Memory for kept repositories and tasks, in bytes."""

_TASK = 8_000
_GOLD_RANGE = 1_000
"""Approximate bytes per prepared task, and per gold range."""

_RECENT_TASKS = 8
"""Number of tasks kept between calls."""

_RECENT_BYTES = 32 << 20
"""Approximate size of the largest repository kept between calls, in bytes."""

_Key: TypeAlias = tuple[int, str | None]
_RecentKey: TypeAlias = tuple[int, int, str | None]


class _Repository:
    """The files of a snapshot, with its prepared tasks."""

    def __init__(self, snapshot: Snapshot | None, files: RepositoryFiles) -> None:
        self.snapshot = snapshot  # kept so that its id is not reused
        self.files = files
        self.tasks: dict[int, PreparedTask] = {}
        self.bytes_of_tasks = 0
        self.counted = 0
        self.last_used = 0


class PreparedTasks:
    """Prepares tasks on first use, and keeps those of the most recently used repositories.

    Args:
        snapshots: Store to find repositories in; ``None`` prepares without snapshots.
        profile: Profile to score with.
        most_bytes: Approximate limit on kept memory; tasks in use may exceed it.
    """

    def __init__(
        self,
        snapshots: SnapshotStore | None,
        profile: ContextProfile,
        *,
        most_bytes: int = _MOST_BYTES,
    ) -> None:
        self._snapshots = snapshots
        self._profile = profile
        self._most_bytes = most_bytes
        self._repositories: dict[_Key, _Repository] = {}
        self._places: dict[int, _Repository] = {}
        self._ahead: dict[int, tuple[Task, Snapshot]] = {}
        self._time = 0
        self._bytes = 0
        self._lock = lock_for(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle without the prepared tasks."""
        again = partial(PreparedTasks, most_bytes=self._most_bytes)
        return again, (self._snapshots, self._profile)

    def find(self, task: Task) -> PreparedTask:
        """Return a prepared task; drops others if memory is full.

        Raises:
            ReadError: Its snapshot cannot be read.
        """
        prepared = self._kept(task)
        if prepared is None:
            with self._lock:  # attempts may run in threads
                prepared = self._kept(task)
                if prepared is None:
                    prepared = self._prepare(task)
                    if self.is_full:
                        self.trim()
        return prepared

    def find_another(self, task: Task) -> PreparedTask:
        """Return a prepared task without dropping others, which are in use; see :attr:`is_full`."""
        return self._kept(task) or self._prepare(task)

    def find_parts(self, task: Task, most: int) -> list[PreparedTask]:
        """Prepare each of a task's first gold ranges by itself, with the files of the task.

        Raises:
            ReadError: Its snapshot cannot be read.
        """
        self.find(task)
        files = self._places[id(task)].files
        return [
            prepare_in(files, task.model_copy(update={"gold_ranges": (each,)}))
            for each in (task.gold_ranges or ())[:most]
        ]

    @property
    def reads_ahead(self) -> bool:
        """Whether reading many files at once is faster than one by one."""
        return isinstance(self._snapshots, ReadsAhead)

    def read_ahead(self, viewed: Sequence[tuple[Task, Collection[str]]]) -> None:
        """Read the files that tasks will need: those of their gold, and those viewed.

        Args:
            viewed: Tasks, each with the paths that its attempts viewed.

        Raises:
            ReadError: A snapshot cannot be read.
        """
        store = self._snapshots
        if not isinstance(store, ReadsAhead):
            return
        self._ahead = {}
        wanted: list[tuple[Snapshot, set[str]]] = []
        for task, paths in viewed:
            known = self._places.get(id(task))
            snapshot = store.find(task) if known is None else known.snapshot
            if snapshot is None:
                continue
            self._ahead[id(task)] = task, snapshot  # with the task, so that its id is not reused
            written = {*paths, *(gold.path for gold in task.gold_ranges or ())}
            found = (find_file(raw, snapshot, task.repo, self._profile) for raw in written)
            wanted.append((snapshot, {path for path in found if path is not None}))
        store.read_ahead(wanted)

    @property
    def is_full(self) -> bool:
        """Whether memory exceeds twice the limit."""
        return self._bytes > 2 * self._most_bytes

    def trim(self) -> None:
        """Drop the least recently used repositories until the rest fits.

        The latest is kept, but only with its last task if its tasks alone do not fit.
        """
        for repository in self._repositories.values():
            self._measure(repository)
        by_use = sorted(self._repositories.items(), key=lambda item: item[1].last_used)
        for key, forgotten in by_use[:-1]:
            if self._bytes <= self._most_bytes:
                break
            self._bytes -= forgotten.counted
            del self._repositories[key]
            for task in forgotten.tasks:
                del self._places[task]
        if by_use and by_use[-1][1].bytes_of_tasks > self._most_bytes:
            self._keep_last_task(by_use[-1][1])

    def _keep_last_task(self, repository: _Repository) -> None:
        *others, last = repository.tasks
        for task in others:
            del repository.tasks[task], self._places[task]
        repository.bytes_of_tasks = _size(repository.tasks[last].task)
        self._measure(repository)

    def _measure(self, repository: _Repository) -> None:
        """Update the recorded size of a repository."""
        found = repository.files.bytes + repository.bytes_of_tasks
        self._bytes += found - repository.counted
        repository.counted = found

    def _kept(self, task: Task) -> PreparedTask | None:
        repository = self._places.get(id(task))
        if repository is None:
            return None
        self._time += 1
        repository.last_used = self._time
        return repository.tasks.get(id(task))

    def _prepare(self, task: Task) -> PreparedTask:
        _, snapshot = self._ahead.pop(id(task), (task, None))
        if snapshot is None and self._snapshots is not None:
            snapshot = self._snapshots.find(task)
        # Without a snapshot, each task gets files of its own.
        key = (id(task if snapshot is None else snapshot), task.repo)
        repository = self._repositories.get(key)
        known = None if repository else _RECENT.find(task, snapshot, self._profile)
        if repository is None:
            files = known.files if known else self._files(snapshot, task)
            repository = self._repositories[key] = _Repository(snapshot, files)
        prepared = known.task if known else prepare_in(repository.files, task)
        _RECENT.keep(_Recent(prepared, repository.files))
        repository.tasks[id(task)] = prepared
        repository.bytes_of_tasks += _size(task)
        self._places[id(task)] = repository
        self._time += 1
        repository.last_used = self._time
        self._measure(repository)
        return prepared

    def _files(self, snapshot: Snapshot | None, task: Task) -> RepositoryFiles:
        return RepositoryFiles(snapshot, task.repo, self._profile, active())


def _size(task: Task) -> int:
    """Approximate bytes of a prepared task."""
    return _TASK + _GOLD_RANGE * len(task.gold_ranges or ())


class _Recent(NamedTuple):
    """A prepared task, and the files it was prepared with."""

    task: PreparedTask
    files: RepositoryFiles


class _RecentTasks:
    """The last tasks prepared in this process, for harnesses that score one attempt at a time.

    Tasks with a folder as the snapshot are not kept, because a folder may change between calls.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[_RecentKey, _Recent] = OrderedDict()
        self._lock = lock_for(self)

    def find(
        self, task: Task, snapshot: Snapshot | None, profile: ContextProfile
    ) -> _Recent | None:
        """Find a task prepared earlier with the same snapshot, profile and kernels."""
        recent = self._kept.get((id(task), id(snapshot), profile.name))
        if recent is None or recent.files.kernels is not active():
            return None
        return recent

    def keep(self, recent: _Recent) -> None:
        """Keep a task and drop the oldest, unless its files may change or take much memory."""
        prepared, files = recent
        snapshot = prepared.snapshot
        is_read = snapshot is None or type(snapshot.files) in (dict, ReadFiles)
        if not is_read or files.bytes > _RECENT_BYTES:
            return
        # The objects are kept too, so that their ids are not reused.
        key = id(prepared.task), id(prepared.snapshot), prepared.profile.name
        with self._lock:
            self._kept[key] = recent
            self._kept.move_to_end(key)
            if len(self._kept) > _RECENT_TASKS:
                self._kept.popitem(last=False)


_RECENT = _RecentTasks()
