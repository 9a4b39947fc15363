"""Opens the content of a file, wherever it is stored and however it is compressed.

The file may be compressed, remote, a pipe or standard input.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO

from trajmeter.readers._files.compression import SUFFIXES, Decompressed, decompressed
from trajmeter.remote import RemotePath
from trajmeter.remote.content import RemoteContent
from trajmeter.system.pipes import is_read_once, open_copy

if TYPE_CHECKING:
    from io import BufferedReader
    from pathlib import Path

__all__ = [
    "content_name",
    "decompressed_name",
    "is_compressed",
    "is_compressed_file",
    "open_content",
    "state_of",
]


def open_content(path: Path) -> BufferedReader:
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


def _open(path: Path) -> BufferedReader:
    """Open a file, or the copy of a pipe's content."""
    return open_copy(path) if is_read_once(path) else path.open("rb")
