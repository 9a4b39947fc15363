"""Commits and files of a git repository, read from its objects: no checkout is needed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.errors import ReadError
from trajmeter.snapshots._git_objects import AmbiguousNameError, GitObjects
from trajmeter.snapshots._links import MOST_LINKS
from trajmeter.snapshots._names import folder_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.snapshots._checkout import Content

__all__ = ["GitRepository", "fetch_command", "git_folder"]

_LINK, _FOLDER, _FILE = b"120000", b"40000", b"100"


def git_folder(path: Path) -> Path | None:
    """The git folder of a repository: its ``.git``, or a bare repository itself.

    ``None`` for any other folder, also within a repository.
    """
    if (path / ".git").exists():
        return path / ".git"
    is_bare = (path / "HEAD").is_file() and (path / "objects").is_dir() and (path / "refs").is_dir()
    return path if is_bare else None


def fetch_command(repository: Path, revision: str) -> str:
    """The command that fetches a commit, for a message.

    The revision may be from a data set, so it is quoted, and never an option of git: one of them
    names a program to run.
    """
    words = ["git", "-C", str(repository), "fetch", "origin"]
    return shlex.join([*words, "--", revision] if revision.startswith("-") else [*words, revision])


class _TreeEntry(NamedTuple):
    """A file, link or folder directly in a tree."""

    mode: bytes
    name: bytes
    object_id: str


class _Tree(NamedTuple):
    """What a commit holds, by path."""

    files: dict[bytes, str]
    links: dict[bytes, str]
    folders: set[bytes]


class GitRepository:
    """A repository at any of its commits. Threads may share it.

    Args:
        path: The repository, bare or not.

    Raises:
        ReadError: It is not a repository.
    """

    def __init__(self, path: Path) -> None:
        folder = git_folder(path)
        if folder is None:
            raise ReadError(f"{path}: not a git repository")
        self.path = path
        self._objects = GitObjects(path, folder)
        self._trees: dict[str, list[_TreeEntry]] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Omit the process."""
        return {"path": self.path}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__init__(state["path"])  # type: ignore[misc] # an object of this very class

    @property
    def why_missing(self) -> str:
        """Message about a file without content."""
        return (
            "the clone lacks it; fetch everything: "
            f"git -C {shlex.quote(str(self.path))} fetch --refetch --no-filter origin"
        )

    def is_shallow(self) -> bool:
        """Whether the clone's history is cut off."""
        return self._objects.rev_parse("--is-shallow-repository").stdout.strip() == b"true"

    @property
    def deepen_command(self) -> str:
        """The command that fetches the whole history of a shallow clone, for a message."""
        return shlex.join(["git", "-C", str(self.path), "fetch", "--unshallow"])

    @property
    def name(self) -> str:
        """Name of its folder, without ``.git``."""
        return folder_name(self.path).removesuffix(".git")

    def commit(self, revision: str) -> str | None:
        """Id of a commit from any name that git accepts for it; ``None`` if there is none.

        Raises:
            ReadError: The name is ambiguous, or git cannot read the repository.
        """
        if not revision.strip() or not revision.isprintable():
            return None
        try:
            found = self._objects.lookup(f"{revision}^{{commit}}")
        except AmbiguousNameError:
            raise ReadError(f"{self.path}: {revision!r} is short for several objects") from None
        return None if found is None else found.blob

    def files(self, commit: str) -> dict[str, str]:
        """Blobs of the files of a commit, by path, in order.

        Links to files within the repository count as files. Links to folders or out of the
        repository, submodules, and files whose names are not UTF-8 are skipped.

        Raises:
            ReadError: One of its folders is missing, or git cannot read the repository.
        """
        with self._objects.exchange():
            root = self._objects.lookup(f"{commit}^{{tree}}")
            if root is None:
                raise ReadError(f"{self.path}: files of commit {commit}: {self.why_missing}")
            tree = self._paths(root.blob)
            targets = dict(zip(tree.links, self.read(tree.links.values()), strict=True))
        files = dict(tree.files)
        for path in tree.links:
            linked = _linked(path, targets, tree)
            if linked is not None:
                files[path] = linked
        return dict(sorted(_named(files)))

    def ids(self, object_ids: Iterable[str]) -> Iterable[str | None]:
        """The ids of the contents, which also identify them here."""
        return object_ids

    def read(self, object_ids: Iterable[str]) -> Iterator[Content | None]:
        """Contents of objects, in order; ``None`` for missing ones.

        Raises:
            ReadError: Git cannot read the repository.
        """
        return self._objects.read(object_ids)

    def close(self) -> None:
        """End the git process; it is started again when needed."""
        self._objects.close()

    def _paths(self, root: str) -> _Tree:
        """Files, links and folders below a tree."""
        found = _Tree({}, {}, set())
        left = [(b"", root)]
        while left:
            above, tree_id = left.pop()
            for entry in self._entries(tree_id):
                path = above + entry.name
                if entry.mode == _FOLDER:
                    left.append((path + b"/", entry.object_id))
                    found.folders.add(path)
                elif entry.mode == _LINK:
                    found.links[path] = entry.object_id
                elif entry.mode.startswith(_FILE):
                    found.files[path] = entry.object_id
        return found

    def _entries(self, tree_id: str) -> list[_TreeEntry]:
        """The entries of a tree, which many commits may share."""
        entries = self._trees.get(tree_id)
        if entries is None:
            content = next(self.read([tree_id]))
            if content is None:
                raise ReadError(f"{self.path}: tree {tree_id}: {self.why_missing}")
            entries = self._trees[tree_id] = _tree_entries(content.content, len(tree_id) // 2)
        return entries


def _tree_entries(content: bytes, id_bytes: int) -> list[_TreeEntry]:
    """Parse a tree: each entry is its mode, a space, its name, a NUL, and its object's id."""
    entries = []
    place = 0
    while place < len(content):
        end = content.index(b"\0", place)
        mode, _, name = content[place:end].partition(b" ")
        place = end + 1 + id_bytes
        entries.append(_TreeEntry(mode, name, content[end + 1 : place].hex()))
    return entries


def _named(files: Mapping[bytes, str]) -> Iterator[tuple[str, str]]:
    """The files whose names are UTF-8."""
    for path, object_id in files.items():
        try:
            yield path.decode(), object_id
        except UnicodeDecodeError:
            continue


def _linked(path: bytes, targets: Mapping[bytes, Content | None], tree: _Tree) -> str | None:
    """The blob that a link leads to, or the first link on the way whose content is missing.

    ``None`` if it leads to a folder, nowhere or out.
    """
    followed = 0
    place: list[bytes] = []
    left = path.split(b"/")[::-1]
    while left:
        part = left.pop()
        if part in (b"", b"."):
            continue
        if part == b"..":
            if not place:
                return None
            place.pop()
            continue
        place.append(part)
        reached = b"/".join(place)
        if reached in tree.links:
            target = targets[reached]
            followed += 1
            if target is None:
                return tree.links[reached]
            if followed > MOST_LINKS or target.content.startswith(b"/"):
                return None
            place.pop()
            left += target.content.split(b"/")[::-1]
        elif left and reached not in tree.folders:
            return None
    return tree.files.get(b"/".join(place))
