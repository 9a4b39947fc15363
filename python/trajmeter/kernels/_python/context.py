"""The context kernel: what the views of a trajectory cover, beside a task's gold.

A view adds to four sets: files, definitions, bytes and lines. Each is kept as spans of a key, so
that one arithmetic serves all four: a file is the unit span of its number, a definition that of its
index within its file, and lines a to b are the span ``[a, b + 1)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.errors import InputError, TotalOverflowError
from trajmeter.kernels._python.context_file import KnownFile, MissingFile, new_file
from trajmeter.kernels._python.pieces import GoldSpans, Pieces, merge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trajmeter.kernels._context import (
        ContextFile,
        ContextRules,
        ContextSizes,
        ContextTally,
        FinalSizes,
        GoldLines,
        ResolvedPath,
        StepSizes,
        TurnLike,
        ViewLike,
    )

__all__ = ["ContextKernel", "ContextTrackerKernel", "StepCoverage", "context"]

_File: TypeAlias = KnownFile | MissingFile
_Spans: TypeAlias = list[tuple[int, int, int]]

_EXTENTS = frozenset({"lines", "bytes", "whole", "unknown"})

_LARGEST = 2**63 - 1


def context(
    resolve: Callable[[str], ResolvedPath], gold: Sequence[GoldLines], rules: ContextRules
) -> ContextKernel:
    """Compile a task's gold.

    Args:
        resolve: Finds the file that a path of a log means; asked once for every path.
        gold: Lines that the reference names.
        rules: What line numbers and touching definitions mean.

    Raises:
        TotalOverflowError: The gold of a granularity adds up to more than 64 bits hold.
    """
    return ContextKernel(resolve, gold, rules)


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
        """Compile the gold, as :func:`context` says."""
        self.rules = rules
        self.contextbench = rules == "contextbench"
        self._resolve = resolve
        self._files: dict[int, _File] = {}
        self._targets: dict[str, tuple[_File | None, bool]] = {}
        seen = _Context()
        for file, first, last, in_lines in gold:
            seen.add_gold(self._file(file), first, last, in_lines=in_lines)
        self.gold = tuple(_Gold(spans) for spans in seen.spans())
        _refuse_overflow("gold size", [gold.size for gold in self.gold])

    def score(
        self, turns: Sequence[TurnLike] | None, final_views: Sequence[ViewLike] | None
    ) -> ContextSizes:
        """Score a whole trajectory; without final views the union of its steps stands for them.

        Raises:
            InputError: The extent of a view is none of those there are.
            TotalOverflowError: Sizes add up to more than 64 bits hold.
        """
        tracker = self.tracker()
        for turn in turns or ():
            views = turn.views
            if views is not None:
                tracker.update(views)
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
        self._walked = _Walked(kernel)

    def update(self, views: Sequence[ViewLike]) -> StepCoverage:
        """Add one step; its coverage so far.

        Raises:
            InputError: The extent of a view is none of those there are; nothing is added.
        """
        self._walked.add(views)
        unions = self._walked.unions
        coverage = (union.coverage[-1] if union.coverage else None for union in unions)
        return StepCoverage(self._walked.count, *coverage)

    def sizes(self, final_views: Sequence[ViewLike] | None) -> ContextSizes:
        """Sizes of the steps so far, as :meth:`ContextKernel.score` gives them.

        Raises:
            InputError: The extent of a view is none of those there are.
            TotalOverflowError: Sizes add up to more than 64 bits hold.
        """
        steps = final = self._walked
        tally = steps.tally
        if final_views is not None:
            final = _Walked(self._kernel)
            final.add(final_views)
            tally = tally.with_other(final.tally)
            # ContextBench takes the final context as the one step of a trajectory without steps.
            if self._kernel.contextbench and not steps.count:
                steps = final
        step_sizes = tuple(union.steps() for union in steps.unions)
        final_sizes = tuple(union.final() for union in final.unions)
        _refuse_overflow("sum of step sizes", [viewed for _, _, viewed, _ in step_sizes])
        _refuse_overflow("sum of covered sizes", [covered for _, covered, _, _ in step_sizes])
        _refuse_overflow("size of the final context", [size for _, _, size in final_sizes])
        has_final_context = final.has_range or final_sizes[0][2] > 0
        return steps.count, has_final_context, tally.counts(), final_sizes, step_sizes


class _Walked:
    """The union of some steps."""

    def __init__(self, kernel: ContextKernel) -> None:
        self.count = 0
        self.has_range = False
        self.tally = _Tally()
        self.unions = tuple(_Union(gold) for gold in kernel.gold)
        self._kernel = kernel

    def add(self, views: Sequence[ViewLike]) -> None:
        """Add one step."""
        seen = _Context()
        seen.add(views, self._kernel)
        self.count += 1
        self.has_range |= seen.has_range
        self.tally = self.tally.with_other(seen.tally)
        for union, spans in zip(self.unions, seen.spans(), strict=True):
            union.add(spans)


class _Tally:
    """What became of the views."""

    def __init__(self) -> None:
        self.views = 0
        self.unresolved: set[str] = set()
        self.empty_ranges = 0
        self.leaked_views = 0

    def with_other(self, other: _Tally) -> _Tally:
        """The two together."""
        both = _Tally()
        both.views = self.views + other.views
        both.unresolved = self.unresolved | other.unresolved
        both.empty_ranges = self.empty_ranges + other.empty_ranges
        both.leaked_views = self.leaked_views + other.leaked_views
        return both

    def counts(self) -> ContextTally:
        """The numbers."""
        return self.views, len(self.unresolved), self.empty_ranges, self.leaked_views


class _Context:
    """What some views cover together."""

    def __init__(self) -> None:
        self.has_range = False
        self.tally = _Tally()
        self._file: _Spans = []
        self._symbol: _Spans = []
        self._span: _Spans = []
        self._line: _Spans = []

    def spans(self) -> tuple[_Spans, _Spans, _Spans, _Spans]:
        """Files, definitions, bytes and lines, in any order, with overlaps."""
        return self._file, self._symbol, self._span, self._line

    def add(self, views: Sequence[ViewLike], kernel: ContextKernel) -> None:
        """Add views, and count what becomes of them."""
        tally = self.tally
        named: _Spans = []
        has_names = False
        for view in views:
            tally.views += 1
            file, leak = kernel.target(view.path)
            tally.leaked_views += leak
            if file is None:
                tally.unresolved.add(view.path)
                continue
            for name in view.symbols:
                has_names = True
                named += [(file.code, index, index + 1) for index in file.named(name)]
            if view.listed or not kernel.contextbench:
                self._file.append((0, file.code, file.code + 1))
            extent = view.extent
            if extent not in _EXTENTS:
                raise InputError(
                    f"the extent of a view is {extent}, expected lines, bytes, whole or unknown"
                )
            # ContextBench gives ranges to lines only: a whole file is no more than listed.
            if extent == "unknown" or (extent == "whole" and kernel.contextbench):
                continue
            self.has_range = True
            covers = self._add_range(file, extent, view.start, view.end)
            tally.empty_ranges += file.known and not covers
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
        return lines is not None


class _Gold:
    """Gold at one granularity."""

    def __init__(self, spans: _Spans) -> None:
        self.keys: dict[int, GoldSpans] = {}
        for key, start, end in merge(spans):
            self.keys.setdefault(key, GoldSpans()).append(start, end)
        self.size = sum(gold.size for gold in self.keys.values())


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
        if self._gold.size:
            self.coverage.append(self._covered / self._gold.size)

    def final(self) -> FinalSizes:
        """The union as a final context."""
        return self._covered, self._gold.size, self._size

    def steps(self) -> StepSizes:
        """The steps."""
        coverage = tuple(self.coverage) if self._gold.size else None
        return coverage, self._covered_sum, self._viewed_size, self._size


def _refuse_overflow(what: str, sizes: Sequence[int]) -> None:
    for index, size in enumerate(sizes):
        if size > _LARGEST:
            raise TotalOverflowError(
                f"{what} of granularity {index} exceeds the largest 64-bit integer, {_LARGEST}"
            )
