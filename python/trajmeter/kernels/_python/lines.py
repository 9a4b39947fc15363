"""Lines of a file and the bytes they lie at.

Only LF separates lines: CR belongs to its line, and a file with CR alone is one line. A newline
belongs to the line that it ends. A file that ends in a newline has one more line start, at its
size: the *phantom line*, which holds no byte. So has the empty file, as its only one.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import InputError, LineRangeError
from trajmeter.kernels._python.spans import listed

if TYPE_CHECKING:
    from trajmeter.kernels._contract import Int64Array, SpanArrays

__all__ = ["bytes_to_lines", "line_starts", "lines_to_bytes", "lines_to_bytes_batched"]


def line_starts(buffer: bytes) -> Int64Array:
    r"""Find the byte at which each line begins.

    Args:
        buffer: Content of the file.

    Returns:
        Offsets from 0, rising. ``b"ab\ncde\nf\n"`` gives 0, 3, 7 and 9, the last of them the
        phantom line; without its last newline it gives 0, 3 and 7; ``b""`` gives 0.
    """
    sizes = map(len, buffer.split(b"\n")[:-1])
    return np.array([0, *accumulate(size + 1 for size in sizes)], np.int64)


def lines_to_bytes(
    line_starts: Int64Array, size: int, first: Int64Array, last: Int64Array
) -> SpanArrays:
    """Find the bytes of ranges of lines of one file.

    A range is cut at the end of the file. One that begins after the last line gives the empty span
    ``[size, size)``, and so does the phantom line.

    Nothing else is corrected: what a record means by a first line below 1 or by a last line before
    the first is for a profile to say, before the call. ContextBench raises the first line to 1,
    then the last one to the first. What it makes of a range at the very end follows from its first
    line ``f`` and from ``n = len(line_starts)``: for the phantom line (``f == n`` and
    ``line_starts[-1] == size``) the one byte ``[size, size + 1)``, in an empty file (``size == 0``)
    the byte ``[0, 1)`` whatever the range, and for ``f > n`` elsewhere nothing.

    Args:
        line_starts: Line starts of the file, as :func:`line_starts` gives them.
        size: Bytes in the file.
        first: First line of each range, from 1.
        last: Last line of each range, included.

    Returns:
        Start and end of the bytes of each range, half-open, in the order of the ranges.

    Raises:
        LineRangeError: A range begins before line 1 or ends before it begins; the first bad one is
            named.
    """
    table = line_starts.tolist()
    ranges = zip(first.tolist(), last.tolist(), strict=True)
    return _arrays(
        [
            _bytes_of(table, 0, len(table), size, _checked(index, begin, stop))
            for index, (begin, stop) in enumerate(ranges)
        ]
    )


def lines_to_bytes_batched(
    line_starts: Int64Array,
    offsets: Int64Array,
    size: Int64Array,
    file: Int64Array,
    first: Int64Array,
    last: Int64Array,
) -> SpanArrays:
    """Find the bytes of ranges of lines of many files.

    Args:
        line_starts: Line starts of all files, one file after the other.
        offsets: Those of file i are ``[offsets[i], offsets[i + 1])`` of ``line_starts``.
        size: Bytes in each file.
        file: Which file each range is of, from 0.
        first: First line of each range, from 1.
        last: Last line of each range, included.

    Returns:
        For each range what :func:`lines_to_bytes` gives for its file.

    Raises:
        InputError: There is no file of a range's number; the first bad range is named.
        LineRangeError: As in :func:`lines_to_bytes`. Of one range, the file is checked first.
    """
    table, bounds, sizes = line_starts.tolist(), offsets.tolist(), size.tolist()
    ranges = zip(file.tolist(), first.tolist(), last.tolist(), strict=True)
    spans = []
    for index, (code, begin, stop) in enumerate(ranges):
        if not 0 <= code < len(sizes):
            raise InputError(
                f"file {index} is {code}, expected at least 0 and less than {len(sizes)}, "
                "the number of files"
            )
        origin, lines = bounds[code], bounds[code + 1] - bounds[code]
        lines_of_range = _checked(index, begin, stop)
        spans.append(_bytes_of(table, origin, lines, sizes[code], lines_of_range))
    return _arrays(spans)


def bytes_to_lines(
    line_starts: Int64Array, size: int, start: Int64Array, end: Int64Array
) -> SpanArrays:
    """Find the lines of one file that spans touch.

    A span is cut at the end of the file. One that is then empty touches no line: its last line is
    the one before its first, which is where it lies. Such a range has to be dropped before it goes
    back into :func:`lines_to_bytes`, which refuses it.

    Args:
        line_starts: Line starts of the file, as :func:`line_starts` gives them.
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


def _checked(index: int, first: int, last: int) -> tuple[int, int]:
    if first < 1:
        raise LineRangeError(
            f"line range {index} is {first}-{last}: its first line is below 1, expected 1 or more"
        )
    if last < first:
        raise LineRangeError(
            f"line range {index} is {first}-{last}: its last line lies before its first"
        )
    return first, last


def _bytes_of(
    table: list[int], origin: int, lines: int, size: int, line_range: tuple[int, int]
) -> tuple[int, int]:
    """Bytes of one range in the file whose line starts are ``lines`` ones from ``origin`` on."""
    first, last = line_range
    if first > lines:
        return size, size
    return table[origin + first - 1], table[origin + last] if last < lines else size


def _arrays(pairs: list[tuple[int, int]]) -> SpanArrays:
    firsts, lasts = ([pair[side] for pair in pairs] for side in (0, 1))
    return np.array(firsts, np.int64), np.array(lasts, np.int64)
