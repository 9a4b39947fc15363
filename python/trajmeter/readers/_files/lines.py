"""Files of lines, read in blocks, and lines that are longer than anybody accepts."""

from __future__ import annotations

from io import FileIO
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.json_input import LONGEST_LINE, too_long
from trajmeter.readers._files.bounded import Bounded
from trajmeter.readers._files.compression import Decompressed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from trajmeter.errors import ReadError

__all__ = ["LineBlock", "bounded_blocks", "lift_limit", "line_blocks"]

_SKIPPED = 1 << 20
_AHEAD = 1 << 16
"""Bytes among which the end of a line is looked for before it is read."""


class LineBlock(NamedTuple):
    """Whole lines, and what follows them."""

    content: bytes
    """The lines; there may be none."""
    error: ReadError | None = None
    """Why the line that follows is left out; ``None`` if none is."""


def line_blocks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Cut a file behind newlines, so that each block has about ``size`` bytes, or one line."""
    while block := file.read(size):
        yield block if block.endswith(b"\n") else block + file.readline()


def lift_limit(file: BinaryIO) -> None:
    """Say that whoever reads this file holds no line that is too long, however it is compressed."""
    raw = getattr(file, "raw", None)
    if isinstance(raw, Decompressed):
        raw.is_limited = False


def bounded_blocks(file: BinaryIO, size: int, longest: int = LONGEST_LINE) -> Iterator[LineBlock]:
    """Cut a file behind newlines, without lines that are too long; their bytes are not held.

    Args:
        file: The file.
        size: Bytes of a block, about; a longer line is one by itself.
        longest: Bytes of the longest line that is accepted.

    Raises:
        OSError: The file cannot be read to its end; everything before has been yielded, but for
            the line in which it cannot.
    """
    lift_limit(file)
    while True:
        block, error = _filled(file, size)
        begin = block.rfind(b"\n") + 1
        if error is None and begin < len(block):
            try:
                rest = file.readline(max(longest - (len(block) - begin), 0) + 1)
                is_whole = rest.endswith(b"\n") or not file.peek(1)  # type: ignore[attr-defined]  # of BufferedReader
            except OSError as met:
                error = met
            else:
                block += rest
                if not is_whole:
                    yield from _bounded(block[:begin], longest)
                    _skip_line(file)
                    yield LineBlock(b"", too_long(longest))
                    continue
        if error is not None:
            yield from _bounded(block[:begin], longest)
            raise error
        if not block:
            return
        yield from _bounded(block, longest)


def _filled(file: BinaryIO, size: int) -> tuple[bytes, OSError | None]:
    """About so many bytes, and what went wrong before there were as many."""
    parts: list[bytes] = []
    size += _rest_of_line(file, size)
    while size > 0:
        try:
            part = file.read1(size)  # type: ignore[attr-defined]  # of BufferedReader
        except OSError as error:
            return b"".join(parts), error
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts), None


def _rest_of_line(file: BinaryIO, size: int) -> int:
    """How far behind ``size`` bytes the line ends in which they do, where it is quick to see.

    Bytes that are read at once need not be copied to be joined.
    """
    if not isinstance(getattr(file, "raw", None), (FileIO, Bounded)) or not file.seekable():
        return 0
    begin = file.tell()
    try:
        file.seek(begin + size)
        rest = file.readline(_AHEAD)
    except OSError:  # raised again where it is met
        rest = b""
    file.seek(begin)
    return len(rest)


def _skip_line(file: BinaryIO) -> None:
    while (rest := file.readline(_SKIPPED)) and not rest.endswith(b"\n"):
        pass


def _bounded(block: bytes, longest: int) -> Iterator[LineBlock]:
    """The lines of a block, without those that are too long."""
    begin = end = 0
    while len(block) - end > longest:  # where a line of it may be
        stop = block.find(b"\n", end) + 1 or len(block)
        if stop - end > longest:
            yield LineBlock(block[begin:end], too_long(longest))
            begin = stop
        end = stop
    if begin < len(block):
        yield LineBlock(block[begin:] if begin else block)
