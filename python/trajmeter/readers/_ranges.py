"""Parts of a file that are read by themselves: some of its lines, or some of its rows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias, cast

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Buffer

__all__ = ["LineRange", "Range", "RowRange", "open_range"]


class LineRange(NamedTuple):
    """Whole lines of a file that is not compressed."""

    begin: int
    """Offset of the first byte."""
    end: int
    """Offset behind the last byte."""
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

    def __init__(self, file: BinaryIO, end: int) -> None:
        self._file = file
        self._left = end - file.tell()

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)[: max(self._left, 0)]
        content = self._file.read(len(view))
        view[: len(content)] = content
        self._left -= len(content)
        return len(content)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


def open_range(path: Path, lines: LineRange) -> BinaryIO:
    """Open some lines of a file, as if it held no others.

    Raises:
        OSError: It cannot be opened.
    """
    file = path.open("rb", buffering=0)
    file.seek(lines.begin)
    return cast("BinaryIO", io.BufferedReader(_Bounded(cast("BinaryIO", file), lines.end), 1 << 18))
