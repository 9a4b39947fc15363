"""Decompression of inputs, recognised by their first bytes rather than by their names.

Content is decompressed as it is read, so that lines take constant memory however much they
decompress to. Several members, or frames, one behind the other are one content.
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
"""Suffixes that say how a file is compressed, which its bytes say better."""
LONGEST = 1 << 30
"""A document, or a line, that decompresses to more bytes is refused where it is held as a whole."""

_BUFFER = 1 << 18
_MAGIC = 4
_PIECE = 1 << 12
_ZSTD_PIECE = 1 << 11
"""Compressed bytes to take at a time: what they decompress to, at most 64 MiB, is held."""


class CutOffError(OSError):
    """Compressed content that ends too early, or is corrupt."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line
        """Line in which it ends, from 1."""


class _Stream(Protocol):
    """Gives decompressed bytes."""

    def read(self, size: int, /) -> bytes: ...


def decompressed(file: BinaryIO, path: Path) -> BinaryIO:
    """What a file holds: the file itself if it is not compressed.

    Args:
        file: The file, at its beginning.
        path: What messages call it.

    Raises:
        ExtraMissingError: No library that decompresses it is installed.
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


def _wrapped(file: BinaryIO, kind: str, stream_of: Callable[[BinaryIO], _Stream]) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(Decompressed(file, kind, stream_of), _BUFFER))


class _Buffered:
    """A file of the standard library, whose ``read`` drops what comes before an error."""

    def __init__(self, file: Any) -> None:  # noqa: ANN401 - of several classes
        self.read = file.read1


def _gzip_stream(file: BinaryIO) -> _Stream:
    import gzip

    return _Buffered(gzip.GzipFile(fileobj=file))


def _bzip2_stream(file: BinaryIO) -> _Stream:
    import bz2

    return _Buffered(bz2.BZ2File(file))


def _zstd_streams(path: Path) -> Callable[[BinaryIO], _Stream]:
    """What decompresses zstd: the standard library from Python 3.14 on, zstandard or pyarrow.

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
    """What decompresses by pyarrow.

    Raises:
        ExtraMissingError: It is not installed.
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
        held: Any = _Unclosed(file)  # whatever has the methods of a file
        return cast("_Stream", pa.CompressedInputStream(pa.PythonFile(held, "r"), kind))

    return lambda file: _ArrowStream(file, begin)


class _Unclosed:
    """A file that stays open when what reads from it is closed."""

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
    """A stream of pyarrow, which drops what it has read when it then meets an error.

    The bytes before one are therefore read again, one by one.
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
        """Begin anew, and go to the same place."""
        self._is_near_error = True
        self._file.seek(0)
        self._stream = self._begin(self._file)
        left = self._place
        while left:
            left -= len(self._stream.read(min(left, _PIECE)))


class _Frame(Protocol):
    """Decompresses one frame of zstd."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Frames:
    """Frames of zstd, one behind the other, read by zstandard.

    Its own reader of streams takes one that is cut off for one that ends.
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
    """What a compressed file holds; it can only be rewound to its beginning.

    Whatever the decompressor raises is an ``OSError``, as for any other file.

    Args:
        file: The file.
        kind: How it is compressed.
        stream_of: Begins to decompress a file.
    """

    def __init__(self, file: BinaryIO, kind: str, stream_of: Callable[[BinaryIO], _Stream]) -> None:
        self.file = file
        self._kind = kind
        self._stream_of = stream_of
        self._stream = stream_of(file)
        self._position = 0
        self._lines = self._since_line = 0
        self.is_limited = True
        """Whether a long line is an error here, as whoever reads it holds it as a whole."""

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
