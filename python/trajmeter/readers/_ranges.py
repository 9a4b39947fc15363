"""Parts of a file that are read by themselves: some of its lines, or some of its rows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias, cast

from trajmeter.readers._content import is_compressed, open_content, state_of
from trajmeter.readers._lines import lift_limit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from typing_extensions import Buffer

__all__ = ["LineRange", "Range", "RowRange", "open_range"]

_BUFFER = 1 << 18
_SKIPPED = 1 << 20


class LineRange(NamedTuple):
    """Whole lines of a file, by their offsets in what it decompresses to."""

    begin: int
    """Offset of the first byte."""
    end: int | None
    """Offset behind the last byte; ``None`` for the rest of the file."""
    first: int
    """Number of the first line, from 1."""


class RowRange(NamedTuple):
    """Rows of a Parquet file."""

    first: int
    """Number of the first row, from 0."""
    stop: int
    """Number behind the last row."""


Range: TypeAlias = LineRange | RowRange


class _Bounded(io.RawIOBase):
    """Bytes of a file up to an offset, from where it stands."""

    def __init__(self, file: BinaryIO, left: int | None, leave: Callable[[], None]) -> None:
        self.file = file
        self._left = left
        self._leave = leave

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        if self._left is not None:
            view = view[: self._left]
        content = self.file.read1(len(view)) if view else b""  # type: ignore[attr-defined]  # of BufferedReader
        view[: len(content)] = content
        if self._left is not None:
            self._left -= len(content)
        return len(content)

    def close(self) -> None:
        if not self.closed:
            if self._left == 0:
                self._leave()
            else:
                self.file.close()
        super().close()


class _Left(NamedTuple):
    """A compressed file, at the place up to which it was read."""

    path: Path
    offset: int
    state: tuple[int, int]
    file: BinaryIO


_left: list[_Left] = []
"""The one that was left last: whoever goes on from there does not decompress it anew."""


def open_range(path: Path, lines: LineRange) -> BinaryIO:
    """Open some lines of a file, as if it held no others.

    Raises:
        OSError: It cannot be opened.
    """
    file = _at(path, lines.begin)

    def leave() -> None:
        if is_compressed(file) and lines.end is not None:
            _left.append(_Left(path, lines.end, state_of(file), file))
        else:
            file.close()

    left = None if lines.end is None else lines.end - lines.begin
    return cast("BinaryIO", io.BufferedReader(_Bounded(file, left, leave), _BUFFER))


def _at(path: Path, offset: int) -> BinaryIO:
    """A file, or what it decompresses to, at an offset."""
    while _left:
        left = _left.pop()
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
