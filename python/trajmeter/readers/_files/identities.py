"""Identities of input files, which a resumed run compares with those it recorded."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from trajmeter.readers._files.scanning import scan
from trajmeter.remote import RemotePath

__all__ = ["FileIdentity", "content_identity", "files_below", "folder_about"]


class FileIdentity(NamedTuple):
    """The identity of an input file, compared when a run is resumed."""

    size: int
    """Its size in bytes."""
    mtime_ns: int
    """Its modification time."""
    content: str | None
    """A digest of its content; ``None`` if it has none, as for a pipe."""

    def is_unchanged(self, about: os.stat_result) -> bool:
        """Whether a file still has this size and modification time."""
        return (self.size, self.mtime_ns) == (about.st_size, about.st_mtime_ns)


def content_identity(path: Path) -> str | None:
    """Identity of a file's content; ``None`` if its store provides none.

    Raises:
        OSError: The file cannot be read.
    """
    if isinstance(path, RemotePath):
        return path.identity()
    with path.open("rb", buffering=0) as file:
        return scan(file, path.stat().st_size).name


def folder_about(folder: Path) -> tuple[int, int]:
    """Total size of the files below a folder, and their latest modification time.

    A remote folder is listed in one request, which does not return modification times.
    """
    if isinstance(folder, RemotePath):
        return sum(size for _, size in folder.files()), 0
    size = latest = 0
    for file in files_below(folder):
        with suppress(OSError):  # reported by its reader
            about = file.stat()
            if stat.S_ISREG(about.st_mode):
                size += about.st_size
                latest = max(latest, about.st_mtime_ns)
    return size, latest


def files_below(folder: Path) -> list[Path]:
    """All files below a folder, in a fixed order."""
    if isinstance(folder, RemotePath):
        return [path for path, _ in folder.files()]
    found = sorted(os.walk(folder))
    return [Path(place, file) for place, _, files in found for file in sorted(files)]
