"""Names of repositories, as written in tasks, snapshot files and folders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["folder_name", "same_repo"]

_BETWEEN = re.compile(r"[/:]|__")


def same_repo(one: str | None, other: str | None) -> bool:
    """Whether two names may mean one repository: if one consists of the last parts of the other.

    Example:
        >>> same_repo("cli/cli", "cli"), same_repo("https://host/a/b.git", "A__b")
        (True, True)
        >>> same_repo("a/b", "c/b")
        False
    """
    if one is None or other is None:
        return False
    first, second = _parts(one), _parts(other)
    shorter = min(len(first), len(second))
    return first[-shorter:] == second[-shorter:]


def folder_name(path: Path) -> str:
    """Name of a folder, or of the one that contains this ``.git``.

    Bytes that are not UTF-8 are escaped.
    """
    place = path.resolve()
    name = place.parent.name if place.name == ".git" else place.name
    return name.encode("utf-8", "backslashreplace").decode()


def _parts(repo: str) -> list[str]:
    return _BETWEEN.split(repo.lower().rstrip("/").removesuffix(".git"))
