"""Two sequences of steps: their longest alignment in order, and their edit distance.

A sequence is given by integer codes, where equal codes match and a negative code matches nothing;
if matching is not equality, both are given by a matrix of matches. For m and n steps, everything
takes O(m n) time, and an alignment O(m n) memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trajmeter.kernels._arrays import BoolArray, Int64Array

__all__ = ["align", "align_matches", "edit_distance", "edit_distance_matches"]


def align(reference: Int64Array, actual: Int64Array) -> Int64Array:
    """Pair as many steps as possible in order: the longest common subsequence.

    Among several longest alignments, it is the one found from the end: the last actual step is
    omitted if that costs no pair, otherwise the last reference step, otherwise both form a pair.

    Args:
        reference: Code of each reference step.
        actual: Code of each actual step.

    Returns:
        For each reference step, the position of its partner in ``actual``, or -1; ascending.

    Example:
        >>> import numpy as np
        >>> align(np.array([7, 8, 9]), np.array([8, 5, 9])).tolist()
        [-1, 0, 2]
    """
    return _align(_equal(reference, actual), len(actual))


def align_matches(matches: BoolArray, rows: int, columns: int) -> Int64Array:
    """Pair as many steps as possible in order, as :func:`align` does.

    Args:
        matches: Whether reference step i matches actual step j, at ``i * columns + j``.
        rows: Number of reference steps.
        columns: Number of actual steps.

    Returns:
        For each reference step, the position of its partner, or -1; ascending.
    """
    return _align(_rows(matches, rows, columns), columns)


def edit_distance(reference: Int64Array, actual: Int64Array) -> int:
    """Minimum number of steps to insert, remove or replace to turn one sequence into the other.

    Args:
        reference: Code of each reference step.
        actual: Code of each actual step.

    Example:
        >>> import numpy as np
        >>> edit_distance(np.array([7, 8, 9]), np.array([8, 5, 9]))
        2
    """
    return _edit_distance(_equal(reference, actual), len(actual))


def edit_distance_matches(matches: BoolArray, rows: int, columns: int) -> int:
    """Edit distance of two sequences, from a matrix of which steps match.

    Args:
        matches: Whether reference step i matches actual step j, at ``i * columns + j``.
        rows: Number of reference steps.
        columns: Number of actual steps.
    """
    return _edit_distance(_rows(matches, rows, columns), columns)


def _equal(reference: Int64Array, actual: Int64Array) -> Iterator[Sequence[bool]]:
    codes: list[int] = actual.tolist()
    for code in reference.tolist():
        yield [code == other for other in codes] if code >= 0 else [False] * len(codes)


def _rows(matches: BoolArray, rows: int, columns: int) -> Iterator[Sequence[bool]]:
    for row in range(rows):
        yield matches[row * columns : (row + 1) * columns].tolist()


def _align(rows: Iterator[Sequence[bool]], columns: int) -> Int64Array:
    # lengths[i][j]: the longest alignment of the first i reference and the first j actual steps.
    lengths = [[0] * (columns + 1)]
    for row in rows:
        above = lengths[-1]
        longest = 0
        row_lengths = [0]
        lengths.append(row_lengths)
        for column, matches in enumerate(row):
            if matches:
                longest = above[column] + 1
            elif above[column + 1] > longest:
                longest = above[column + 1]
            row_lengths.append(longest)

    partners = [-1] * (len(lengths) - 1)
    here, there = len(partners), columns
    while here and there:
        length = lengths[here][there]
        if lengths[here][there - 1] == length:
            there -= 1
        elif lengths[here - 1][there] == length:
            here -= 1
        else:
            here, there = here - 1, there - 1
            partners[here] = there
    return np.array(partners, np.int64)


def _edit_distance(rows: Iterator[Sequence[bool]], columns: int) -> int:
    above = list(range(columns + 1))
    for index, row in enumerate(rows, start=1):
        distance = index
        here = [distance]
        for column, matches in enumerate(row):
            # A match never costs more than leaving out either step.
            if matches:
                distance = above[column]
            else:
                distance = 1 + min(above[column], above[column + 1], distance)
            here.append(distance)
        above = here
    return above[columns]
