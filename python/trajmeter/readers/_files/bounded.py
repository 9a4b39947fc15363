"""A file that ends at an offset, as if nothing followed."""

from __future__ import annotations

import io
from io import FileIO
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

    from typing_extensions import Buffer

__all__ = ["Bounded"]


class Bounded(io.RawIOBase):
    """The bytes of a file from its current position.

    Args:
        file: The file.
        size: Number of bytes; ``None`` for the rest of the file.
        leave: Called once all bytes are read, instead of closing the file.
    """

    def __init__(self, file: BufferedReader, size: int | None, leave: Callable[[], None]) -> None:
        self.file = file
        """The underlying file."""
        self._size = size
        self._leave = leave
        self._place = 0

    def readable(self) -> bool:
        """Whether the file can be read."""
        return True

    def seekable(self) -> bool:
        """Whether the file can be repositioned: true for plain, local files."""
        return isinstance(getattr(self.file, "raw", None), FileIO)

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to a position counted from the first byte or from the current position."""
        if whence == io.SEEK_END or not self.seekable():
            raise io.UnsupportedOperation("seek")
        distance = offset if whence == io.SEEK_CUR else offset - self._place
        self.file.seek(distance, io.SEEK_CUR)
        self._place += distance
        return self._place

    def readinto(self, buffer: Buffer, /) -> int:
        """Fill the buffer with as many bytes as one read returns."""
        view = memoryview(buffer)
        if self._size is not None:
            view = view[: max(self._size - self._place, 0)]
        if view and not self.seekable():
            # Return buffered bytes on their own: reading further may fail, which would lose them.
            view = view[: len(self.file.peek(1))]
        count = self.file.readinto1(view) if view else 0
        self._place += count
        return count

    def close(self) -> None:
        """Close the file, or pass it to ``leave``."""
        if not self.closed:
            if self._place == self._size:
                self._leave()
            else:
                self.file.close()
        super().close()
