"""Files of lines, read in blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

__all__ = ["line_blocks"]


def line_blocks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Cut a file behind newlines, so that each block has about ``size`` bytes, or one line."""
    while block := file.read(size):
        yield block if block.endswith(b"\n") else block + file.readline()
