"""The union of steps at one granularity, beside gold."""

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
    """The union of steps at one granularity, and what each step found of gold."""

    def __init__(self, gold: Gold) -> None:
        self.coverage: list[float] = []
        self._gold = gold
        self._pieces: dict[int, Pieces] = {}
        self._size = 0
        self._covered = 0
        self._viewed_size = 0
        self._covered_sum = 0

    def add(self, spans: Spans) -> None:
        """Add one step."""
        for key, start, end in merge(spans):
            self._viewed_size += end - start
            pieces = self._pieces.get(key)
            if pieces is None:
                pieces = self._pieces[key] = Pieces()
            gold = self._gold.keys.get(key)
            for first, last in pieces.add(start, end):
                self._size += last - first
                if gold is not None:
                    self._covered += gold.within(first, last)
        self._covered_sum += self._covered
        if self._gold.size:
            self.coverage.append(self._covered / self._gold.size)

    def final(self) -> FinalSizes:
        """The union as a final context."""
        return FinalSizes(self._covered, self._gold.size, self._size)

    def steps(self) -> StepSizes:
        """The steps."""
        coverage = tuple(self.coverage) if self._gold.size else None
        return StepSizes(coverage, self._covered_sum, self._viewed_size, self._size)
