"""Reading the bytes of a file for what is known of it without a look at its records."""

from __future__ import annotations

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
"""Bytes behind the footer of Parquet: its length, and the magic ones."""


class Content(NamedTuple):
    """What was found in some bytes."""

    crc: int
    """Their CRC-32."""
    lines: int
    """How many lines they are."""

    @property
    def name(self) -> str:
        """What a file with this content is known by."""
        return f"crc32:{self.crc:08x}"


def scan(file: BinaryIO, size: int) -> Content:
    """Read bytes from where a file stands."""
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
    """What gives the CRC-32 of bytes that follow others of a CRC-32, and counts their newlines."""
    if kernels.backend() == "python":
        return _crc_and_newlines
    from trajmeter.kernels import _rust  # whose twin follows

    return _rust.crc_and_newlines


def _crc_and_newlines(block: bytes, before: int) -> tuple[int, int]:
    return crc32(block, before), _newlines(block)


def _newlines(block: bytes) -> int:
    """How many newlines there are, counted in a third of the time that bytes take."""
    held = np.frombuffer(block, np.uint8)
    parts = (held[start : start + _IN_CACHE] for start in range(0, len(held), _IN_CACHE))
    return sum(int(np.count_nonzero(part == _NEWLINE)) for part in parts)


class Cut(NamedTuple):
    """Where a line begins."""

    offset: int
    """Offset in what the file decompresses to."""
    line: int
    """Its number, from 1."""


def line_cuts(path: Path, lines: int) -> Iterator[Cut]:
    """Where every so many lines of a file begin, and where it ends, or cannot be read any more.

    Raises:
        OSError: The file cannot be opened.
    """
    cut = Cut(0, 1)
    yield cut
    with open_content(path) as file:
        lift_limit(file)
        offset, line = cut
        is_begun = False
        try:
            while block := file.read1(_BLOCK):  # type: ignore[attr-defined]  # of BufferedReader
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
        except OSError:  # whoever reads up to there says why
            pass
    yield Cut(offset, line + is_begun)


def next_line(file: BinaryIO, offset: int, size: int) -> int:
    """Where the first line begins that does not begin before an offset."""
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
    """The footer of Parquet; ``None`` if it is missing or cut off."""
    if size < len(PARQUET_MAGIC) + _FOOTER_END:
        return None
    file.seek(size - _FOOTER_END)
    end = file.read(_FOOTER_END)
    length = int.from_bytes(end[:4], "little")
    if not end.endswith(PARQUET_MAGIC) or length > size - _FOOTER_END - len(PARQUET_MAGIC):
        return None
    file.seek(size - _FOOTER_END - length)
    return file.read(length)
