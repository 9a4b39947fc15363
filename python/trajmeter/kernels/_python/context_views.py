"""What a set of views covers, as spans of each granularity."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.errors import InputError
from trajmeter.kernels._context import ContextTally
from trajmeter.kernels._python.context_file import KnownFile, MissingFile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels._context import ContextRules, ViewLike
    from trajmeter.kernels._python.pieces import Spans

__all__ = ["File", "SeenViews", "Tally", "Target"]

File: TypeAlias = KnownFile | MissingFile

Target: TypeAlias = "Callable[[str], tuple[File | None, bool]]"
"""Finds the file that a path refers to, and whether the path names a leak."""

_EXTENTS = frozenset({"lines", "bytes", "whole", "unknown"})


class Tally:
    """Counts of how views were resolved."""

    def __init__(self) -> None:
        self.views = 0
        self.unresolved: set[str] = set()
        self.empty_ranges = 0
        self.leaked_views = 0

    def add(self, other: Tally) -> None:
        """Add the counts of other views."""
        self.views += other.views
        self.unresolved |= other.unresolved
        self.empty_ranges += other.empty_ranges
        self.leaked_views += other.leaked_views

    def counts(self) -> ContextTally:
        """The counts."""
        return ContextTally(self.views, len(self.unresolved), self.empty_ranges, self.leaked_views)


class SeenViews:
    """What a set of views covers."""

    def __init__(self) -> None:
        self.has_range = False
        self.tally = Tally()
        self._file: Spans = []
        self._symbol: Spans = []
        self._span: Spans = []
        self._line: Spans = []
        self._named: Spans = []
        self._has_names = False

    def spans(self, rules: ContextRules = "default") -> tuple[Spans, Spans, Spans, Spans]:
        """Files, definitions, bytes and lines, in any order, with overlaps.

        As written, the names in a step, if there are any, replace its ranges.
        """
        replaced = self._has_names and rules == "as_written"
        symbol = self._named if replaced else self._symbol + self._named
        return self._file, symbol, self._span, self._line

    def certain_spans(self, rules: ContextRules) -> tuple[Spans, Spans, Spans, Spans]:
        """The spans of an open step: as written, later names may replace its definitions."""
        file, symbol, span, line = self.spans(rules)
        return file, [] if rules == "as_written" else symbol, span, line

    def _spans(self) -> tuple[Spans, Spans, Spans, Spans]:
        return self._file, self._symbol, self._span, self._line

    def add(self, views: Sequence[ViewLike], target: Target, rules: ContextRules) -> None:
        """Add views, and count how they were resolved."""
        as_written = rules == "as_written"
        tally = self.tally
        named = self._named
        for view in views:
            tally.views += 1
            file, leak = target(view.path)
            tally.leaked_views += leak
            if file is None:
                tally.unresolved.add(view.path)
                continue
            for name in view.symbols:
                self._has_names = True
                named += [(file.code, place, place + 1) for place in file.named(name)]
            if view.listed or not as_written:
                self._file.append((0, file.code, file.code + 1))
            extent = view.extent
            if extent not in _EXTENTS:
                raise InputError(
                    f"the extent of a view is {extent}, expected lines, bytes, whole or unknown"
                )
            if extent == "unknown":
                continue
            # Any object with the attributes of a view is accepted, and its numbers may be of other
            # types.
            start = None if view.start is None else index(view.start)
            end = None if view.end is None else index(view.end)
            # As written, only lines have ranges: a whole file is merely listed.
            if extent == "whole" and as_written:
                continue
            self.has_range = True
            covers = self._add_range(file, extent, start, end)
            tally.empty_ranges += file.known and not covers

    def join(self, other: SeenViews) -> None:
        """Add what other views of the same step cover."""
        for spans, more in zip(self._spans(), other._spans(), strict=True):
            spans.extend(more)
        self._named += other._named
        self._has_names |= other._has_names
        self.has_range |= other.has_range
        self.tally.add(other.tally)

    def add_gold(self, file: File, first: int, last: int, *, in_lines: bool) -> None:
        """Add lines that the reference contains."""
        self._file.append((0, file.code, file.code + 1))
        kept = len(self._line)
        self._add_range(file, "lines", first, last)
        if not in_lines:
            del self._line[kept:]

    def _add_range(self, file: File, extent: str, start: int | None, end: int | None) -> bool:
        lines, covered = file.cover(extent, start, end)
        if lines is not None:
            self._line.append((file.code, *lines))
        if covered is not None:
            self._span.append((file.code, *covered))
            for first, last in file.definitions(*covered):
                self._symbol.append((file.code, first, last))
        return lines is not None
