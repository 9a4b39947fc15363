"""Which definitions of its file a span overlaps."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate, chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from trajmeter.errors import InputError
from trajmeter.kernels._python.spans import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trajmeter.kernels._contract import Int64Array, JoinArrays

__all__ = ["overlap_join"]

_Placed: TypeAlias = tuple[int, int, int]
"""Start and end of a span or definition, and its place in the caller's arrays."""


def overlap_join(
    file: Int64Array,
    start: Int64Array,
    end: Int64Array,
    definition_start: Int64Array,
    definition_end: Int64Array,
    definition_offsets: Int64Array,
) -> JoinArrays:
    """Find for each span the definitions of its file that share at least one byte with it.

    Both are half-open: the span [10, 20) overlaps the definitions [0, 11), [12, 15) and [19, 30),
    and neither [0, 10) nor [20, 30). An empty span overlaps nothing, an empty definition neither.

    There are scorers for which a span that starts right where a definition ends still touches it,
    as ContextBench's. They pass ``definition_end + 1``.

    Args:
        file: Which file each span lies in, from 0.
        start: First byte of each span.
        end: The byte after the last of each span.
        definition_start: First byte of each definition, file by file. Definitions may nest, cross
            and come in any order; preorder, in which parsers give them, is fastest.
        definition_end: The byte after the last of each definition.
        definition_offsets: File i has the definitions
            ``[definition_offsets[i], definition_offsets[i + 1])``.

    Returns:
        The definitions that each span overlaps, as rising places in ``definition_start``, span
        after span; and offsets, from 0, at which each span's begin. Definitions of files that no
        span lies in are not looked at.

    Raises:
        NegativeSpanError: A span, or a definition, begins before byte 0; the first bad span is
            named. Spans are checked first, then their files, then definitions file by file.
        ReversedSpanError: A span, or a definition, ends before it begins; likewise.
        InputError: There is no file of a span's number; the first bad one is named.
    """
    spans = list(zip(*listed(start, end), strict=True))
    bounds = definition_offsets.tolist()
    by_file: dict[int, list[int]] = {}
    for index, code in enumerate(file.tolist()):
        if not 0 <= code < len(bounds) - 1:
            raise InputError(
                f"file {index} is {code}, expected at least 0 and less than {len(bounds) - 1}, "
                "the number of files"
            )
        by_file.setdefault(code, []).append(index)

    rows: list[list[int]] = [[] for _ in spans]
    for code, members in sorted(by_file.items()):
        first, last = bounds[code], bounds[code + 1]
        definitions = listed(
            definition_start[first:last], definition_end[first:last], "definition", first
        )
        placed = zip(*definitions, range(first, last), strict=True)
        ordered = sorted(definition for definition in placed if definition[0] < definition[1])
        for index, row in _join([(*spans[index], index) for index in members], ordered):
            rows[index] = row
    offsets = [0, *accumulate(map(len, rows))]
    return np.array(list(chain.from_iterable(rows)), np.int64), np.array(offsets, np.int64)


def _join(spans: Iterable[_Placed], definitions: list[_Placed]) -> Iterator[tuple[int, list[int]]]:
    """Pair the spans of one file with its definitions, which are sorted and not empty.

    Of the definitions that a span overlaps, some begin before it and are still open where it
    begins; the others begin within it, and follow each other. Spans are taken in order, so that a
    definition that has ended never comes up again.
    """
    begun: list[_Placed] = []
    reached = 0
    for start, end, index in sorted(spans):
        first = bisect_left(definitions, (start,), reached)
        begun = [each for each in begun + definitions[reached:first] if each[1] > start]
        reached = first
        if start < end:
            last = bisect_left(definitions, (end,), first)
            yield index, sorted(place for _, _, place in begun + definitions[first:last])
