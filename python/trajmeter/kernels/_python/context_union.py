"""The union of steps at one granularity, compared with gold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.kernels._context import FinalSizes, StepSizes
from trajmeter.kernels._python.pieces import GoldSpans, Pieces, merge

if TYPE_CHECKING:
    from trajmeter.kernels._python.pieces import Spans

__all__ = ["Gold", "Union"]


class Gold:
    """Gold at one granularity."""

    def __init__(self, spans: Spans) -> None:
        self.keys: dict[int, GoldSpans] = {}
        for key, start, end in merge(spans):
            self.keys.setdefault(key, GoldSpans()).append(start, end)
        self.size = sum(gold.size for gold in self.keys.values())


class Union:
    """The union of steps at one granularity, and the gold that each step found."""

    def __init__(self, gold: Gold) -> None:
        self._coverage: list[float] = []
        self._gold = gold
        self._pieces: dict[int, Pieces] = {}
        self._size = 0
        self._covered = 0
        self._viewed_size = 0
        self._covered_sum = 0
        self._ended = (0, 0)

    def add(self, spans: Spans) -> None:
        """Add one step."""
        self.look(merge(spans))
        self.close(spans)

    def look(self, spans: Spans) -> None:
        """Add spans of an open step."""
        for key, start, end in spans:
            pieces = self._pieces.get(key)
            if pieces is None:
                pieces = self._pieces[key] = Pieces()
            gold = self._gold.keys.get(key)
            for first, last in pieces.add(start, end):
                self._size += last - first
                if gold is not None:
                    self._covered += gold.within(first, last)

    def close(self, spans: Spans) -> None:
        """End a step, all of whose spans were added with :meth:`look`."""
        self._viewed_size += sum(end - start for _, start, end in merge(spans))
        self._covered_sum += self._covered
        self._ended = (self._size, self._covered)
        if self._gold.size:
            self._coverage.append(self._covered / self._gold.size)

    def coverage(self) -> float | None:
        """Share of gold seen so far, including an open step; ``None`` without gold."""
        return self._covered / self._gold.size if self._gold.size else None

    def viewed(self) -> tuple[int, int]:
        """Total size of the finished steps, and how much of it an earlier step had shown."""
        return self._viewed_size, self._viewed_size - self._ended[0]

    def final(self) -> FinalSizes:
        """The union of the finished steps as a final context."""
        size, covered = self._ended
        return FinalSizes(covered, self._gold.size, size)

    def steps(self) -> StepSizes:
        """The finished steps."""
        coverage = tuple(self._coverage) if self._gold.size else None
        return StepSizes(coverage, self._covered_sum, self._viewed_size, self._ended[0])
