"""Pieces of input, and what an earlier run found of a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trajmeter.readers._files.identities import FileIdentity
    from trajmeter.readers._files.ranges import Range

__all__ = ["FoundFile", "Piece"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, a folder that is read as a whole, or some lines or rows of a file."""

    file: str
    """Its path, as results name it."""
    size: int = 0
    """Its bytes on the disk."""
    rows: int | None = None
    """Its lines or rows, where they were counted."""
    within: Range | None = None
    """Which lines or rows it is; all if ``None``."""
    whole: str | None = None
    """Name of the format that reads it, or its lines, as a whole."""
    folder: int | None = None
    """Number of the folder in which it was found."""
    is_streamed: bool = False
    """Whether its file is decompressed from its beginning to get there."""
    message: str | None = None
    """Why it cannot be read, if it cannot."""


class FoundFile(NamedTuple):
    """A file, as an earlier run found it."""

    identity: FileIdentity
    """What it is known by."""
    pieces: tuple[Piece, ...]
    """Its pieces."""
