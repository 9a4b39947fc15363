"""Decompression of inputs, detected from their first bytes rather than their names.

Content is decompressed as it is read, so reading lines takes constant memory however large the
decompressed content is. Several consecutive members or frames are read as one content.
"""

from __future__ import annotations

import io
import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, Protocol, cast

from trajmeter.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from typing_extensions import Buffer

__all__ = ["LONGEST", "SUFFIXES", "CutOffError", "Decompressed", "decompressed"]

SUFFIXES = frozenset({".gz", ".zst", ".zstd", ".bz2", ".lz4"})
"""Suffixes of compressed files. The first bytes decide, not the suffix."""
LONGEST = 1 << 30
"""Maximum decompressed size, in bytes, of a document or line that is held in memory as a whole."""

_BUFFER = 1 << 18
_MAGIC = 4
_PIECE = 1 << 12
_ZSTD_PIECE = 1 << 11
"""Compressed bytes to read at a time; their decompressed form, up to 64 MiB, is held in memory."""


class CutOffError(OSError):
    """Compressed content is truncated or corrupt."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line
        """Line in which the content ends, from 1."""


class _Stream(Protocol):
    """A stream of decompressed bytes."""

    def read(self, size: int, /) -> bytes: ...


def decompressed(file: io.BufferedReader, path: Path) -> io.BufferedReader:
    """Decompress a file; return the file itself if it is not compressed.

    Args:
        file: The file, positioned at its beginning.
        path: Name of the file for messages.

    Raises:
        ExtraMissingError: No installed library can decompress it.
    """
    head = file.read(_MAGIC)
    file.seek(0)
    if head.startswith(b"\x1f\x8b"):
        return _wrapped(file, "gzip", _gzip_stream)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return _wrapped(file, "zstd", _zstd_streams(path))
    if head.startswith(b"BZh") and head[3:].isdigit():
        return _wrapped(file, "bzip2", _bzip2_stream)
    if head.startswith(b"\x04\x22\x4d\x18"):
        return _wrapped(file, "lz4", _arrow_streams(path, "lz4"))
    return file


def _wrapped(
    file: BinaryIO, kind: str, stream_of: Callable[[BinaryIO], _Stream]
) -> io.BufferedReader:
    return io.BufferedReader(Decompressed(file, kind, stream_of), _BUFFER)


class _Buffered:
    """A standard-library file whose ``read`` loses the bytes that precede an error."""

    def __init__(self, file: Any) -> None:  # noqa: ANN401 - of several classes
        self.read = file.read1


def _gzip_stream(file: BinaryIO) -> _Stream:
    import gzip

    return _Buffered(gzip.GzipFile(fileobj=file))


def _bzip2_stream(file: BinaryIO) -> _Stream:
    import bz2

    return _Buffered(bz2.BZ2File(file))


def _zstd_streams(path: Path) -> Callable[[BinaryIO], _Stream]:
    """Return a zstd decompressor: standard library (Python 3.14), zstandard or pyarrow.

    Raises:
        ExtraMissingError: None of them is installed.
    """
    try:
        zstd = import_module("compression.zstd")
    except ImportError:
        try:
            import zstandard
        except ImportError:
            return _arrow_streams(path, "zstd")
        decompressor = zstandard.ZstdDecompressor()
        return lambda file: _Frames(file, decompressor.decompressobj, zstandard.ZstdError)
    return lambda file: _Buffered(zstd.ZstdFile(file))


def _arrow_streams(path: Path, kind: Literal["lz4", "zstd"]) -> Callable[[BinaryIO], _Stream]:
    """Return pyarrow's decompressor.

    Raises:
        ExtraMissingError: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError as error:
        extra = "zstd" if kind == "zstd" else "data"
        needed = "zstandard" if kind == "zstd" else "pyarrow"
        raise ExtraMissingError(
            f"{path} is compressed with {kind}, which needs {needed}: "
            f"pip install 'trajmeter[{extra}]'"
        ) from error

    def begin(file: BinaryIO) -> _Stream:
        held: Any = _Unclosed(file)  # any object with the methods of a file
        return cast("_Stream", pa.CompressedInputStream(pa.PythonFile(held, "r"), kind))

    return lambda file: _ArrowStream(file, begin)


class _Unclosed:
    """A file that stays open when its reader is closed."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.read = file.read

    def close(self) -> None: ...
    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False


class _ArrowStream:
    """A pyarrow stream, which discards the bytes it has read when it then hits an error.

    The bytes that precede an error are therefore read again, one at a time.
    """

    def __init__(self, file: BinaryIO, begin: Callable[[BinaryIO], _Stream]) -> None:
        self._file = file
        self._begin = begin
        self._stream = begin(file)
        self._place = 0
        self._is_near_error = False

    def read(self, size: int, /) -> bytes:
        size = min(size, 1 if self._is_near_error else _PIECE)
        try:
            content = self._stream.read(size)
        except OSError:
            if self._is_near_error:
                raise
            self._return()
            return self.read(size)
        self._place += len(content)
        return content

    def _return(self) -> None:
        """Restart decompression and advance to the same position."""
        self._is_near_error = True
        self._file.seek(0)
        self._stream = self._begin(self._file)
        left = self._place
        while left:
            left -= len(self._stream.read(min(left, _PIECE)))


class _Frame(Protocol):
    """Decompresses one zstd frame."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Frames:
    """Consecutive zstd frames, read with zstandard.

    Zstandard's own stream reader does not notice a truncated frame.
    """

    def __init__(self, file: BinaryIO, begin: Callable[[], _Frame], error: type[Exception]) -> None:
        self._file = file
        self._begin = begin
        self._error = error
        self._frame: _Frame | None = None
        self._ready = io.BytesIO()

    def read(self, size: int, /) -> bytes:
        content = self._ready.read(size)
        while not content and (piece := self._file.read(_ZSTD_PIECE)):
            self._frame = self._frame or self._begin()
            try:
                self._ready = io.BytesIO(self._frame.decompress(piece))
            except self._error as error:
                raise EOFError(str(error)) from error
            content = self._ready.read(size)
            if self._frame.eof:
                self._file.seek(-len(self._frame.unused_data), io.SEEK_CUR)
                self._frame = None
        if not content and self._frame is not None:
            raise EOFError("it ends within a frame")
        return content


class Decompressed(io.RawIOBase):
    """The content of a compressed file; the only seek it supports is to the beginning.

    Any exception of the decompressor is raised as ``OSError``, as for any other file.

    Args:
        file: The file.
        kind: Compression format.
        stream_of: Starts decompressing a file.
    """

    def __init__(self, file: BinaryIO, kind: str, stream_of: Callable[[BinaryIO], _Stream]) -> None:
        self.file = file
        self._kind = kind
        self._stream_of = stream_of
        self._stream = stream_of(file)
        self._position = 0
        self._lines = self._since_line = 0
        self.is_limited = True
        """Whether an overlong line is an error, because the reader holds each line whole."""

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.file.fileno()

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if whence == io.SEEK_CUR and offset == 0:
            return self._position
        if whence != io.SEEK_SET or offset != 0:
            raise io.UnsupportedOperation("compressed content can only be rewound")
        self.file.seek(0)
        self._stream = self._stream_of(self.file)
        self._position = self._lines = self._since_line = 0
        return 0

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        try:
            content = self._stream.read(len(view))
        except (EOFError, OSError, zlib.error) as error:
            raise CutOffError(
                f"the {self._kind} data is cut off or corrupt: {error}; {self._position:,} bytes "
                "were decompressed before that",
                self._lines + 1,
            ) from error
        view[: len(content)] = content
        self._position += len(content)
        self._lines += content.count(b"\n")
        newline = content.rfind(b"\n")
        self._since_line = len(content) - newline - 1 + (self._since_line if newline < 0 else 0)
        if self._since_line > LONGEST and self.is_limited:
            raise OSError(
                f"a line decompresses to more than {LONGEST >> 20:,} MiB; decompress the file first"
            )
        return len(content)

    def close(self) -> None:
        if not self.closed:
            self.file.close()
        super().close()
