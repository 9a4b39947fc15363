"""Scans the bytes of a file for checksums and line offsets, without parsing records."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from zlib import crc32

import numpy as np

from trajmeter import kernels
from trajmeter.readers._files.containers import PARQUET_MAGIC
from trajmeter.readers._files.content import open_content
from trajmeter.readers._files.lines import lift_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["Content", "Cut", "footer", "line_cuts", "next_line", "scan"]

_BLOCK = 1 << 20
_IN_CACHE = 1 << 16
_NEWLINE = 10
_LINE_BLOCK = 1 << 16
_FOOTER_END = 8
"""Size of the end of a Parquet file: footer length and magic bytes."""


class Content(NamedTuple):
    """Results of scanning some bytes."""

    crc: int
    """Their CRC-32."""
    lines: int
    """Number of lines."""

    @property
    def name(self) -> str:
        """Identity of a file with this content."""
        return f"crc32:{self.crc:08x}"


def scan(file: BinaryIO, size: int) -> Content:
    """Scan a file from its current position."""
    crc = lines = 0
    last = b"\n"
    crc_and_newlines = _kernel()
    while size > 0 and (block := file.read(min(size, _BLOCK))):
        crc, newlines = crc_and_newlines(block, crc)
        lines += newlines
        size -= len(block)
        last = block[-1:]
    return Content(crc, lines + (last != b"\n"))


def _kernel() -> Callable[[bytes, int], tuple[int, int]]:
    """The kernel that continues a CRC-32 over further bytes and counts their newlines."""
    if kernels.backend() == "python":
        return _crc_and_newlines
    from trajmeter.kernels import _rust  # the Python twin follows

    return _rust.crc_and_newlines


def _crc_and_newlines(block: bytes, before: int) -> tuple[int, int]:
    return crc32(block, before), _newlines(block)


def _newlines(block: bytes) -> int:
    """Count newlines, three times as fast as ``bytes.count``."""
    held = np.frombuffer(block, np.uint8)
    parts = (held[start : start + _IN_CACHE] for start in range(0, len(held), _IN_CACHE))
    return sum(int(np.count_nonzero(part == _NEWLINE)) for part in parts)


class Cut(NamedTuple):
    """The beginning of a line."""

    offset: int
    """Offset in the decompressed file."""
    line: int
    """Line number, from 1."""


def line_cuts(path: Path, lines: int) -> Iterator[Cut]:
    """Offsets of every n-th line of a file, and where it ends or becomes unreadable.

    Raises:
        OSError: The file cannot be opened.
    """
    cut = Cut(0, 1)
    yield cut
    offset, line = cut
    is_begun = False
    for block in _blocks(path):
        begin, ends = 0, block.count(b"\n")
        while line + ends > cut.line + lines or (
            line + ends == cut.line + lines and not block.endswith(b"\n")
        ):
            for _ in range(cut.line + lines - line):
                begin = block.index(b"\n", begin) + 1
                ends -= 1
            line = cut.line + lines
            cut = Cut(offset + begin, line)
            yield cut
        offset += len(block)
        line += ends
        is_begun = not block.endswith(b"\n")
    yield Cut(offset, line + is_begun)


def _blocks(path: Path) -> Iterator[bytes]:
    """The decompressed content of a file, up to where it cannot be read."""
    with open_content(path) as file:
        lift_limit(file)
        with suppress(OSError):  # reported when reading gets there
            while block := file.read1(_BLOCK):
                yield block


def next_line(file: BinaryIO, offset: int, size: int) -> int:
    """The first line that begins at or after an offset."""
    place = offset - 1
    while place < size:
        file.seek(place)
        block = file.read(_LINE_BLOCK)
        found = block.find(b"\n")
        if found >= 0:
            return place + found + 1
        if not block:
            break
        place += len(block)
    return size


def footer(file: BinaryIO, size: int) -> bytes | None:
    """The footer of a Parquet file; ``None`` if missing or truncated."""
    if size < len(PARQUET_MAGIC) + _FOOTER_END:
        return None
    file.seek(size - _FOOTER_END)
    end = file.read(_FOOTER_END)
    length = int.from_bytes(end[:4], "little")
    if not end.endswith(PARQUET_MAGIC) or length > size - _FOOTER_END - len(PARQUET_MAGIC):
        return None
    file.seek(size - _FOOTER_END - length)
    return file.read(length)
