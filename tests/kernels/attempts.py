"""Attempts as columns, for the kernel that scores batches."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tests.kernels.strategies import integers
from trajmeter.kernels import EXTENTS, Texts, ViewArrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.records import Turn, View


class Columns(NamedTuple):
    """The arguments of ``context_batch`` after the tasks."""

    task: Int64Array
    views: ViewArrays
    step_offsets: Int64Array
    row_offsets: Int64Array
    final_offsets: Int64Array
    has_final: BoolArray
    paths: Texts
    names: Texts


class Attempt(NamedTuple):
    """An attempt at the task of a number."""

    task: int
    turns: Sequence[Turn]
    final_views: Sequence[View] | None


def texts(values: Iterable[str]) -> Texts:
    """Concatenate texts."""
    encoded = [value.encode() for value in values]
    return Texts(b"".join(encoded), _offsets(encoded))


def columns(attempts: Sequence[Attempt]) -> Columns:
    """Convert attempts to columns; numbers of views are clamped to 64 bits."""
    steps = [[turn.views for turn in each.turns if turn.views is not None] for each in attempts]
    final = [each.final_views or () for each in attempts]
    views = [view for row in steps for step in row for view in step]
    seen = len(views)
    views += [view for row in final for view in row]
    paths = list(dict.fromkeys(view.path for view in views))
    names = list(dict.fromkeys(name for view in views for name in view.symbols))
    return Columns(
        task=integers([each.task for each in attempts]),
        views=ViewArrays(
            path=integers([paths.index(view.path) for view in views]),
            extent=integers([EXTENTS.index(view.extent) for view in views]),
            start=integers([_cut(view.start) for view in views]),
            end=integers([_cut(view.end) for view in views]),
            has_start=_flags(view.start is not None for view in views),
            has_end=_flags(view.end is not None for view in views),
            listed=_flags(view.listed for view in views),
            symbol=integers([names.index(name) for view in views for name in view.symbols]),
            symbol_offsets=_offsets([view.symbols for view in views]),
        ),
        step_offsets=_offsets([step for row in steps for step in row]),
        row_offsets=_offsets(steps),
        final_offsets=_offsets(final) + seen,
        has_final=_flags(each.final_views is not None for each in attempts),
        paths=texts(paths),
        names=texts(names),
    )


def _cut(number: int | None) -> int:
    return max(-(2**63), min(number or 0, 2**63 - 1))


def _flags(values: Iterable[bool]) -> BoolArray:
    return np.array(list(values), np.bool_)


def _offsets(values: Sequence[Any]) -> Int64Array:
    return integers([0, *accumulate(map(len, values))])
