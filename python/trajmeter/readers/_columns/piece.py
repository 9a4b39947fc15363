"""Pieces of input, and records of files from an earlier run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from trajmeter.readers._files.identities import FileIdentity
    from trajmeter.readers._files.ranges import Range

__all__ = ["FoundFile", "Piece"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A file, a folder that is read whole, or a range of lines or rows of a file."""

    file: str
    """Its path as it appears in results."""
    size: int = 0
    """Its size on disk in bytes."""
    rows: int | None = None
    """Number of its lines or rows, if counted."""
    within: Range | None = None
    """The range of lines or rows; all if ``None``."""
    whole: str | None = None
    """Name of the format that reads it, or its lines, as a whole."""
    folder: int | None = None
    """Number of the folder in which it was found."""
    is_streamed: bool = False
    """Whether reaching it requires decompressing its file from the beginning."""
    message: str | None = None
    """Why it cannot be read, if so."""


class FoundFile(NamedTuple):
    """A file as an earlier run found it."""

    identity: FileIdentity
    """Its identity."""
    pieces: tuple[Piece, ...]
    """Its pieces."""
