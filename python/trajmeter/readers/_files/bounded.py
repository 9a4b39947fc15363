"""Bytes of a file up to an offset, as if it held no others."""

from __future__ import annotations

import io
from io import FileIO
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

__all__ = ["Bounded"]


class Bounded(io.RawIOBase):
    """Bytes of a file from where it stands.

    Args:
        file: The file.
        size: How many bytes; ``None`` for the rest of the file.
        leave: Called when all of them were read, in place of closing the file.
    """

    def __init__(self, file: BinaryIO, size: int | None, leave: Callable[[], None]) -> None:
        self.file = file
        """The file they are of."""
        self._size = size
        self._leave = leave
        self._place = 0

    def readable(self) -> bool:
        """Whether they can be read."""
        return True

    def seekable(self) -> bool:
        """Whether another place of them can be read: of plain, local files."""
        return isinstance(getattr(self.file, "raw", None), FileIO)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to another place, counted from the first byte or from where this stands."""
        if whence == io.SEEK_END or not self.seekable():
            raise io.UnsupportedOperation("seek")
        distance = offset if whence == io.SEEK_CUR else offset - self._place
        self.file.seek(distance, io.SEEK_CUR)
        self._place += distance
        return self._place

    def readinto(self, buffer: Buffer, /) -> int:
        """Read into memory, as many bytes as come at once."""
        view = memoryview(buffer)
        if self._size is not None:
            view = view[: max(self._size - self._place, 0)]
        if view and not self.seekable():
            # What is read ahead is given by itself: reading on may fail, and would drop it.
            view = view[: len(self.file.peek(1))]  # type: ignore[attr-defined]  # of BufferedReader
        count: int = self.file.readinto1(view) if view else 0  # type: ignore[attr-defined]  # of BufferedReader
        self._place += count
        return count

    def close(self) -> None:
        """Close the file, or leave it."""
        if not self.closed:
            if self._place == self._size:
                self._leave()
            else:
                self.file.close()
        super().close()
