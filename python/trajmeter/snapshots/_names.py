"""Names of repositories, as tasks, files of snapshots and folders write them."""

from __future__ import annotations

import re

__all__ = ["same_repo"]

_BETWEEN = re.compile(r"[/:]|__")


def same_repo(one: str | None, other: str | None) -> bool:
    """Whether two names may mean one repository: if the last parts of one are all of the other.

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


def _parts(repo: str) -> list[str]:
    return _BETWEEN.split(repo.lower().rstrip("/").removesuffix(".git"))
