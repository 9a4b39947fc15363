"""Reads a remote file in ranges: small at first, larger for sequential reads."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from trajmeter.remote.filesystems import os_errors

if TYPE_CHECKING:
    from pyarrow import NativeFile
    from typing_extensions import Buffer

    from trajmeter.remote.filesystems import Uri

__all__ = ["RemoteContent"]

_FIRST = 1 << 16
"""Number of bytes to request first, and after a seek."""
_MOST = 8 << 20
"""Maximum number of bytes to request at a time."""


class RemoteContent(io.RawIOBase):
    """Bytes of a remote file.

    Args:
        uri: The URI.
        native: The file as opened by pyarrow.
    """

    def __init__(self, uri: Uri, native: NativeFile) -> None:
        self.uri = uri
        self.native = native
        """The pyarrow file, from which single Parquet columns are read."""
        self._place = 0
        self._ahead = memoryview(b"")
        self._next = _FIRST

    def readable(self) -> bool:
        """Whether the file can be read."""
        return True

    def seekable(self) -> bool:
        """Whether the file can be repositioned."""
        return True

    def tell(self) -> int:
        """The current position."""
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Move to another position."""
        if whence == io.SEEK_CUR:
            offset += self._place
        elif whence == io.SEEK_END:
            with os_errors(self.uri):
                offset += self.native.size()
        if offset < 0:
            raise OSError(22, "negative seek position", str(self.uri))
        if offset != self._place:
            self._ahead = memoryview(b"")
            self._next = _FIRST
        self._place = offset
        return offset

    def readinto(self, buffer: Buffer, /) -> int:
        """Read bytes, from those already requested where possible."""
        view = memoryview(buffer)
        if not self._ahead:
            with os_errors(self.uri):
                self.native.seek(self._place)
                self._ahead = memoryview(self.native.read(max(self._next, len(view))))
            self._next = min(self._next * 4, _MOST)
        piece, self._ahead = self._ahead[: len(view)], self._ahead[len(view) :]
        view[: len(piece)] = piece
        self._place += len(piece)
        return len(piece)

    def close(self) -> None:
        """Close the file."""
        if not self.closed:
            self.native.close()
        super().close()
