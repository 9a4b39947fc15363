"""The files of a folder as they are, with or without git.

No path leads out of the folder: links that do are skipped, and so are ``.git``, nested repositories
such as submodules, and anything that is not a regular file.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.errors import ReadError
from trajmeter.snapshots._links import linked_file
from trajmeter.snapshots._names import folder_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Checkout", "Content"]

_GIT = ".git"


class Content(NamedTuple):
    """Content of a file."""

    blob: str
    """The id that git would give it."""
    content: bytes


class Checkout:
    """A folder of files.

    Args:
        path: The folder.

    Raises:
        ReadError: It is not a folder.
    """

    why_missing = "cannot be read; check its permissions"
    """Message about a file without content."""

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise ReadError(f"{path}: {'not a folder' if path.exists() else 'no such folder'}")
        self.path = path

    @property
    def name(self) -> str:
        """Name of the folder."""
        return folder_name(self.path)

    def files(self) -> dict[str, str]:
        """Absolute paths of the files, by their paths in the folder, in order.

        Raises:
            ReadError: A folder in it cannot be listed.
        """
        root = self.path.resolve()
        found: dict[str, str] = {}
        for folder, folders, names in os.walk(root, onerror=_refuse):
            here = Path(folder)
            folders[:] = [
                name for name in folders if name != _GIT and not _is_repository(here / name)
            ]
            for name in names:
                place = here / name
                path = place.relative_to(root).as_posix()
                if name != _GIT and _is_utf8(path) and _is_within(place, root):
                    found[path] = str(place)
        return dict(sorted(found.items()))

    def read(self, places: Iterable[str]) -> Iterator[Content | None]:
        """Contents of files, in order; ``None`` for those that cannot be read."""
        for place in places:
            try:
                content = Path(place).read_bytes()
            except OSError:
                yield None
            else:
                yield Content(_blob_id(content), content)

    def ids(self, places: Iterable[str]) -> Iterator[str | None]:
        """The ids that git would give the contents; ``None`` for those that cannot be read."""
        return (None if content is None else content.blob for content in self.read(places))


def _blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _is_within(place: Path, root: Path) -> bool:
    """Whether a file is a regular file; a link must lead to one in the same repository."""
    try:
        if not place.is_file():
            return False
        if not place.is_symlink():
            return True
        target = linked_file(root, place.relative_to(root).as_posix())
    except OSError:  # its folder is closed to this user
        return False
    if target is None or _GIT in target.relative_to(root).parts:
        return False
    above = target.relative_to(root).parents[:-1]  # without the root itself
    return not any(_is_repository(root / each) for each in above)


def _is_repository(folder: Path) -> bool:
    try:
        return (folder / _GIT).exists()
    except PermissionError:  # whoever lists the folder reports that
        return False


def _is_utf8(path: str) -> bool:
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _refuse(error: OSError) -> None:
    raise ReadError(f"{error.filename}: {error.strerror}") from error
