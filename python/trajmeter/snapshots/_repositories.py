"""Snapshots directly from git repositories in a folder; each file is read on demand."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

from trajmeter.errors import ReadError
from trajmeter.snapshots._entries import read_entry
from trajmeter.snapshots._git import GitRepository, fetch_command, git_folder
from trajmeter.snapshots._names import same_repo
from trajmeter.snapshots._take import RepositoryContents, entry_maker
from trajmeter.snapshots.snapshot import FileSnapshot, ListedFiles, Snapshot
from trajmeter.system.forks import lock_for

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from trajmeter.records import Task
    from trajmeter.snapshots._making import EntryMaker
    from trajmeter.snapshots._take import CacheFolder

__all__ = ["RepositoryFolder", "open_repositories", "repositories_for", "repositories_in"]

_KEPT = 8
"""Snapshots to keep in memory: tasks of several repositories are often interleaved."""


def open_repositories(
    folder: str | Path, *, cache: CacheFolder = True, profile: str | None = None
) -> RepositoryFolder:
    """Open a folder of git repositories as a store of snapshots.

    A task's repository ``owner/name`` is found as ``owner__name``, ``owner/name`` or ``name`` in
    the folder, bare or not, with or without ``.git`` at the end; a repository may also be named
    after a task or a commit. The folder may be the repository itself, with any name.

    Args:
        folder: The folder.
        cache: Where to cache what was found in files: a folder, ``True`` for the user's cache
            folder, ``False`` for no cache.
        profile: ``"contextbench"`` names definitions as ContextBench does.

    Returns:
        A store that reads a file of a task's commit on demand, and can be pickled. It records the
        tasks for which it found nothing.

    Raises:
        ReadError: The folder does not exist.
        UnknownNameError: The profile is unknown.
    """
    place = Path(folder)
    if not place.is_dir():
        raise ReadError(f"{folder}: not a folder, expected a folder of git repositories")
    return RepositoryFolder(place, entry_maker(cache, profile))


class RepositoryFolder:
    """The snapshots of the commits of repositories in a folder."""

    def __init__(self, folder: Path, maker: EntryMaker) -> None:
        self.folder = folder
        self._maker = maker
        self._begin()

    def _begin(self) -> None:
        self._places: list[tuple[str | None, Path]] | None = None
        self._opened_at: dict[Path, GitRepository] = {}
        self._kept: OrderedDict[tuple[Path, str], Snapshot] = OrderedDict()
        self._lock = lock_for(self, RLock)
        self.without_repository: dict[str, str | None] = {}
        """Name of the repository by id of each task whose repository was not found."""
        self.without_commit: dict[str, tuple[Path, str | None]] = {}
        """Repository and commit by id of each task whose repository lacks its commit."""

    def __getstate__(self) -> dict[str, Any]:
        """Omit git processes and what was read."""
        return {"folder": self.folder, "_maker": self._maker}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        self._begin()

    def find(self, task: Task) -> Snapshot | None:
        """The snapshot of the task's commit in its repository; ``None`` if either is missing.

        Raises:
            ReadError: Git cannot read the repository.
        """
        with self._lock:
            found = self._repositories_of(task)
            for repository in found:
                commit = None if task.commit is None else repository.commit(task.commit)
                if commit is not None:
                    return self._snapshot(repository, commit, task)
            if found:
                self.without_commit[task.id] = found[0].path, task.commit
            else:
                self.without_repository[task.id] = task.repo
            return None

    def read_ahead(self, wanted: Iterable[tuple[Snapshot, Collection[str]]]) -> None:
        """Read files of commits that will be requested, in several processes if there are many.

        Raises:
            ReadError: Git cannot read the repository.
            ExtraMissingError: The grammar of a language is not installed.
        """
        by_repository: dict[GitRepository, list[tuple[CommitFiles, str]]] = {}
        for snapshot, paths in wanted:
            files = snapshot.files
            if isinstance(files, CommitFiles):
                untaken = by_repository.setdefault(files.repository, [])
                untaken += [(files, path) for path in files.not_taken(paths)]
        for repository, untaken in by_repository.items():
            # A path is prefixed with its commit, because its end determines the language.
            places = {
                f"{number}/{path}": files.contents.places[path]
                for number, (files, path) in enumerate(untaken)
            }
            entries = self._maker.entries(repository, places)
            for (files, path), entry in zip(untaken, entries.values(), strict=True):
                if entry is not None:  # missing ones are reported when requested
                    files.take(path, entry)

    def contents(self, task: Task) -> RepositoryContents | None:
        """The contents of the files of the task's commit; ``None`` as for :meth:`find`.

        Raises:
            ReadError: Git cannot read the repository.
        """
        snapshot = self.find(task)
        return None if snapshot is None else cast("CommitFiles", snapshot.files).contents

    def missing(self) -> Iterator[str]:
        """Message about the tasks for which no snapshot was found, if any."""
        if self.without_repository:
            task, repo = next(iter(self.without_repository.items()))
            what = "which name no repository" if repo is None else f"such as {repo!r} of {task!r}"
            yield (
                f"{_tasks(self.without_repository)} found no repository in {self.folder}, {what}; "
                "owner/name is looked for as owner__name, owner/name and name, with or without .git"
            )
        if self.without_commit:
            task, (place, commit) = next(iter(self.without_commit.items()))
            what = "has no commit" if commit is None else f"needs {commit!r}"
            todo = "" if commit is None else f"; fetch it: {fetch_command(place, commit)}"
            yield (
                f"{_tasks(self.without_commit)} found no commit in their repository, "
                f"such as {task!r}, which {what} in {place}{todo}"
            )

    @property
    def places(self) -> list[Path]:
        """The repositories in the folder, or the folder itself if it is one.

        Raises:
            ReadError: The folder cannot be listed.
        """
        return [place for _, place in self._listed()]

    def _listed(self) -> list[tuple[str | None, Path]]:
        if self._places is None:
            self._places = [*repositories_in(self.folder)]
        return self._places

    def _repositories_of(self, task: Task) -> list[GitRepository]:
        return [self._opened(place) for place in repositories_for(task, self._listed())]

    def commits(self, tasks: Iterable[Task]) -> dict[str, str | None]:
        """The commit at which each task is scored, if a repository here has it, else ``None``.

        Raises:
            ReadError: Git cannot read a repository.
        """
        with self._lock:
            return {
                task.id: self._commit_in(self._repositories_of(task), task.commit)
                for task in tasks
                if task.commit is not None
            }

    @staticmethod
    def _commit_in(repositories: Iterable[GitRepository], revision: str) -> str | None:
        """Id of the commit in the first repository that has it."""
        commits = (repository.commit(revision) for repository in repositories)
        return next((commit for commit in commits if commit is not None), None)

    def close(self) -> None:
        """End the git processes, and cache what was found in files for later calls."""
        self._maker.flush()
        with self._lock:  # other threads may open further repositories
            opened = [*self._opened_at.values()]
        for repository in opened:
            repository.close()

    def _opened(self, place: Path) -> GitRepository:
        repository = self._opened_at.get(place)
        if repository is None:
            repository = self._opened_at[place] = GitRepository(place)
        return repository

    def _snapshot(self, repository: GitRepository, commit: str, task: Task) -> Snapshot:
        key = repository.path, commit
        snapshot = self._kept.get(key)
        if snapshot is None:
            files = CommitFiles(repository, commit, self._maker)
            snapshot = self._kept[key] = Snapshot(task.repo or repository.name, commit, files)
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return snapshot


class CommitFiles(ListedFiles):
    """The files of a commit by path; all are listed, and each is read on first use."""

    def __init__(self, repository: GitRepository, commit: str, maker: EntryMaker) -> None:
        self._maker = maker
        self.contents = RepositoryContents(repository, repository.files(commit))
        """The files with their contents."""
        self.repository = repository
        """The repository of the commit."""
        self._blobs = self.contents.places
        self._files: dict[str, FileSnapshot] = {}

    def __contains__(self, path: object) -> bool:
        return path in self._blobs

    def __getitem__(self, path: str) -> FileSnapshot:
        file = self._files.get(path)
        if file is None:
            repository = self.repository
            entry = self._maker.entries(repository, {path: self._blobs[path]})[path]
            if entry is None:
                raise ReadError(f"{repository.path}: {path}: {repository.why_missing}")
            file = self.take(path, entry)
        return file

    def not_taken(self, paths: Iterable[str]) -> list[str]:
        """The paths whose files are in the commit and have not been read yet."""
        return [path for path in paths if path in self._blobs and path not in self._files]

    def take(self, path: str, entry: bytes) -> FileSnapshot:
        """Store what was found in a file."""
        file = self._files[path] = read_entry(entry)
        return file

    def __iter__(self) -> Iterator[str]:
        return iter(self._blobs)

    def __len__(self) -> int:
        return len(self._blobs)


def _tasks(found: Collection[str]) -> str:
    return f"{len(found):,} task{'' if len(found) == 1 else 's'}"


def repositories_for(task: Task, places: Iterable[tuple[str | None, Path]]) -> list[Path]:
    """The repositories that may be the task's; all if it names none.

    Args:
        task: The task.
        places: Repositories from :func:`repositories_in`.
    """
    own = {task.id, *task.aliases, task.commit}
    return [
        place
        for name, place in places
        if name is None or task.repo is None or name in own or same_repo(name, task.repo)
    ]


def repositories_in(folder: Path) -> Iterator[tuple[str | None, Path]]:
    """Repositories with their names; ``None`` is the name of the folder itself, if it is one.

    Raises:
        ReadError: The folder cannot be listed.
    """
    if git_folder(folder) is not None:
        yield None, folder
        return
    try:
        folders = sorted(folder.iterdir())
    except OSError as error:
        raise ReadError(f"{folder}: cannot be read: {error.strerror}") from error
    for place in folders:
        with suppress(PermissionError):
            if git_folder(place) is not None:
                yield place.name, place
                continue
            entries = sorted(place.iterdir()) if place.is_dir() else []
            for entry in filter(git_folder, entries):
                yield f"{place.name}/{entry.name}", entry
