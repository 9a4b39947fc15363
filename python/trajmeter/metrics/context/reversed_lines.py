"""Reversed line ranges in ContextBench: they count a negative number of lines.

The kernel leaves them out. Where gold or an attempt has one, the sizes of lines are computed again.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.kernels import FinalSizes, StepSizes, active
from trajmeter.metrics.context.contextbench import lines_size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.kernels import ContextFile, ContextSizes, ResolvedPath, ViewLike
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
    num_steps, _, tally, final, by_step = sizes
    intersection, kernel_gold, predicted = final[-1]
    coverage, covered_sum, viewed, union = by_step[-1]
    gold = prepared.initial_gold_size
    if gold != kernel_gold:
        coverage = _share(coverage or (0.0,) * num_steps, kernel_gold, gold)
    if tally.empty_ranges:
        steps = list(steps)
        steps = steps or [final_views]
        predicted = _size(final_views, prepared)
        viewed = sum(_size(views, prepared) for views in steps)
        union = _size(chain.from_iterable(steps), prepared)
    return sizes._replace(
        final=(*final[:-1], FinalSizes(intersection, gold, predicted)),
        steps=(*by_step[:-1], StepSizes(coverage, covered_sum, viewed, union)),
    )


def _share(coverage: tuple[float, ...], of: int, gold: int) -> tuple[float, ...] | None:
    """Shares of another size of gold."""
    return tuple(round(share * of) / gold for share in coverage) if gold else None


def _size(views: Iterable[ViewLike], prepared: PreparedTask) -> int:
    return lines_size(_ranges(views, prepared.resolve))


def _ranges(
    views: Iterable[ViewLike], resolve: Callable[[str], ResolvedPath]
) -> Iterable[list[tuple[int, int]]]:
    """First and last line of the views that have any, file by file."""
    found: dict[int, list[tuple[int, int]]] = {}
    for view in views:
        file = resolve(view.path).file
        lines = None if file is None else _lines(view, file)
        if file is not None and lines is not None:
            found.setdefault(file.code, []).append(lines)
    return found.values()


def _lines(view: ViewLike, file: ContextFile) -> tuple[int, int] | None:
    """First and last line of a view: those of a range of lines as written, else those it touches.

    ContextBench knows no ranges of bytes; they are cut to the file, as by default.
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
