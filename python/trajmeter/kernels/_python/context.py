"""The context kernel: what the views of a trajectory cover, compared with a task's gold.

A view adds to four sets: files, definitions, bytes and lines. Each is stored as spans with a key,
so the same arithmetic serves all four: a file is the unit span of its number, a definition the unit
span of its index within its file, and lines a to b are the span ``[a, b + 1)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.errors import TotalOverflowError
from trajmeter.kernels._constants import INT64_MAX
from trajmeter.kernels._context import ContextSizes
from trajmeter.kernels._python.context_union import Gold, Union
from trajmeter.kernels._python.context_views import SeenViews, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels._context import GoldLines, TurnLike, ViewLike
    from trajmeter.kernels._python.context_files import ContextFiles

__all__ = ["ContextKernel", "ContextTrackerKernel", "StepCoverage", "context"]


def context(files: ContextFiles, gold: Sequence[GoldLines]) -> ContextKernel:
    """Compile a task's gold.

    Args:
        files: The files of its repository.
        gold: Lines that the reference names.

    Raises:
        TotalOverflowError: The gold of a granularity adds up to more than 64 bits hold.
    """
    return ContextKernel(files, gold)


@dataclass(frozen=True, slots=True)
class StepCoverage:
    """Share of gold that has been seen after a step; see ``trajmeter.kernels.StepCoverage``."""

    step: int
    file: float | None
    symbol: float | None
    span: float | None
    line: float | None


class ContextKernel:
    """A task's compiled gold, with the files of its repository."""

    def __init__(self, files: ContextFiles, gold: Sequence[GoldLines]) -> None:
        """Compile the gold, as :func:`context` says."""
        self.files = files
        seen = SeenViews()
        for file, first, last, in_lines in gold:
            seen.add_gold(files.compiled(file), first, last, in_lines=in_lines)
        self.gold = tuple(Gold(spans) for spans in seen.spans())
        _refuse_overflow("gold size", [gold.size for gold in self.gold])

    def score(
        self, turns: Sequence[TurnLike] | None, final_views: Sequence[ViewLike] | None
    ) -> ContextSizes:
        """Score a whole trajectory; without final views, the union of its steps is used.

        Raises:
            InputError: The extent of a view is invalid.
            TotalOverflowError: Sizes add up to more than 64 bits hold.
        """
        tracker = self.tracker()
        for turn in turns or ():
            views = turn.views
            if views is not None:
                tracker.update(views)
        return tracker.sizes(final_views)

    def tracker(self) -> ContextTrackerKernel:
        """Start a trajectory that is added step by step."""
        return ContextTrackerKernel(self)


class ContextTrackerKernel:
    """The state of a trajectory that is still running."""

    def __init__(self, kernel: ContextKernel) -> None:
        """Start without steps."""
        self._kernel = kernel
        self._walked = _Walked(kernel)
        self._open: SeenViews | None = None

    def update(self, views: Sequence[ViewLike]) -> StepCoverage:
        """Add one step, or end the open one with these views; returns its coverage so far.

        Raises:
            InputError: The extent of a view is invalid; nothing is added.
        """
        if self._open is None:
            self._walked.add(views)
        else:
            self.view(views)
            self.close_step()
        return self.coverage()

    def view(self, views: Sequence[ViewLike]) -> None:
        """Add views to the open step, or open a step with them.

        Raises:
            InputError: The extent of a view is invalid; nothing is added.
        """
        seen = self._walked.look(views)
        if self._open is None:
            self._open = SeenViews()
        self._open.join(seen)

    def close_step(self) -> None:
        """End the open step; if none is open, add a step that saw nothing."""
        self._walked.close(self._open or SeenViews())
        self._open = None

    def coverage(self) -> StepCoverage:
        """Share of gold seen so far, including the open step; ``None`` before the first step."""
        steps = self._walked.count + (self._open is not None)
        unions = self._walked.unions
        return StepCoverage(steps, *(union.coverage() if steps else None for union in unions))

    @property
    def viewed(self) -> tuple[int, ...]:
        """Size of each step that ended, summed over them, at each granularity.

        Raises:
            TotalOverflowError: A sum exceeds 64 bits.
        """
        return tuple(viewed for viewed, _ in self._totals())

    @property
    def repeated(self) -> tuple[int, ...]:
        """What a step that ended showed again, summed over them, at each granularity.

        Raises:
            TotalOverflowError: A sum of sizes exceeds 64 bits.
        """
        return tuple(repeated for _, repeated in self._totals())

    def _totals(self) -> list[tuple[int, int]]:
        totals = [union.viewed() for union in self._walked.unions]
        _refuse_overflow("sum of step sizes", [viewed for viewed, _ in totals])
        return totals

    def sizes(self, final_views: Sequence[ViewLike] | None) -> ContextSizes:
        """Sizes of the steps that ended, as returned by :meth:`ContextKernel.score`.

        Raises:
            InputError: The extent of a view is invalid.
            TotalOverflowError: Sizes add up to more than 64 bits hold.
        """
        steps = final = self._walked
        tally = Tally()
        tally.add(steps.tally)
        if final_views is not None:
            final = _Walked(self._kernel)
            final.add(final_views)
            tally.add(final.tally)
            # As written, the final context is the one step of a trajectory without steps.
            if self._kernel.files.rules == "as_written" and not steps.count:
                steps = final
        step_sizes = tuple(union.steps() for union in steps.unions)
        final_sizes = tuple(union.final() for union in final.unions)
        _refuse_overflow("sum of step sizes", [sizes.viewed for sizes in step_sizes])
        _refuse_overflow("sum of covered sizes", [sizes.covered_sum for sizes in step_sizes])
        _refuse_overflow("size of the final context", [sizes.predicted for sizes in final_sizes])
        has_final_context = final.has_range or final_sizes[0].predicted > 0
        return ContextSizes(steps.count, has_final_context, tally.counts(), final_sizes, step_sizes)


class _Walked:
    """The union of some steps."""

    def __init__(self, kernel: ContextKernel) -> None:
        self.count = 0
        self.has_range = False
        self.tally = Tally()
        self.unions = tuple(Union(gold) for gold in kernel.gold)
        self._kernel = kernel

    def add(self, views: Sequence[ViewLike]) -> None:
        """Add one step."""
        self.close(self._seen(views))

    def look(self, views: Sequence[ViewLike]) -> SeenViews:
        """Add views of an open step, and return what they cover."""
        seen = self._seen(views)
        spans = seen.certain_spans(self._kernel.files.rules)
        for union, own in zip(self.unions, spans, strict=True):
            union.look(own)
        return seen

    def close(self, seen: SeenViews) -> None:
        """Add a step, some of whose views may already have been added."""
        self.count += 1
        self.has_range |= seen.has_range
        self.tally.add(seen.tally)
        for union, spans in zip(self.unions, seen.spans(self._kernel.files.rules), strict=True):
            union.add(spans)

    def _seen(self, views: Sequence[ViewLike]) -> SeenViews:
        seen = SeenViews()
        seen.add(views, self._kernel.files.target, self._kernel.files.rules)
        return seen


def _refuse_overflow(what: str, sizes: Sequence[int]) -> None:
    for index, size in enumerate(sizes):
        if size > INT64_MAX:
            raise TotalOverflowError(
                f"{what} of granularity {index} exceeds the largest 64-bit integer, {INT64_MAX}"
            )
