"""Opens the content of a file, wherever it is stored and however it is compressed.

The file may be compressed, remote, a pipe or standard input. A pipe is copied to a temporary file,
because format detection reads the beginning, which is then read again.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, cast

from trajmeter.readers._files.compression import SUFFIXES, Decompressed, decompressed
from trajmeter.remote import RemotePath, is_remote
from trajmeter.remote.content import RemoteContent

__all__ = [
    "STDIN",
    "content_name",
    "decompressed_name",
    "forget_pipes",
    "is_compressed",
    "is_compressed_file",
    "is_named_pipe",
    "open_content",
    "state_of",
]

STDIN = Path("-")
"""The path that means standard input."""

_BUFFER = 1 << 18

_pipes: dict[str, BinaryIO] = {}
"""Copies of the content of pipes, by path."""


def open_content(path: Path) -> BinaryIO:
    """Open the decompressed content of a file at its beginning; ``-`` is standard input.

    The file can always be rewound to its beginning, but may not support other seeks. Reopening a
    pipe gives the same content.

    Raises:
        OSError: The file cannot be opened.
        ExtraMissingError: No library is installed that can decompress it or read remote files.
    """
    with ExitStack() as stack:
        file = decompressed(stack.enter_context(_open(path)), path)
        stack.pop_all()
    return file


def is_compressed(content: BinaryIO) -> bool:
    """Whether a file opened by :func:`open_content` is stored compressed."""
    return isinstance(getattr(content, "raw", None), Decompressed)


def is_compressed_file(path: Path) -> bool:
    """Whether a file is compressed.

    Raises:
        OSError: The file cannot be opened.
        ExtraMissingError: No library is installed that can decompress it.
    """
    with open_content(path) as content:
        return is_compressed(content)


def state_of(file: BinaryIO) -> tuple[int, int]:
    """Size and modification time of an open file; both change when it is written to."""
    raw = getattr(file, "raw", file)
    if isinstance(raw, RemoteContent):
        about = RemotePath(str(raw.uri)).stat()
    elif hasattr(raw, "file"):  # the raw file below the buffer or decompressor
        return state_of(raw.file)
    else:
        about = os.fstat(file.fileno())
    return about.st_size, about.st_mtime_ns


def content_name(path: Path) -> str:
    """Name of a file without its compression suffix."""
    return decompressed_name(path.name)


def decompressed_name(name: str) -> str:
    """Full path of a file without its compression suffix."""
    return name.rpartition(".")[0] if suffix_of(name) in SUFFIXES else name


def suffix_of(name: str) -> str:
    """Suffix of a file name with its dot, as :attr:`pathlib.PurePath.suffix` defines it."""
    stem, dot, suffix = name.rpartition(".")
    return dot + suffix if stem and suffix else ""


def forget_pipes() -> None:
    """Discard the copies of named pipes, so that a pipe of the same name is read anew."""
    for name in [name for name in _pipes if name != str(STDIN)]:
        _pipes.pop(name).close()


def _open(path: Path) -> BinaryIO:
    """Open a file, or the copy of a pipe's content."""
    if path != STDIN and (is_remote(path) or not _is_pipe(path)):
        return path.open("rb")
    copy = _pipes.get(str(path))
    if copy is None:
        copy = _pipes[str(path)] = _copied(path)
    return Path(copy.name).open("rb")


def _copied(path: Path) -> BinaryIO:
    """Copy a pipe or standard input to a temporary file."""
    from tempfile import NamedTemporaryFile  # not needed for files

    copy = cast("BinaryIO", NamedTemporaryFile(prefix="trajmeter-"))  # noqa: SIM115 - stays open until forget_pipes
    if path == STDIN:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        shutil.copyfileobj(sys.stdin.buffer, copy, _BUFFER)
    else:
        with path.open("rb") as pipe:
            shutil.copyfileobj(pipe, copy, _BUFFER)
    copy.flush()
    return copy


def is_named_pipe(path: Path) -> bool:
    """Whether a path is a named pipe, whose content can be read only once."""
    return path != STDIN and not is_remote(path) and path.exists() and _is_pipe(path)


def _is_pipe(path: Path) -> bool:
    mode = path.stat().st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)
