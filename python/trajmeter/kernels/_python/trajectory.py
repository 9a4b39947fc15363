"""What each step of a trajectory viewed, and how much of it was new.

One kernel serves every granularity: all are spans ``[start, end)`` within something that a *key*
identifies:

===================  ==========================  =============================
granularity          key                         span
===================  ==========================  =============================
bytes                the file                    the bytes
lines                the file                    ``[first, last + 1)``
edited lines         the file                    ``[line, line + 1)``
files                any number, always the same ``[file, file + 1)``
definitions          the file, or as for files   ``[definition, definition + 1)``
===================  ==========================  =============================

A final context, which has no order in time, is a trajectory of one step.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate, groupby, pairwise
from math import nan
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from trajmeter.errors import NegativeKeyError, TotalOverflowError
from trajmeter.kernels._arrays import TrajectoryArrays, TrajectoryFigureArrays
from trajmeter.kernels._constants import INT64_MAX
from trajmeter.kernels._python.spans import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.kernels._arrays import Int64Array

__all__ = ["trajectory", "trajectory_figures"]

_KeyedSpan: TypeAlias = tuple[int, int, int]
"""Key, start and end."""
_Figures: TypeAlias = tuple[int, int, int]
"""Size of a step, what it added, and how much of that is gold."""
_Pieces: TypeAlias = tuple[list[int], list[int]]
"""Starts and ends of the canonical set of spans of one key: sorted and disjoint."""
_Value = TypeVar("_Value")


def trajectory(
    key: Int64Array,
    start: Int64Array,
    end: Int64Array,
    step_offsets: Int64Array,
    trajectory_offsets: Int64Array,
    gold_key: Int64Array,
    gold_start: Int64Array,
    gold_end: Int64Array,
    gold_offsets: Int64Array,
) -> TrajectoryArrays:
    """Compare the steps of many trajectories with the steps before them, and with gold.

    Suppose a trajectory views bytes [0, 60) of a file in its first step, and [40, 100) and [90,
    100) in its second, and [50, 80) is gold. The first step's size is 60, all of it new, 10 of it
    gold. The second step's size is also 60, because its spans overlap; it adds 40 bytes, [60, 100),
    20 of them gold. From these numbers follow

    - the size of the union, the sum of what was added: 60 + 40 = 100;
    - the coverage after each step, the gold added so far over the size of the gold: 10/30, 30/30;
    - the redundancy, 1 - (sum of what was added) / (sum of sizes) = 1 - 100/120 = 1/6: the share of
      everything viewed that an earlier step had already shown.

    Args:
        key: Number of what each span lies in, 0 or more; numbers need not be dense.
        start: First byte of each span.
        end: The byte after the last of each span.
        step_offsets: Step i viewed the spans ``[step_offsets[i], step_offsets[i + 1])``, in any
            order; overlaps count once.
        trajectory_offsets: Trajectory i has the steps
            ``[trajectory_offsets[i], trajectory_offsets[i + 1])``, in chronological order.
        gold_key: Number of what each span of gold lies in.
        gold_start: First byte of each span of gold.
        gold_end: The byte after the last of each span of gold.
        gold_offsets: Trajectory i has the gold ``[gold_offsets[i], gold_offsets[i + 1])``, in any
            order; overlaps count once.

    Returns:
        Four arrays. For each step of all trajectories, starting with the first step of the first:
        its size, how much it added to the union of the steps before it, and how much of this is
        gold. For each trajectory: the size of its gold. Spans, steps and gold outside all
        trajectories are ignored.

    Raises:
        NegativeSpanError: A span begins before byte 0; the first bad span is named by its position
            in ``start``. Spans are checked before their keys, and both before gold.
        ReversedSpanError: A span ends before it begins; named in the same way.
        NegativeKeyError: A key is negative; named in the same way.
        TotalOverflowError: The size of a trajectory's gold, or the sum of its steps' sizes, exceeds
            an ``int64``; the first such trajectory is named. Checked last.
    """
    rows, bounds = trajectory_offsets.tolist(), step_offsets.tolist()
    bounds = bounds[rows[0] : rows[-1] + 1]
    gold_bounds = gold_offsets.tolist()
    spans = _keyed(key, start, end, bounds, "span")
    gold = _keyed(gold_key, gold_start, gold_end, gold_bounds, "gold span")

    figures: list[_Figures] = []
    gold_sizes: list[int] = []
    trajectories = zip(_cut(_cut(spans, bounds), rows), _cut(gold, gold_bounds), strict=True)
    for row, (steps, golden) in enumerate(trajectories):
        gold_union: defaultdict[int, _Pieces] = defaultdict(_nothing)
        gold_size, _, _ = _look(golden, gold_union, {})
        _refuse_overflow("gold size", row, gold_size)
        gold_sizes.append(gold_size)
        seen: defaultdict[int, _Pieces] = defaultdict(_nothing)
        looks = [_look(step, seen, gold_union) for step in steps]
        _refuse_overflow("sum of step sizes", row, sum(size for size, _, _ in looks))
        figures += looks
    sizes, added, gold_added = zip(*figures, strict=True) if figures else ((), (), ())
    return TrajectoryArrays(
        np.array(sizes, np.int64),
        np.array(added, np.int64),
        np.array(gold_added, np.int64),
        np.array(gold_sizes, np.int64),
    )


def trajectory_figures(
    size: Int64Array,
    added: Int64Array,
    gold_added: Int64Array,
    gold_size: Int64Array,
    trajectory_offsets: Int64Array,
) -> TrajectoryFigureArrays:
    """Compute the published figures from what :func:`trajectory` measured.

    The trajectory in the example there has the sizes 60 and 60, added 60 and 40, gold added 10 and
    20, and gold size 30. Its coverage is 10/30 after the first step and 30/30 after the second,
    their mean 2/3, and its redundancy (120 - 100)/120 = 1/6.

    Args:
        size: Size of each step, of all trajectories.
        added: How much each step added to the union.
        gold_added: How much of that is gold.
        gold_size: Size of each trajectory's gold.
        trajectory_offsets: The offsets passed to :func:`trajectory`.

    Returns:
        Three arrays of fractions from 0 to 1. For each step: its *coverage*, the share of the gold
        seen so far; NaN without gold. For each trajectory: its *AUC-coverage*, the mean of its
        steps' coverage, which is high if gold was found early; NaN without gold or without steps.
        And its *redundancy*, the share of what was viewed that an earlier step had already shown;
        0.0 if nothing was viewed, NaN without steps.
    """
    rows = trajectory_offsets.tolist()
    columns = (_cut(column.tolist(), rows) for column in (size, added, gold_added))
    coverage: list[float] = []
    auc_coverage: list[float] = []
    redundancy: list[float] = []
    for sizes, news, golds, gold in zip(*columns, gold_size.tolist(), strict=True):
        found = list(accumulate(golds))
        coverage += [_share(part, gold) for part in found]
        auc_coverage.append(_share(sum(found), gold * len(sizes)))
        looked = sum(sizes)
        nothing = 0.0 if sizes else nan
        redundancy.append(_share(looked - sum(news), looked) if looked else nothing)
    return TrajectoryFigureArrays(np.array(coverage), np.array(auc_coverage), np.array(redundancy))


def _look(
    spans: Iterable[_KeyedSpan], seen: defaultdict[int, _Pieces], gold: Mapping[int, _Pieces]
) -> _Figures:
    """Add spans to ``seen``, and count their size, what is new and what is gold."""
    size = added = gold_added = 0
    for key, keyed in groupby(sorted(spans), key=itemgetter(0)):
        pieces, golden = seen[key], gold.get(key)
        reach = 0
        for _, start, end in keyed:
            first = max(reach, start)
            if first < end:
                size += end - first
                reach = end
                for begin, stop in _cover(pieces, first, end):
                    added += stop - begin
                    if golden:
                        gold_added += _common(golden, begin, stop)
    return size, added, gold_added


def _cover(pieces: _Pieces, start: int, end: int) -> Sequence[tuple[int, int]]:
    """Add a non-empty span to a canonical set, and return its parts that were not covered."""
    starts, ends = pieces
    first = bisect_left(ends, start)
    if first == len(ends) or end < starts[first]:
        starts.insert(first, start)
        ends.insert(first, end)
        return ((start, end),)
    if starts[first] <= start and end <= ends[first]:
        return ()
    # The pieces from `first` to `last` touch the span: they and it become one, and what lies
    # between them is new.
    last = bisect_right(starts, end, first)
    free_from, free_to = [start, *ends[first:last]], [*starts[first:last], end]
    starts[first:last] = [min(start, starts[first])]
    ends[first:last] = [max(end, ends[last - 1])]
    return [gap for gap in zip(free_from, free_to, strict=True) if gap[0] < gap[1]]


def _common(pieces: _Pieces, start: int, end: int) -> int:
    """Count the bytes that a span shares with a canonical set."""
    starts, ends = pieces
    first, last = bisect_right(ends, start), bisect_left(starts, end)
    touched = zip(starts[first:last], ends[first:last], strict=True)
    return sum(min(end, stop) - max(start, begin) for begin, stop in touched)


def _nothing() -> _Pieces:
    return [], []


def _keyed(
    key: Int64Array, start: Int64Array, end: Int64Array, bounds: list[int], what: str
) -> list[_KeyedSpan]:
    """Read the spans within ``bounds`` from their arrays, raising at the first bad one."""
    base, stop = bounds[0], bounds[-1]
    starts, ends = listed(start[base:stop], end[base:stop], what, base)
    keys = key[base:stop].tolist()
    if min(keys, default=0) < 0:
        index, bad = next((index, code) for index, code in enumerate(keys, base) if code < 0)
        raise NegativeKeyError(f"{what} {index} has key {bad}, expected 0 or more")
    return list(zip(keys, starts, ends, strict=True))


def _cut(values: list[_Value], offsets: list[int]) -> list[list[_Value]]:
    """Split values into rows, starting at the first offset."""
    base = offsets[0]
    return [values[begin - base : stop - base] for begin, stop in pairwise(offsets)]


def _share(part: int, whole: int) -> float:
    return float(part) / float(whole) if whole else nan


def _refuse_overflow(what: str, row: int, total: int) -> None:
    if total > INT64_MAX:
        raise TotalOverflowError(
            f"{what} of trajectory {row} exceeds the largest 64-bit integer, {INT64_MAX}"
        )
