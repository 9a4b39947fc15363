"""The content of a file, whatever it is wrapped in: gzip, zstd, a pipe or standard input.

Compression is detected by the first bytes. Content is decompressed as it is read, so that lines
take constant memory however much they decompress to. A pipe is copied to a temporary file, because
formats are recognised by a beginning that is then read again.
"""

from __future__ import annotations

import gzip
import io
import shutil
import stat
import sys
import tempfile
import zlib
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from trajmeter.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

__all__ = [
    "LONGEST",
    "STDIN",
    "content_name",
    "forget_pipes",
    "is_compressed",
    "is_named_pipe",
    "open_content",
]

STDIN = Path("-")
"""What stands for standard input."""

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_SUFFIXES = frozenset({".gz", ".zst", ".zstd"})
_BUFFER = 1 << 18
_ZSTD_PIECE = 1 << 11
"""Compressed bytes to take at a time: what they decompress to, at most 64 MiB, is held."""
LONGEST = 1 << 30
"""A line or a document that decompresses to more bytes is refused: it is held as a whole."""

_pipes: dict[str, BinaryIO] = {}
"""Copies of what pipes gave, by path."""


def open_content(path: Path) -> BinaryIO:
    """Open what a file holds, decompressed, at its beginning; ``-`` is standard input.

    The file can be rewound to its beginning, but not every one moved to other places. A pipe gives
    the same content again.

    Raises:
        OSError: It cannot be opened.
        ExtraMissingError: It is compressed with zstd, and no library for that is installed.
    """
    with ExitStack() as stack:
        file = stack.enter_context(_open(path))
        head = file.read(len(_ZSTD))
        file.seek(0)
        if head.startswith(_GZIP):
            file = _decompressed(file, "gzip", _gzip_stream)
        elif head.startswith(_ZSTD):
            file = _decompressed(file, "zstd", _zstd_streams(path))
        stack.pop_all()
    return file


def is_compressed(content: BinaryIO) -> bool:
    """Whether content that :func:`open_content` opened is compressed in its file."""
    return isinstance(getattr(content, "raw", None), _Decompressed)


def content_name(path: Path) -> str:
    """Name of a file without the suffix of its compression."""
    return path.stem if path.suffix in _SUFFIXES else path.name


def forget_pipes() -> None:
    """Forget what named pipes gave, so that one of the same name is read anew."""
    for name in [name for name in _pipes if name != str(STDIN)]:
        _pipes.pop(name).close()


def _open(path: Path) -> BinaryIO:
    """Open a file, or the copy of what a pipe gave."""
    if path != STDIN and not _is_pipe(path):
        return path.open("rb")
    copy = _pipes.get(str(path))
    if copy is None:
        copy = cast("BinaryIO", tempfile.NamedTemporaryFile(prefix="trajmeter-"))  # noqa: SIM115 - kept open until it is forgotten
        if path == STDIN:
            if sys.stdin is None:
                raise OSError("standard input is closed")
            shutil.copyfileobj(sys.stdin.buffer, copy, _BUFFER)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, copy, _BUFFER)
        copy.flush()
        _pipes[str(path)] = copy
    return Path(copy.name).open("rb")


def is_named_pipe(path: Path) -> bool:
    """Whether a path that exists gives its content once; standard input is another matter."""
    return path != STDIN and path.exists() and _is_pipe(path)


def _is_pipe(path: Path) -> bool:
    mode = path.stat().st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


class _Stream(Protocol):
    """Gives decompressed bytes."""

    def read(self, size: int, /) -> bytes: ...


def _gzip_stream(file: BinaryIO) -> _Stream:
    return cast("_Stream", gzip.GzipFile(fileobj=file))


def _zstd_streams(path: Path) -> Callable[[BinaryIO], _Stream]:
    """What decompresses zstd, by the standard library from Python 3.14 on.

    Raises:
        ExtraMissingError: Nothing that does is installed.
    """
    try:
        zstd = import_module("compression.zstd")
    except ImportError:
        try:
            import zstandard
        except ImportError as error:
            raise ExtraMissingError(
                f"{path} is compressed with zstd, which needs zstandard: "
                "pip install 'trajmeter[zstd]'"
            ) from error
        decompressor = zstandard.ZstdDecompressor()
        return lambda file: _Frames(file, decompressor.decompressobj, zstandard.ZstdError)
    return lambda file: cast("_Stream", zstd.ZstdFile(file))


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


def _decompressed(file: BinaryIO, kind: str, stream_of: Callable[[BinaryIO], _Stream]) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(_Decompressed(file, kind, stream_of), _BUFFER))


class _Decompressed(io.RawIOBase):
    """What a compressed file holds; it can only be rewound to its beginning.

    Whatever the decompressor raises is an ``OSError``, as for any other file.
    """

    def __init__(self, file: BinaryIO, kind: str, stream_of: Callable[[BinaryIO], _Stream]) -> None:
        self._file = file
        self._kind = kind
        self._stream_of = stream_of
        self._stream = stream_of(file)
        self._position = 0
        self._line = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._file.fileno()

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        if whence == io.SEEK_CUR and offset == 0:
            return self._position
        if whence != io.SEEK_SET or offset != 0:
            raise io.UnsupportedOperation("compressed content can only be rewound")
        self._file.seek(0)
        self._stream = self._stream_of(self._file)
        self._position = self._line = 0
        return 0

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        try:
            content = self._stream.read(len(view))
        except (EOFError, OSError, zlib.error) as error:
            raise OSError(f"the {self._kind} data is cut off or corrupt: {error}") from error
        view[: len(content)] = content
        self._position += len(content)
        newline = content.rfind(b"\n")
        self._line = len(content) - newline - 1 + (self._line if newline < 0 else 0)
        if self._line > LONGEST:
            raise OSError(
                f"a line decompresses to more than {LONGEST >> 20:,} MiB; decompress the file first"
            )
        return len(content)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()
