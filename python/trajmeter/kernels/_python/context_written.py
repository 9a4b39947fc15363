"""Sizes of line ranges as written in a log, where reversed ranges have a negative size."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.kernels._constants import LARGEST_POSITION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.kernels._context import ViewLike
    from trajmeter.kernels._python.context_views import File, Target

__all__ = ["written_sizes"]


_Range: TypeAlias = tuple[int, int, int]


def written_sizes(
    steps: Sequence[Sequence[ViewLike]], final_views: Sequence[ViewLike], target: Target
) -> tuple[int, int, int]:
    """Lines of the final context, of each step, summed over the steps, and of all steps together.

    Args:
        steps: Views of each step.
        final_views: Views of the final context.
        target: Finds the file that a path refers to.
    """
    by_step = [_ranges(views, target) for views in steps]
    viewed = sum(map(_size, by_step))
    return _size(_ranges(final_views, target)), viewed, _size(chain.from_iterable(by_step))


def _ranges(views: Iterable[ViewLike], target: Target) -> list[_Range]:
    """File, first and last line of each view that has lines."""
    found = []
    for view in views:
        file, _ = target(view.path)
        lines = None if file is None else _lines(view, file)
        if file is not None and lines is not None and min(lines) > 0:
            first, last = lines
            found.append((file.code, min(first, LARGEST_POSITION), min(last, LARGEST_POSITION)))
    return found


def _lines(view: ViewLike, file: File) -> tuple[int, int] | None:
    """Lines of a line range as written, or the lines that a byte range touches."""
    if view.extent == "lines" and view.start is not None and view.end is not None:
        return view.start, view.end
    if view.extent != "bytes":
        return None
    touched, _ = file.cover("bytes", view.start, view.end)
    return None if touched is None else (touched[0], touched[1] - 1)


def _size(ranges: Iterable[_Range]) -> int:
    """Number of lines; a reversed range that no earlier range reaches is counted separately."""
    merged: list[_Range] = []
    for file, first, last in sorted(ranges):
        if merged and merged[-1][0] == file and first <= merged[-1][2] + 1:
            merged[-1] = file, merged[-1][1], max(merged[-1][2], last)
        else:
            merged.append((file, first, last))
    return sum(last - first + 1 for _, first, last in merged)
