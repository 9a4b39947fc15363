"""Links among the files of a folder, followed as they would be in a commit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["MOST_LINKS", "linked_file"]

MOST_LINKS = 40
"""Maximum number of chained links, as on Linux."""


def linked_file(root: Path, path: str) -> Path | None:
    """Where a file lies, without links; whether it exists is not checked.

    Args:
        root: The folder, without links.
        path: Path of the file in the folder, without ``..``.

    Returns:
        The place, or ``None`` if the path goes through a link to a folder, or if a link is
        absolute or leaves the folder on the way, even if it returns: at another place, it would
        lead elsewhere.
    """
    followed = 0
    place: list[str] = []
    left = path.split("/")[::-1]
    while left:
        part = left.pop()
        if part in ("", os.curdir):
            continue
        if part == os.pardir:
            if not place:
                return None
            place.pop()
            continue
        place.append(part)
        reached = root.joinpath(*place)
        if reached.is_symlink():
            target = reached.readlink()
            goes_on = not followed and left
            followed += 1
            if goes_on or followed > MOST_LINKS or target.anchor:
                return None
            place.pop()
            left += target.parts[::-1]
    return root.joinpath(*place)
