"""Ranges of lines or rows, so that parts of a file can be read separately."""

from __future__ import annotations

from io import BufferedReader
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from trajmeter.readers._files.bounded import Bounded
from trajmeter.readers._files.content import is_compressed, open_content, state_of
from trajmeter.readers._files.lines import lift_limit

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LineRange", "Range", "RowRange", "open_range"]

_BUFFER = 1 << 18
_SKIPPED = 1 << 20


class LineRange(NamedTuple):
    """A range of whole lines, by their offsets in the decompressed file."""

    begin: int
    """Offset of the first byte."""
    end: int | None
    """Offset after the last byte; ``None`` for the rest of the file."""
    first: int
    """Number of the first line, from 1."""


class RowRange(NamedTuple):
    """A range of rows of a Parquet file."""

    first: int
    """Number of the first row, from 0."""
    stop: int
    """Number after the last row."""


Range: TypeAlias = LineRange | RowRange


class _Left(NamedTuple):
    """A compressed file that is open at the position where reading stopped."""

    path: Path
    offset: int
    state: tuple[int, int]
    file: BufferedReader


_left: list[_Left] = []
"""The most recent such file: continuing there avoids decompressing it again."""


def open_range(path: Path, lines: LineRange) -> BufferedReader:
    """Open a range of lines as if the file had no others.

    Raises:
        OSError: The file cannot be opened.
    """
    file = _at(path, lines.begin)

    def leave() -> None:
        if is_compressed(file) and lines.end is not None:
            _left.append(_Left(path, lines.end, state_of(file), file))
        else:
            file.close()

    size = None if lines.end is None else lines.end - lines.begin
    return BufferedReader(Bounded(file, size, leave), _BUFFER)


def _at(path: Path, offset: int) -> BufferedReader:
    """Open a file, decompressed if necessary, at an offset."""
    while True:
        try:
            left = _left.pop()
        except IndexError:  # not asked before, as another thread may take the last one
            break
        if (left.path, left.offset) == (path, offset) and state_of(left.file) == _state(path):
            return left.file
        left.file.close()
    file = open_content(path)
    if not is_compressed(file):
        file.seek(offset)
        return file
    try:
        lift_limit(file)
        while offset and (skipped := file.read(min(offset, _SKIPPED))):
            offset -= len(skipped)
    except BaseException:
        file.close()
        raise
    return file


def _state(path: Path) -> tuple[int, int]:
    about = path.stat()
    return about.st_size, about.st_mtime_ns
