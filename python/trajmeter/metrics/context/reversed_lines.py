"""Reversed line ranges in ContextBench: they count a negative number of lines.

The kernel leaves them out. Where a trajectory has one, the sizes of lines are computed again.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from trajmeter.metrics.context.contextbench import lines_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.kernels import ContextSizes, ResolvedPath
    from trajmeter.records import View

__all__ = ["with_reversed_lines"]


def with_reversed_lines(
    sizes: ContextSizes,
    resolve: Callable[[str], ResolvedPath],
    steps: Iterable[Sequence[View]],
    final_views: Sequence[View] | None,
) -> ContextSizes:
    """Give the sizes of lines as ContextBench has them, reversed ranges included.

    Args:
        sizes: What the kernel measured.
        resolve: Finds the file that a path means.
        steps: Views of each step.
        final_views: Views of the declared final context, if any.
    """
    num_steps, has_final_context, tally, final, by_step = sizes
    _, _, empty_ranges, _ = tally
    if not empty_ranges:
        return sizes
    steps = list(steps)
    if final_views is None:
        final_views = tuple(chain.from_iterable(steps))
    steps = steps or [final_views]

    def size(views: Iterable[View]) -> int:
        return lines_size(_ranges(views, resolve))

    intersection, gold, _ = final[-1]
    coverage, covered_sum, _, _ = by_step[-1]
    viewed = sum(size(views) for views in steps)
    union = size(chain.from_iterable(steps))
    final = (*final[:-1], (intersection, gold, size(final_views)))
    by_step = (*by_step[:-1], (coverage, covered_sum, viewed, union))
    return num_steps, has_final_context, tally, final, by_step


def _ranges(
    views: Iterable[View], resolve: Callable[[str], ResolvedPath]
) -> Iterable[list[tuple[int, int]]]:
    """First and last line of the line views, file by file."""
    found: dict[int, list[tuple[int, int]]] = {}
    for view in views:
        file = resolve(view.path).file
        if file is None or view.extent != "lines" or view.start is None or view.end is None:
            continue
        found.setdefault(file.code, []).append((view.start, view.end))
    return found.values()
