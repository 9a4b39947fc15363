"""Finds the file of the repository that a path in a log refers to.

A log names files as the agent saw them: below the container's root, below a checkout with another
name, quoted, relative to some folder. A path is normalised; then its leading folders are dropped
one by one until the rest is a file of the snapshot. The rest must be

- the whole path, or the part after the root of a container (``/testbed``, ``/app``, ``/repo``,
  ``/workspace/<folder>``, ``/home/<folder>``, ``/<repository>``); or
- at least a folder and a name; or
- a bare name, if exactly one file of the snapshot has that name.

The last two are guesses. They are not made for installed copies (below ``site-packages`` and the
like), nor is the last one for scratch files (below ``/tmp`` and the like).
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["Path", "file_path", "find", "find_any", "gold_as_written", "is_leak", "parse"]

_QUOTES = "'\"`"

# Number of leading folders in each container root, including the folder of arbitrary name.
_ROOTS = {"testbed": 1, "app": 1, "repo": 1, "workspace": 2, "home": 2}

_COPIES = frozenset({"site-packages", "dist-packages", "node_modules"})
_SCRATCH = frozenset({"tmp", "proc", "dev", "etc"})

# Patches in some containers that solve the task or reveal its tests.
_LEAKS = frozenset({"fix.patch", "test.patch"})


@dataclass(frozen=True, slots=True)
class Path:
    """A normalised path from a log."""

    parts: tuple[str, ...]
    """Folders and file name, without ``.`` and ``..``."""
    absolute: bool
    """Whether it starts at the root of the file system."""
    climbs: bool
    """Whether ``..`` leaves the folder it is relative to, so that its start is unknown."""

    @property
    def is_copy(self) -> bool:
        """Whether it is an installed copy."""
        return not _COPIES.isdisjoint(self.parts)

    @property
    def is_scratch(self) -> bool:
        """Whether it lies outside any checkout."""
        return self.absolute and not _SCRATCH.isdisjoint(self.parts[:1])


def parse(raw: str) -> Path:
    """Normalise a path: quotes, backslashes, repeated slashes, ``.`` and ``..``."""
    text = raw.strip().strip(_QUOTES).replace("\\", "/")
    absolute = text.startswith("/")
    climbs = False
    parts: list[str] = []
    for part in text.split("/"):
        if part == "..":
            climbs |= not parts and not absolute
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return Path(tuple(parts), absolute=absolute, climbs=climbs)


def find(raw: str, files: Collection[str], repo: str | None) -> str | None:
    """Find the file that a path refers to.

    Args:
        raw: The path, as written in the log.
        files: Paths of the snapshot's files, relative to its root.
        repo: Name of the repository, as written in the task.

    Returns:
        The path of one of ``files``, or ``None`` if the path refers to none of them.
    """
    if raw in files:
        return raw
    path = parse(raw)
    root = _root_length(path, repo)
    for dropped in range(len(path.parts)):
        candidate = "/".join(path.parts[dropped:])
        if candidate not in files:
            continue
        if dropped in (0, root) and not path.climbs:
            return candidate
        if path.is_copy:
            return None
        is_bare = dropped == len(path.parts) - 1
        if is_bare and (path.is_scratch or _occurs_below(candidate, files)):
            return None
        return candidate
    return None


def find_any(raw: str, files: Collection[str]) -> str | None:
    """Find the file that a path refers to as ContextBench does, without the rules above.

    Leading folders are dropped one by one until the rest is a file, down to the bare name: any
    ``setup.py`` refers to the one at the root.
    """
    path = raw.strip().strip("'\"").replace("\\", "/").removeprefix("./").lstrip("/")
    parts = path.split("/")
    for dropped in range(len(parts)):
        candidate = posixpath.normpath("/".join(parts[dropped:]))
        if candidate in files:
            return candidate
    return None


def gold_as_written(raw: str) -> str:
    """Path of gold as ContextBench uses it: normalised by its own rules, and never looked up.

    A relative path loses all leading dots and slashes, so that ``.github/x.yml`` becomes
    ``github/x.yml``, which does not exist.
    """
    path = raw.replace("\\", "/")
    if path.startswith("/testbed/"):
        return path.removeprefix("/testbed/")
    if path.startswith("/workspace/"):
        below = path.removeprefix("/workspace/")
        return below.split("/", 1)[-1]
    if path.startswith("/"):
        return path.lstrip("/")
    return path.lstrip("./")


def file_path(raw: str, repo: str | None) -> str | None:
    """Path relative to the repository's root, as far as it can be known without a snapshot.

    Returns:
        The path, or ``None`` if it lies outside any checkout.
    """
    path = parse(raw)
    if path.is_copy or path.is_scratch:
        return None
    return "/".join(path.parts[_root_length(path, repo) :]) or None


def is_leak(raw: str) -> bool:
    """Whether a path names a patch of the task, which the agent should not see."""
    return not _LEAKS.isdisjoint(parse(raw).parts[-1:])


def _root_length(path: Path, repo: str | None) -> int:
    """Number of leading folders of the checkout in a container; 0 if unknown."""
    if not path.absolute or len(path.parts) < 2:  # noqa: PLR2004 - a root and a name
        return 0
    first = path.parts[0]
    is_repo = repo is not None and first == repo.replace("__", "/").split("/")[-1]
    return min(_ROOTS.get(first, int(is_repo)), len(path.parts) - 1)


def _occurs_below(name: str, files: Collection[str]) -> bool:
    return any(file.endswith("/" + name) for file in files)
