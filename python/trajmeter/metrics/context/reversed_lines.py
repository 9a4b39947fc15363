"""Reversed line ranges in ContextBench: they count a negative number of lines.

The kernel leaves them out. Where gold or an attempt has one, the sizes of lines are computed again.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from trajmeter.metrics.context.contextbench import lines_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.kernels import ContextSizes, ResolvedPath, ViewLike
    from trajmeter.metrics.context.prepared import PreparedTask

__all__ = ["with_reversed_lines"]


def with_reversed_lines(
    sizes: ContextSizes,
    prepared: PreparedTask,
    steps: Iterable[Sequence[ViewLike]],
    final_views: Sequence[ViewLike],
) -> ContextSizes:
    """Give the sizes of lines as ContextBench has them, reversed ranges included.

    Args:
        sizes: What the kernel measured.
        prepared: The task.
        steps: Views of each step.
        final_views: Views of the final context.
    """
    num_steps, has_final_context, tally, final, by_step = sizes
    intersection, kernel_gold, predicted = final[-1]
    coverage, covered_sum, viewed, union = by_step[-1]
    gold = prepared.initial_gold_size
    if gold != kernel_gold:
        coverage = _share(coverage or (0.0,) * num_steps, kernel_gold, gold)
    _, _, empty_ranges, _ = tally
    if empty_ranges:
        steps = list(steps)
        steps = steps or [final_views]
        predicted = _size(final_views, prepared)
        viewed = sum(_size(views, prepared) for views in steps)
        union = _size(chain.from_iterable(steps), prepared)
    final = (*final[:-1], (intersection, gold, predicted))
    by_step = (*by_step[:-1], (coverage, covered_sum, viewed, union))
    return num_steps, has_final_context, tally, final, by_step


def _share(coverage: tuple[float, ...], of: int, gold: int) -> tuple[float, ...] | None:
    """Shares of another size of gold."""
    return tuple(round(share * of) / gold for share in coverage) if gold else None


def _size(views: Iterable[ViewLike], prepared: PreparedTask) -> int:
    return lines_size(_ranges(views, prepared.resolve))


def _ranges(
    views: Iterable[ViewLike], resolve: Callable[[str], ResolvedPath]
) -> Iterable[list[tuple[int, int]]]:
    """First and last line of the line views, file by file."""
    found: dict[int, list[tuple[int, int]]] = {}
    for view in views:
        file = resolve(view.path).file
        if file is None or view.extent != "lines" or view.start is None or view.end is None:
            continue
        found.setdefault(file.code, []).append((view.start, view.end))
    return found.values()
