"""Takes the snapshot of a repository at a commit, or of a folder as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.errors import ConfigurationError, ReadError, UnknownNameError
from trajmeter.snapshots._cache import EntryCache, default_cache_folder
from trajmeter.snapshots._checkout import Checkout
from trajmeter.snapshots._entries import read_entry
from trajmeter.snapshots._git import GitRepository, fetch_command, git_folder
from trajmeter.snapshots._making import EntryMaker
from trajmeter.snapshots.snapshot import Snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from trajmeter.snapshots._definitions import Naming

__all__ = [
    "CacheFolder",
    "RepositoryContents",
    "entry_maker",
    "file_entries",
    "no_commits",
    "open_files",
    "open_repository",
    "resolve_commit",
    "take_snapshot",
]

CacheFolder: TypeAlias = "str | Path | bool"
"""Where to cache entries of files: a folder, ``True`` for the user's cache folder, ``False`` for no
cache."""
_IN_HISTORY = re.compile(r"[~^]|@\{|^[0-9a-f]{4,39}$")
"""Names that git only finds in the history that it has: ``HEAD~1``, and ids that are cut off."""


def take_snapshot(
    repository: str | Path,
    *,
    commit: str | None = None,
    paths: Iterable[str] | None = None,
    cache: CacheFolder = True,
    profile: str | None = None,
) -> Snapshot:
    """Take the snapshot of a repository at a commit, from its objects, without a checkout.

    Args:
        repository: A git repository, bare or not; or any other folder, whose files are taken as
            they are.
        commit: Any name that git knows for a commit; by default ``HEAD``.
        paths: Files to take, relative to the root; by default all. Files that do not exist are
            skipped.
        cache: Where to cache what was found in files: a folder, ``True`` for the user's cache
            folder, ``False`` for no cache. It does not affect the snapshot.
        profile: ``"contextbench"`` names definitions like ContextBench.

    Returns:
        The snapshot, with the full id of the commit and the name of the repository's folder.

    Raises:
        ReadError: The folder or the commit does not exist, or a file cannot be read.
        ConfigurationError: A commit of a folder without git is requested, or git is missing.
        UnknownNameError: The profile is unknown.
        ExtraMissingError: The grammar of a language is not installed.

    Example:
        >>> from trajmeter.snapshots import take_snapshot
        >>> snapshot = take_snapshot("examples/context/repo", cache=False)
        >>> snapshot.files["shelf/fines.py"].definitions.name
        ('fine', 'receipt')
    """
    opened = open_repository(Path(repository))
    commit_id = None
    if isinstance(opened, GitRepository):
        commit_id = resolve_commit(opened, commit or "HEAD")
    elif commit is not None:
        raise no_commits(opened, commit)
    maker = entry_maker(cache, profile)
    keep = None if paths is None else frozenset(paths).intersection
    entries = file_entries(opened, commit_id, maker, keep, _refuse)
    files = {path: read_entry(entry) for path, entry in entries.items()}
    return Snapshot(opened.name, commit_id, files)


@dataclass(frozen=True, slots=True, eq=False)
class RepositoryContents:
    """The files of a repository at a commit, or of a folder, with their contents."""

    repository: GitRepository | Checkout
    """Their location."""
    places: Mapping[str, str]
    """What identifies each path there."""

    @property
    def paths(self) -> Collection[str]:
        """Paths relative to the root."""
        return self.places.keys()

    def read(self, path: str) -> bytes | None:
        """The content of a file; ``None`` if it is missing or cannot be read.

        Raises:
            ReadError: Git cannot read the repository.
        """
        place = self.places.get(path)
        found = None if place is None else next(self.repository.read([place]))
        return None if found is None else found.content


def open_files(path: str | Path) -> RepositoryContents:
    """Open the files of a repository's ``HEAD``, or those of any other folder as they are.

    Raises:
        ReadError: The folder does not exist, or the repository has no commit.
    """
    opened = open_repository(Path(path))
    if isinstance(opened, GitRepository):
        return RepositoryContents(opened, opened.files(resolve_commit(opened, "HEAD")))
    return RepositoryContents(opened, opened.files())


def open_repository(path: Path) -> GitRepository | Checkout:
    """A git repository, or a folder of files.

    Raises:
        ReadError: It is neither.
    """
    if git_folder(path) is not None:
        return GitRepository(path)
    return Checkout(path)


def resolve_commit(repository: GitRepository, revision: str) -> str:
    """The full id of a commit.

    Raises:
        ReadError: The repository has no such commit.
    """
    commit = repository.commit(revision)
    if commit is None:
        missing = f"{repository.path}: no commit {revision!r}"
        if not _IN_HISTORY.search(revision):
            command = fetch_command(repository.path, revision)
            missing += f"; if it exists elsewhere, fetch it: {command}"
        elif repository.is_shallow():
            missing += f"; the clone is shallow; fetch its history: {repository.deepen_command}"
        raise ReadError(missing)
    return commit


def no_commits(folder: Checkout, commit: str) -> ConfigurationError:
    """The error for requesting a commit of a folder without git."""
    return ConfigurationError(
        f"{folder.path}: not a git repository, so it has no commit {commit!r}; "
        "without a commit, its files are taken as they are"
    )


def entry_maker(cache: CacheFolder, profile: str | None) -> EntryMaker:
    """The maker of file entries.

    Raises:
        UnknownNameError: The profile is unknown.
    """
    if profile not in (None, "contextbench"):
        raise UnknownNameError(
            f"snapshots have no profile {profile!r}; profiles of snapshots: contextbench"
        )
    folder = default_cache_folder() if cache is True else Path(cache) if cache else None
    naming: Naming = "contextbench" if profile == "contextbench" else "default"
    return EntryMaker(EntryCache(folder), naming)


def file_entries(
    repository: GitRepository | Checkout,
    commit: str | None,
    maker: EntryMaker,
    keep: Callable[[Collection[str]], Collection[str]] | None,
    on_missing: Callable[[str], None],
) -> dict[str, bytes]:
    """What a snapshot stores for each file, from :func:`file_entry`, in the order of paths.

    Args:
        repository: Where the files are.
        commit: The commit of a git repository.
        maker: Creates entries.
        keep: Chooses the files among all paths; by default all.
        on_missing: Called with a message about each file that cannot be read and is skipped.

    Raises:
        ReadError: The files cannot be listed.
        ExtraMissingError: The grammar of a language is not installed.
    """
    if isinstance(repository, GitRepository):
        files = repository.files(commit or "HEAD")
    else:
        files = repository.files()
    if keep is not None:
        files = {path: files[path] for path in sorted(keep(files.keys()))}
    found = maker.entries(repository, files)
    for path, entry in found.items():
        if entry is None:
            on_missing(f"{repository.path}: {path}: {repository.why_missing}")
    return {path: entry for path, entry in found.items() if entry is not None}


def _refuse(message: str) -> None:
    raise ReadError(message)
