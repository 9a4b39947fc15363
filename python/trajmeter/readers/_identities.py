"""What files are known by when a run is resumed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from trajmeter.readers._scanning import scan
from trajmeter.remote import RemotePath

__all__ = ["FileIdentity", "content_identity", "files_below"]


class FileIdentity(NamedTuple):
    """What a file is known by when a run is resumed."""

    size: int
    """Its size in bytes."""
    mtime_ns: int
    """When it was last written to."""
    content: str | None
    """What follows from its content; ``None`` if it has no identity, such as a pipe."""

    def is_unchanged(self, about: os.stat_result) -> bool:
        """Whether a file still has this size and time."""
        return (self.size, self.mtime_ns) == (about.st_size, about.st_mtime_ns)


def content_identity(path: Path) -> str | None:
    """What the content of a file is known by; ``None`` if its store knows it by nothing.

    Raises:
        OSError: It cannot be read.
    """
    if isinstance(path, RemotePath):
        return path.identity()
    with path.open("rb", buffering=0) as file:
        return scan(file, path.stat().st_size).name


def files_below(folder: Path) -> list[Path]:
    """All files below a folder, in a fixed order."""
    if isinstance(folder, RemotePath):
        return [path for path, _ in folder.files()]
    found = sorted(os.walk(folder))
    return [Path(place, file) for place, _, files in found for file in sorted(files)]
