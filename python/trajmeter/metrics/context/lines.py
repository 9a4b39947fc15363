"""Sizes of line ranges, including reversed ones, which have a negative size in ContextBench.

The kernel ignores reversed ranges. If gold or an attempt has any, line sizes are recomputed here.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.kernels import LARGEST_POSITION, FinalSizes, StepSizes, active

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.kernels import ContextFile, ContextSizes, ResolvedPath, ViewLike

__all__ = ["lines_size", "with_reversed_lines"]


def with_reversed_lines(
    sizes: ContextSizes,
    steps: Iterable[Sequence[ViewLike]],
    final_views: Sequence[ViewLike],
    *,
    gold: int,
    resolve: Callable[[str], ResolvedPath],
) -> ContextSizes:
    """Recompute line sizes with reversed ranges included.

    Args:
        sizes: Sizes measured by the kernel.
        steps: Views of each step.
        final_views: Views of the final context.
        gold: Number of lines of gold, including reversed ranges.
        resolve: Finds the file that a path in a log refers to.
    """
    num_steps, _, tally, final, by_step = sizes
    intersection, kernel_gold, predicted = final[-1]
    coverage, covered_sum, viewed, union = by_step[-1]
    if gold != kernel_gold:
        coverage = _share(coverage or (0.0,) * num_steps, kernel_gold, gold)
    if tally.empty_ranges:
        steps = list(steps) or [final_views]
        predicted = _size(final_views, resolve)
        viewed = sum(_size(views, resolve) for views in steps)
        union = _size(chain.from_iterable(steps), resolve)
    return sizes._replace(
        final=(*final[:-1], FinalSizes(intersection, gold, predicted)),
        steps=(*by_step[:-1], StepSizes(coverage, covered_sum, viewed, union)),
    )


def lines_size(files: Iterable[Iterable[tuple[int, int]]]) -> int:
    """Total number of lines in the ranges (first and last line) of each file.

    A range counts if both ends are positive; ends are capped at ``LARGEST_POSITION``. A reversed
    range that no earlier range reaches is not merged, and has a negative number of lines.
    """
    size = 0
    for ranges in files:
        begin, end = 0, -1  # an empty range, which no other range reaches
        for first, last in _sorted(ranges):
            if first <= 0 or last <= 0:
                continue
            if first > end + 1:
                size += end - begin + 1
                begin, end = first, last
            elif last > end:
                end = last
        size += end - begin + 1
    return size


def _sorted(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Sort ranges, with ends capped at ``LARGEST_POSITION``."""
    capped = sorted(ranges)
    if max(map(max, capped), default=0) > LARGEST_POSITION:
        capped = sorted(
            (min(first, LARGEST_POSITION), min(last, LARGEST_POSITION)) for first, last in capped
        )
    return capped


def _share(coverage: tuple[float, ...], of: int, gold: int) -> tuple[float, ...] | None:
    """Convert shares of ``of`` lines to shares of ``gold`` lines; ``None`` if ``gold <= 0``."""
    return tuple(round(share * of) / gold for share in coverage) if gold > 0 else None


def _size(views: Iterable[ViewLike], resolve: Callable[[str], ResolvedPath]) -> int:
    return lines_size(_ranges(views, resolve))


def _ranges(
    views: Iterable[ViewLike], resolve: Callable[[str], ResolvedPath]
) -> Iterable[list[tuple[int, int]]]:
    """First and last line of the views that have lines, grouped by file."""
    ranges: dict[int, list[tuple[int, int]]] = {}
    for view in views:
        file = resolve(view.path).file
        lines = None if file is None else _lines(view, file)
        if file is not None and lines is not None:
            ranges.setdefault(file.code, []).append(lines)
    return ranges.values()


def _lines(view: ViewLike, file: ContextFile) -> tuple[int, int] | None:
    """First and last line of a view: as written for a line range, or the lines that bytes touch.

    ContextBench has no byte ranges; they are clipped to the file, as in the default profile.
    """
    if view.extent == "lines" and view.start is not None and view.end is not None:
        return view.start, view.end
    tables = file.tables
    if view.extent != "bytes" or tables is None:
        return None
    size = tables.size
    start = max(view.start or 0, 0)
    end = size if view.end is None or view.end == -1 else min(view.end, size)
    if start >= end:
        return None
    touched = active().bytes_to_lines(
        tables.line_starts, size, np.array([start], np.int64), np.array([end], np.int64)
    )
    first, last = (int(line[0]) for line in touched)
    return first, last
