"""Reads files of lines in blocks, rejecting lines that exceed the length limit."""

from __future__ import annotations

from io import FileIO
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.json_input import LONGEST_LINE, too_long
from trajmeter.readers._files.bounded import Bounded
from trajmeter.readers._files.compression import Decompressed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader
    from typing import BinaryIO

    from trajmeter.errors import ReadError

__all__ = ["LineBlock", "bounded_blocks", "lift_limit", "line_blocks"]

_SKIPPED = 1 << 20
_AHEAD = 1 << 16
"""Bytes of lookahead in which to find the end of a line before reading it."""


class LineBlock(NamedTuple):
    """A block of whole lines, and why the line after it was skipped."""

    content: bytes
    """The lines; may be empty."""
    error: ReadError | None = None
    """Why the next line is skipped; ``None`` if it is not."""


def line_blocks(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Split a file after newlines into blocks of about ``size`` bytes, or one longer line."""
    while block := file.read(size):
        yield block if block.endswith(b"\n") else block + file.readline()


def lift_limit(file: BinaryIO) -> None:
    """Mark a file whose reader never keeps an overlong line in memory, even if compressed."""
    raw = getattr(file, "raw", None)
    if isinstance(raw, Decompressed):
        raw.is_limited = False


def bounded_blocks(
    file: BufferedReader, size: int, longest: int = LONGEST_LINE
) -> Iterator[LineBlock]:
    """Split a file after newlines, skipping overlong lines without holding them in memory.

    Args:
        file: The file.
        size: Approximate size of a block in bytes; a longer line is a block by itself.
        longest: Maximum length of a line in bytes.

    Raises:
        OSError: The file cannot be read to its end; everything before the failing line has been
            yielded.
    """
    lift_limit(file)
    while True:
        block, error = _filled(file, size)
        begin = block.rfind(b"\n") + 1
        if error is None and begin < len(block):
            try:
                rest = file.readline(max(longest - (len(block) - begin), 0) + 1)
                is_whole = rest.endswith(b"\n") or not file.peek(1)
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
            if len(block) - begin > longest:
                yield LineBlock(b"", too_long(longest))
            raise error
        if not block:
            return
        yield from _bounded(block, longest)


def _filled(file: BufferedReader, size: int) -> tuple[bytes, OSError | None]:
    """Read about this many bytes, and return the error if fewer could be read."""
    parts: list[bytes] = []
    size += _rest_of_line(file, size)
    while size > 0:
        try:
            part = file.read1(size)
        except OSError as error:
            return b"".join(parts), error
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts), None


def _rest_of_line(file: BinaryIO, size: int) -> int:
    """Bytes from ``size`` to the end of that line, if that is cheap to find.

    Bytes read in one call need not be joined, which would copy them.
    """
    if not isinstance(getattr(file, "raw", None), (FileIO, Bounded)) or not file.seekable():
        return 0
    begin = file.tell()
    try:
        file.seek(begin + size)
        rest = file.readline(_AHEAD)
    except OSError:  # raised again when reading gets there
        rest = b""
    file.seek(begin)
    return len(rest)


def _skip_line(file: BinaryIO) -> None:
    while (rest := file.readline(_SKIPPED)) and not rest.endswith(b"\n"):
        pass


def _bounded(block: bytes, longest: int) -> Iterator[LineBlock]:
    """The lines of a block except overlong ones."""
    begin = end = 0
    while len(block) - end > longest:  # where an overlong line may begin
        stop = block.find(b"\n", end) + 1 or len(block)
        if stop - end > longest:
            yield LineBlock(block[begin:end], too_long(longest))
            begin = stop
        end = stop
    if begin < len(block):
        yield LineBlock(block[begin:] if begin else block)
