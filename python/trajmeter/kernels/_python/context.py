"""The context kernel: what the views of a trajectory cover, beside a task's gold.

A view adds to four sets: files, definitions, bytes and lines. Each is kept as spans of a key, so
that one arithmetic serves all four: a file is the unit span of its number, a definition that of its
index within its file, and lines a to b are the span ``[a, b + 1)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trajmeter.errors import TotalOverflowError
from trajmeter.kernels._context import ContextSizes
from trajmeter.kernels._python.context_union import Gold, Union
from trajmeter.kernels._python.context_views import SeenViews, Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels._context import GoldLines, TurnLike, ViewLike
    from trajmeter.kernels._python.context_files import ContextFiles

__all__ = ["ContextKernel", "ContextTrackerKernel", "StepCoverage", "context"]

_LARGEST = 2**63 - 1


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
    """A task's gold, compiled, beside the files of its repository."""

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
        """Score a whole trajectory; without final views the union of its steps stands for them.

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
        """Begin a trajectory that is fed step by step."""
        return ContextTrackerKernel(self)


class ContextTrackerKernel:
    """The state of a trajectory that is still running."""

    def __init__(self, kernel: ContextKernel) -> None:
        """Begin without steps."""
        self._kernel = kernel
        self._walked = _Walked(kernel)

    def update(self, views: Sequence[ViewLike]) -> StepCoverage:
        """Add one step; its coverage so far.

        Raises:
            InputError: The extent of a view is invalid; nothing is added.
        """
        self._walked.add(views)
        unions = self._walked.unions
        coverage = (union.coverage[-1] if union.coverage else None for union in unions)
        return StepCoverage(self._walked.count, *coverage)

    def sizes(self, final_views: Sequence[ViewLike] | None) -> ContextSizes:
        """Sizes of the steps so far, as :meth:`ContextKernel.score` gives them.

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
        seen = SeenViews()
        files = self._kernel.files
        seen.add(views, files.target, files.rules)
        self.count += 1
        self.has_range |= seen.has_range
        self.tally.add(seen.tally)
        for union, spans in zip(self.unions, seen.spans(), strict=True):
            union.add(spans)


def _refuse_overflow(what: str, sizes: Sequence[int]) -> None:
    for index, size in enumerate(sizes):
        if size > _LARGEST:
            raise TotalOverflowError(
                f"{what} of granularity {index} exceeds the largest 64-bit integer, {_LARGEST}"
            )
