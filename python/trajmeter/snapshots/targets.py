"""Which snapshots to take: of which repositories, at which commits, for which tasks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trajmeter.errors import ConfigurationError
from trajmeter.snapshots._checkout import Checkout
from trajmeter.snapshots._folder import FolderSnapshots
from trajmeter.snapshots._git import GitRepository
from trajmeter.snapshots._repositories import repositories_for, repositories_in
from trajmeter.snapshots._take import file_entries, no_commits, open_repository, resolve_commit

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from trajmeter.records import Task
    from trajmeter.snapshots._making import EntryMaker

__all__ = ["Target", "find_targets"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Target:
    """A snapshot to take."""

    repository: GitRepository | Checkout
    """Where from."""
    commit: str | None
    """Full id of the commit; ``None`` for a folder without git."""
    repo: str
    """Name of the repository as written in its tasks, otherwise that of its folder."""
    label: str | None
    """The commit as written in its tasks."""
    tasks: tuple[Task, ...] | None
    """The tasks that start from it; ``None`` if unknown."""

    def entries(
        self,
        maker: EntryMaker,
        *,
        keep: Callable[[Collection[str]], Collection[str]] | None,
        on_missing: Callable[[str], None],
    ) -> dict[str, bytes]:
        """What the snapshot stores for each file, as JSON.

        Args:
            maker: Creates entries.
            keep: Chooses the files among all paths; by default all.
            on_missing: Called with a message about each file that cannot be read and is skipped.

        Raises:
            ReadError: The files cannot be listed.
            ExtraMissingError: The grammar of a language is not installed.
        """
        return file_entries(self.repository, self.commit, maker, keep, on_missing)


def find_targets(named: str, tasks: Sequence[Task] | None) -> list[Target]:
    """The snapshots that ``REPO`` or ``REPO@COMMIT`` refers to.

    Args:
        named: A git repository with or without a commit, a folder of repositories, or any folder.
        tasks: Tasks, whose commits are taken if none is named. If ``None``, ``HEAD`` is taken.

    Returns:
        The snapshots; empty if there are none for the tasks.

    Raises:
        ReadError: The commit does not exist.
        ConfigurationError: The folder does not exist, a commit of a folder without git is
            requested, or a folder of repositories is named without tasks.
    """
    path, revision = _split(named)
    if not path.is_dir():
        raise ConfigurationError(f"{path}: {'not a folder' if path.exists() else 'no such folder'}")
    opened = open_repository(path)
    if revision is not None and not isinstance(opened, GitRepository):
        raise no_commits(opened, revision)
    if revision is None and tasks is not None and [*repositories_in(path)]:
        return _of_tasks(path, tasks)
    if isinstance(opened, GitRepository):
        return [_at(opened, revision or "HEAD", tasks or ())]
    if [*repositories_in(path)]:
        raise ConfigurationError(
            f"{path}: a folder of git repositories; name them one by one, "
            "or pass the tasks whose commits to take with --tasks"
        )
    if tasks is not None:
        return _of_folder(path, tasks)
    return [Target(repository=opened, commit=None, repo=opened.name, label=None, tasks=None)]


def _of_folder(path: Path, tasks: Sequence[Task]) -> list[Target]:
    """What :func:`open_snapshots` would find for tasks in a folder without git."""
    folders = FolderSnapshots(path)
    found: dict[tuple[str, str | None], tuple[Checkout, list[Task]]] = {}
    for task in tasks:
        place = folders.folder(task)
        if place is not None:
            checkout = Checkout(place)
            key = task.repo or checkout.name, task.commit
            found.setdefault(key, (checkout, []))[1].append(task)
    return [
        Target(repository=checkout, commit=None, repo=repo, label=label, tasks=tuple(own))
        for (repo, label), (checkout, own) in found.items()
    ]


def _split(named: str) -> tuple[Path, str | None]:
    """Repository and commit; a path may itself contain an ``@``."""
    path, at, revision = named.rpartition("@")
    if not at or not path or Path(named).exists():
        return Path(named), None
    if not revision:
        raise ConfigurationError(f"{named}: expected a commit after '@'")
    return Path(path), revision


def _at(repository: GitRepository, revision: str, tasks: Sequence[Task]) -> Target:
    commit = resolve_commit(repository, revision)
    own = [task for task in tasks if task.commit and repository.commit(task.commit) == commit]
    first = own[0] if own else None
    return Target(
        repository=repository,
        commit=commit,
        repo=(first and first.repo) or repository.name,
        label=first.commit if first else commit,
        tasks=tuple(own) or None,
    )


def _of_tasks(path: Path, tasks: Sequence[Task]) -> list[Target]:
    """The commits that tasks start from, in the order of the tasks."""
    places = [*repositories_in(path)]
    opened = {place: GitRepository(place) for _, place in places}
    found: dict[tuple[Path, str, str], list[Task]] = {}
    for task in tasks:
        for place in repositories_for(task, places) if task.commit else ():
            commit = opened[place].commit(task.commit or "")
            if commit is not None:
                found.setdefault((place, commit, task.commit or ""), []).append(task)
                break
    return [
        Target(
            repository=opened[place],
            commit=commit,
            repo=own[0].repo or opened[place].name,
            label=label,
            tasks=tuple(own),
        )
        for (place, commit, label), own in found.items()
    ]
