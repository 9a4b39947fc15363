"""What has been seen of one file: disjoint pieces, extended range by range.

The pieces are stored in chunks of bounded length, so that adding a range takes time logarithmic in
their number, plus at most one chunk. A range absorbs the pieces it meets, each of which was added
once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TypeAlias

__all__ = ["GoldSpans", "Pieces", "Spans", "merge"]

Spans: TypeAlias = list[tuple[int, int, int]]
"""Key, start and end of each span."""

_LONGEST_CHUNK = 512


def merge(spans: Spans) -> Spans:
    """Unite spans ``(key, start, end)``, none of them empty, where they overlap or touch."""
    if len(spans) < 2:  # noqa: PLR2004 - one span is its own union
        return spans
    ordered = sorted(spans)
    merged = []
    key, start, end = ordered[0]
    for other, first, last in ordered:
        if other != key or first > end:
            merged.append((key, start, end))
            key, start, end = other, first, last
        elif last > end:
            end = last
    merged.append((key, start, end))
    return merged


class GoldSpans:
    """Gold of one file: disjoint spans in order, and the cumulative size before each position."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._before: list[int] = []
        self.size = 0

    def append(self, start: int, end: int) -> None:
        """Add a span that follows all others."""
        self._starts.append(start)
        self._ends.append(end)
        self._before.append(self.size)
        self.size += end - start

    def before(self, place: int) -> int:
        """Size of the gold before a position."""
        index = bisect_right(self._starts, place) - 1
        if index < 0:
            return 0
        return self._before[index] + min(place, self._ends[index]) - self._starts[index]

    def within(self, start: int, end: int) -> int:
        """Size of the gold within a range."""
        return self.before(end) - self.before(start)


class Pieces:
    """Disjoint ranges that do not touch, in order."""

    def __init__(self) -> None:
        self._starts: list[list[int]] = [[]]
        self._ends: list[list[int]] = [[]]
        self._last: list[int] = []

    def add(self, start: int, end: int) -> list[tuple[int, int]]:
        """Add a range that is not empty; return the parts of it that are new, in order."""
        chunk = min(bisect_left(self._last, start), len(self._starts) - 1)
        starts, ends = self._starts[chunk], self._ends[chunk]
        low = bisect_left(ends, start)
        high = bisect_right(starts, end, low)
        swallowed = list(zip(starts[low:high], ends[low:high], strict=True))
        at_the_end = high == len(starts)
        if at_the_end:
            swallowed += self._take_from_next(chunk, end)
        new, first, last = _gaps(start, end, swallowed)
        if not new:
            return new
        starts[low:high] = [first]
        ends[low:high] = [last]
        self._settle(chunk)
        return new

    def _take_from_next(self, chunk: int, end: int) -> list[tuple[int, int]]:
        """Remove pieces from the following chunks that begin at ``end`` or before."""
        taken: list[tuple[int, int]] = []
        behind = chunk + 1
        while behind < len(self._starts) and self._starts[behind][0] <= end:
            starts, ends = self._starts[behind], self._ends[behind]
            count = bisect_right(starts, end)
            taken += zip(starts[:count], ends[:count], strict=True)
            if count < len(starts):
                del starts[:count], ends[:count]
                break
            del self._starts[behind], self._ends[behind], self._last[behind]
        return taken

    def _settle(self, chunk: int) -> None:
        """Update the end of a changed chunk, and split it in half if it is too long."""
        starts, ends = self._starts[chunk], self._ends[chunk]
        self._last[chunk : chunk + 1] = [ends[-1]]
        if len(starts) > _LONGEST_CHUNK:
            half = len(starts) // 2
            self._starts[chunk : chunk + 1] = [starts[:half], starts[half:]]
            self._ends[chunk : chunk + 1] = [ends[:half], ends[half:]]
            self._last.insert(chunk, ends[half - 1])


def _gaps(
    start: int, end: int, pieces: list[tuple[int, int]]
) -> tuple[list[tuple[int, int]], int, int]:
    """Parts of a range that none of the pieces cover, and the range that they form together."""
    first, last = start, end
    new = []
    place = start
    for low, high in pieces:
        if place < low:
            new.append((place, low))
        place = high
    if place < end:
        new.append((place, end))
    if pieces:
        first, last = min(start, pieces[0][0]), max(end, pieces[-1][1])
    return new, first, last
