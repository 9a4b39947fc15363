"""The context kernel: what the views of a trajectory cover, beside a task's gold.

A view adds to four sets: files, definitions, bytes and lines. Each is kept as spans of a key, so
that one arithmetic serves all four: a file is the unit span of its number, a definition that of its
index within its file, and lines a to b are the span ``[a, b + 1)``.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.errors import TotalOverflowError
from trajmeter.kernels._python.context_file import KnownFile, MissingFile, new_file
from trajmeter.kernels._python.pieces import GoldSpans, Pieces, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels._context import (
        ContextFile,
        ContextRules,
        ContextSizes,
        FinalSizes,
        GoldLines,
        ResolvedPath,
        StepSizes,
        TurnLike,
        ViewLike,
    )

__all__ = ["ContextKernel", "ContextTrackerKernel", "StepCoverage"]

_File: TypeAlias = KnownFile | MissingFile
_Spans: TypeAlias = list[tuple[int, int, int]]

_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class StepCoverage:
    """Share of gold that has been seen after a step; see ``trajmeter.kernels.StepCoverage``."""

    step: int
    file: float | None
    symbol: float | None
    span: float | None
    line: float | None


class ContextKernel:
    """A task's gold, compiled, and the files that its paths were found to mean."""

    def __init__(
        self,
        resolve: Callable[[str], ResolvedPath],
        gold: Sequence[GoldLines],
        rules: ContextRules,
    ) -> None:
        """Compile the gold.

        Args:
            resolve: Finds the file that a path of a log means; asked once for every path.
            gold: Lines that the reference names.
            rules: What line numbers and touching definitions mean.
        """
        self.rules = rules
        self.contextbench = rules == "contextbench"
        self._resolve = resolve
        self._files: dict[int, _File] = {}
        self._targets: dict[str, tuple[_File | None, bool]] = {}
        context = _Context()
        for file, first, last, in_lines in gold:
            context.add_gold(self._file(file), first, last, in_lines=in_lines)
        self.gold = tuple(_Gold(spans) for spans in context.spans())

    def score(
        self, turns: Sequence[TurnLike] | None, final_views: Sequence[ViewLike] | None
    ) -> ContextSizes:
        """Score a whole trajectory; without final views the union of its steps stands for them.

        Raises:
            TotalOverflowError: Sizes add up to more than 64 bits hold.
        """
        tracker = self.tracker()
        for turn in turns or ():
            views = turn.views
            if views is not None:
                tracker.add(views)
        return tracker.sizes(final_views)

    def tracker(self) -> ContextTrackerKernel:
        """Begin a trajectory that is fed step by step."""
        return ContextTrackerKernel(self)

    def target(self, path: str) -> tuple[_File | None, bool]:
        """The file that a path means, and whether the path names a leak."""
        target = self._targets.get(path)
        if target is None:
            resolved = self._resolve(path)
            file = None if resolved.file is None else self._file(resolved.file)
            target = self._targets[path] = file, resolved.leak
        return target

    def _file(self, file: ContextFile) -> _File:
        found = self._files.get(file.code)
        if found is None:
            found = self._files[file.code] = new_file(file, self.rules)
        return found


class ContextTrackerKernel:
    """The state of a trajectory that is still running."""

    def __init__(self, kernel: ContextKernel) -> None:
        """Begin without steps."""
        self._kernel = kernel
        self._steps = 0
        self._has_range = False
        self._tally = _Tally()
        self._unions = tuple(_Union(gold) for gold in kernel.gold)

    def add(self, views: Sequence[ViewLike]) -> None:
        """Add one step."""
        context = _Context()
        context.add(views, self._kernel, self._tally)
        self._steps += 1
        self._has_range |= context.has_range
        for union, spans in zip(self._unions, context.spans(), strict=True):
            union.add(spans)

    def update(self, views: Sequence[ViewLike]) -> StepCoverage:
        """Add one step; its coverage so far.

        Raises:
            TotalOverflowError: Sizes add up to more than 64 bits hold.
        """
        self.add(views)
        coverage = (union.coverage[-1] if union.coverage else None for union in self._unions)
        return StepCoverage(self._steps, *coverage)

    def sizes(self, final_views: Sequence[ViewLike] | None) -> ContextSizes:
        """Sizes of the steps so far, as :meth:`ContextKernel.score` gives them."""
        if final_views is None:
            final = tuple(union.final() for union in self._unions)
            has_final_context = bool(final[0][2]) or self._has_range
            steps = tuple(union.steps() for union in self._unions)
            return self._steps, has_final_context, self._tally.counts(), final, steps
        tally = copy(self._tally)
        context = _Context()
        context.add(final_views, self._kernel, tally)
        unions = tuple(_Union(gold) for gold in self._kernel.gold)
        for union, spans in zip(unions, context.spans(), strict=True):
            union.add(spans)
        final = tuple(union.final() for union in unions)
        has_final_context = bool(final[0][2]) or context.has_range
        # ContextBench takes the final context as the one step of a trajectory without steps.
        if self._kernel.contextbench and not self._steps:
            num_steps = 1
        else:
            num_steps, unions = self._steps, self._unions
        steps = tuple(union.steps() for union in unions)
        return num_steps, has_final_context, tally.counts(), final, steps


class _Tally:
    """What became of the views."""

    def __init__(self) -> None:
        self.views = 0
        self.unresolved: frozenset[str] = frozenset()
        self.empty_ranges = 0
        self.leaked_views = 0

    def counts(self) -> tuple[int, int, int, int]:
        return self.views, len(self.unresolved), self.empty_ranges, self.leaked_views


class _Context:
    """What some views cover together."""

    def __init__(self) -> None:
        self.has_range = False
        self._file: _Spans = []
        self._symbol: _Spans = []
        self._span: _Spans = []
        self._line: _Spans = []

    def spans(self) -> tuple[_Spans, _Spans, _Spans, _Spans]:
        """Files, definitions, bytes and lines, in any order, with overlaps."""
        return self._file, self._symbol, self._span, self._line

    def add(self, views: Sequence[ViewLike], kernel: ContextKernel, tally: _Tally) -> None:
        """Add views, and count what becomes of them."""
        unresolved = []
        named: _Spans = []
        has_names = False
        for view in views:
            file, leak = kernel.target(view.path)
            tally.leaked_views += leak
            if file is None:
                unresolved.append(view.path)
                continue
            if view.listed or not kernel.contextbench:
                self._file.append((0, file.code, file.code + 1))
            for name in view.symbols:
                has_names = True
                named += [(file.code, index, index + 1) for index in file.named(name)]
            # ContextBench gives ranges to lines only: a whole file is no more than listed.
            if view.extent == "unknown" or (view.extent == "whole" and kernel.contextbench):
                continue
            self.has_range = True
            covers = self._add_range(file, view.extent, view.start, view.end)
            tally.empty_ranges += file.known and not covers
        tally.views += len(views)
        if unresolved:
            tally.unresolved = tally.unresolved.union(unresolved)
        if has_names and kernel.contextbench:
            self._symbol = named
        else:
            self._symbol += named

    def add_gold(self, file: _File, first: int, last: int, *, in_lines: bool) -> None:
        """Add lines that the reference names."""
        self._file.append((0, file.code, file.code + 1))
        kept = len(self._line)
        self._add_range(file, "lines", first, last)
        if not in_lines:
            del self._line[kept:]

    def _add_range(self, file: _File, extent: str, start: int | None, end: int | None) -> bool:
        lines, covered = file.cover(extent, start, end)
        if lines is not None:
            self._line.append((file.code, *lines))
        if covered is not None:
            self._span.append((file.code, *covered))
            for first, last in file.definitions(*covered):
                self._symbol.append((file.code, first, last))
        return lines is not None or covered is not None


class _Gold:
    """Gold at one granularity."""

    def __init__(self, spans: _Spans) -> None:
        self.keys: dict[int, GoldSpans] = {}
        self.size = 0
        for key, start, end in merge(spans):
            self.keys.setdefault(key, GoldSpans()).append(start, end)
            self.size += end - start


class _Union:
    """The union of steps at one granularity, and what each step found of gold."""

    def __init__(self, gold: _Gold) -> None:
        self.coverage: list[float] = []
        self._gold = gold
        self._pieces: dict[int, Pieces] = {}
        self._size = 0
        self._covered = 0
        self._viewed_size = 0
        self._covered_sum = 0

    def add(self, spans: _Spans) -> None:
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
        if max(self._viewed_size, self._covered_sum) > _LARGEST:
            raise TotalOverflowError(
                f"the sizes of the steps exceed the largest 64-bit integer, {_LARGEST}"
            )
        if self._gold.size:
            self.coverage.append(self._covered / self._gold.size)

    def final(self) -> FinalSizes:
        """The union as a final context."""
        return self._covered, self._gold.size, self._size

    def steps(self) -> StepSizes:
        """The steps."""
        coverage = tuple(self.coverage) if self._gold.size else None
        return coverage, self._covered_sum, self._viewed_size, self._size
