"""What a view of one file covers: its lines, its bytes and its definitions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.kernels._constants import LARGEST_POSITION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels._context import ContextFile, ContextRules, TablesLike

__all__ = ["Cover", "KnownFile", "MissingFile", "Range", "new_file"]

Range: TypeAlias = tuple[int, int]

Cover: TypeAlias = tuple[Range | None, Range | None]
"""Lines (from 1) and bytes (from 0), both half-open; ``None`` if there are none."""

_TO_THE_END = -1


class MissingFile:
    """A file without a snapshot: its lines are used as written, its bytes are unknown."""

    known = False

    def __init__(self, code: int, rules: ContextRules) -> None:
        self.code = code
        self._as_written = rules == "as_written"

    def cover(self, extent: str, start: int | None, end: int | None) -> Cover:
        """Lines and bytes of a view's range."""
        if extent != "lines":
            return None, None
        if self._as_written:
            return _positive(start, end), None
        if end is None or end == _TO_THE_END:
            return None, None
        first, last = max(_bounded(start or 1), 1), _bounded(end)
        return ((first, last + 1) if first <= last else None), None

    def definitions(self, _start: int, _end: int) -> list[Range]:
        """Definitions that share a byte with a range: none, as none are known."""
        return []

    def named(self, _name: str) -> Sequence[int]:
        """Definitions with a name: none, as none are known."""
        return ()


class KnownFile:
    """A file with its tables from a snapshot."""

    known = True

    def __init__(self, code: int, tables: TablesLike, rules: ContextRules) -> None:
        self.code = code
        self.named: Callable[[str], Sequence[int]] = tables.named
        self._as_written = rules == "as_written"
        self._size = tables.size
        self._line_starts: list[int] = tables.line_starts.tolist()
        # As written, there is a line after the last newline.
        phantom = not self._as_written and self._line_starts[-1] == self._size
        self._line_count = len(self._line_starts) - phantom
        self._starts: list[int] = tables.definition_start.tolist()
        self._ends: list[int] = tables.definition_end.tolist()
        self._wider = _wider(self._ends)

    def cover(self, extent: str, start: int | None, end: int | None) -> Cover:
        """Lines and bytes of a view's range.

        A range is clipped to the file. A range that is reversed or outside the file is empty. A
        missing end, or -1, means the end of the file.
        """
        if extent == "lines":
            if self._as_written:
                return _positive(start, end), self._bytes_as_written(start, end)
            return self._cover_lines(start, end)
        if extent == "whole":
            start, end = 0, self._size
        return self._cover_bytes(start, end)

    def definitions(self, start: int, end: int) -> list[Range]:
        """Definitions that share a byte with a range, as ranges of their indices.

        Those that begin inside the range are consecutive. Earlier ones that reach it are found by
        skipping, from each that does not, to the nearest one that ends later.
        """
        low = bisect_left(self._starts, start)
        high = bisect_left(self._starts, end)
        found = [(low, high)] if low < high else []
        # As written, a definition that ends where the range begins also counts.
        reach = start - self._as_written
        index = low - 1
        while index >= 0:
            if self._ends[index] > reach:
                found.append((index, index + 1))
                index -= 1
            else:
                index = self._wider[index]
        return found

    def _cover_lines(self, start: int | None, end: int | None) -> Cover:
        last = self._line_count if end is None or end == _TO_THE_END else end
        first, last = max(start or 1, 1), min(last, self._line_count)
        if first > last:
            return None, None
        return (first, last + 1), (self._line_starts[first - 1], self._line_end(last))

    def _cover_bytes(self, start: int | None, end: int | None) -> Cover:
        last = self._size if end is None or end == _TO_THE_END else end
        first, last = max(start or 0, 0), min(last, self._size)
        if first >= last:
            return None, None
        lines = (
            bisect_right(self._line_starts, first),
            bisect_right(self._line_starts, last - 1) + 1,
        )
        return lines, (first, last)

    def _bytes_as_written(self, start: int | None, end: int | None) -> Range | None:
        """Bytes of a line range as written, including bytes that do not exist.

        An empty file has one byte; the line after the last newline has one, past the end. The first
        line is raised to 1, and the last to the first.
        """
        if start is None or end is None:
            return None
        if self._size == 0:
            return 0, 1
        first = max(start, 1)
        if first > self._line_count:
            return None
        begin = self._line_starts[first - 1]
        return begin, max(self._line_end(min(max(end, first), self._line_count)), begin + 1)

    def _line_end(self, line: int) -> int:
        return self._line_starts[line] if line < len(self._line_starts) else self._size


def new_file(file: ContextFile, rules: ContextRules) -> KnownFile | MissingFile:
    """The file, with its tables if it has any."""
    if file.tables is None:
        return MissingFile(file.code, rules)
    return KnownFile(file.code, file.tables, rules)


def _positive(first: int | None, last: int | None) -> Range | None:
    """Lines as written, if both ends are positive."""
    if first is None or last is None:
        return None
    first, last = _bounded(first), _bounded(last)
    return (first, last + 1) if 0 < first <= last else None


def _bounded(number: int) -> int:
    return max(-LARGEST_POSITION, min(number, LARGEST_POSITION))


def _wider(ends: list[int]) -> list[int]:
    """For every definition, the nearest one before it that ends later; -1 without one."""
    wider: list[int] = []
    for index, end in enumerate(ends):
        before = index - 1
        while before >= 0 and ends[before] <= end:
            before = wider[before]
        wider.append(before)
    return wider
