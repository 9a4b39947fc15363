"""The content of a file, wherever it is and whatever it is wrapped in.

It may be compressed, on another machine, a pipe or standard input. A pipe is copied to a temporary
file, because formats are recognised by a beginning that is then read again.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
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
"""What stands for standard input."""

_BUFFER = 1 << 18

_pipes: dict[str, BinaryIO] = {}
"""Copies of what pipes gave, by path."""


def open_content(path: Path) -> BinaryIO:
    """Open what a file holds, decompressed, at its beginning; ``-`` is standard input.

    The file can be rewound to its beginning, but not every one moved to other places. A pipe gives
    the same content again.

    Raises:
        OSError: It cannot be opened.
        ExtraMissingError: No library is installed that decompresses it, or that reads remote files.
    """
    with ExitStack() as stack:
        file = decompressed(stack.enter_context(_open(path)), path)
        stack.pop_all()
    return file


def is_compressed(content: BinaryIO) -> bool:
    """Whether content that :func:`open_content` opened is compressed in its file."""
    return isinstance(getattr(content, "raw", None), Decompressed)


def is_compressed_file(path: Path) -> bool:
    """Whether a file is compressed.

    Raises:
        OSError: It cannot be opened.
        ExtraMissingError: No library is installed that decompresses it.
    """
    with open_content(path) as content:
        return is_compressed(content)


def state_of(file: BinaryIO) -> tuple[int, int]:
    """Size of an open file, and when it was last written to; both change as it is written to."""
    raw = getattr(file, "raw", file)
    if isinstance(raw, RemoteContent):
        about = RemotePath(str(raw.uri)).stat()
    elif hasattr(raw, "file"):  # what holds some of its bytes, or what they decompress to
        return state_of(raw.file)
    else:
        about = os.fstat(file.fileno())
    return about.st_size, about.st_mtime_ns


def content_name(path: Path) -> str:
    """Name of a file without the suffix of its compression."""
    return decompressed_name(path.name)


def decompressed_name(name: str) -> str:
    """Name of a file without the suffix of its compression, by its whole name."""
    return name.rpartition(".")[0] if suffix_of(name) in SUFFIXES else name


def suffix_of(name: str) -> str:
    """Suffix of the name of a file, with its dot, as :attr:`pathlib.PurePath.suffix` has it."""
    stem, dot, suffix = name.rpartition(".")
    return dot + suffix if stem and suffix else ""


def forget_pipes() -> None:
    """Forget what named pipes gave, so that one of the same name is read anew."""
    for name in [name for name in _pipes if name != str(STDIN)]:
        _pipes.pop(name).close()


def _open(path: Path) -> BinaryIO:
    """Open a file, or the copy of what a pipe gave."""
    if path != STDIN and (is_remote(path) or not _is_pipe(path)):
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
    return path != STDIN and not is_remote(path) and path.exists() and _is_pipe(path)


def _is_pipe(path: Path) -> bool:
    mode = path.stat().st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)
