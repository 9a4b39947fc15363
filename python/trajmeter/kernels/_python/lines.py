"""Lines of a file, and where they begin in bytes.

Only LF separates lines: CR belongs to its line, and a file with CR alone is one line. A newline
belongs to the line that it ends. A file that ends in a newline has one more line start, at its
size: the *phantom line*, which contains no byte. It is the only line of an empty file.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.kernels._python.spans import listed

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import Int64Array, SpanArrays

__all__ = ["bytes_to_lines", "line_starts"]


def line_starts(buffer: bytes) -> Int64Array:
    r"""Find the byte at which each line begins.

    Args:
        buffer: Content of the file.

    Returns:
        Offsets from 0, rising. ``b"ab\ncde\nf\n"`` gives 0, 3, 7 and 9, of which the last is the
        phantom line; without its last newline it gives 0, 3 and 7; ``b""`` gives 0.
    """
    sizes = map(len, buffer.split(b"\n")[:-1])
    return np.array([0, *accumulate(size + 1 for size in sizes)], np.int64)


def bytes_to_lines(
    line_starts: Int64Array, size: int, start: Int64Array, end: Int64Array
) -> SpanArrays:
    """Find the lines of one file that spans touch.

    A span is clipped at the end of the file. If it is then empty, it touches no line: its first
    line is the one it lies in, and its last line the one before that.

    Args:
        line_starts: Line starts of the file, from :func:`line_starts`.
        size: Bytes in the file.
        start: First byte of each span.
        end: The byte after the last of each span.

    Returns:
        First and last line of each span, from 1, in the order of the spans.

    Raises:
        NegativeSpanError: A span begins before byte 0; the first bad span is named.
        ReversedSpanError: A span ends before it begins; the first bad span is named.
    """
    table = line_starts.tolist()
    ranges = []
    for begin, stop in zip(*listed(start, end), strict=True):
        first_line = bisect_right(table, min(begin, size))
        empty = min(stop, size) <= begin
        last_line = first_line - 1 if empty else bisect_right(table, min(stop, size) - 1)
        ranges.append((first_line, last_line))
    return _arrays(ranges)


def _arrays(pairs: list[tuple[int, int]]) -> SpanArrays:
    firsts, lasts = ([pair[side] for pair in pairs] for side in (0, 1))
    return np.array(firsts, np.int64), np.array(lasts, np.int64)
