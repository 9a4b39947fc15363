"""Creates units of whole tasks if the attempts at each task are adjacent in Parquet.

A unit boundary moves to the start of the next task, which avoids sorting. This reads the identities
of all attempts. Inputs without row numbers, such as JSON lines, or with unreadable rows, must be
sorted.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from trajmeter.readers._recognition.choice import Choice
from trajmeter.readers.column_types import checked_footer
from trajmeter.readers.pieces import RowRange, batches_of
from trajmeter.records import Trajectory
from trajmeter.remote import path_of
from trajmeter.scoring.rows import Rows
from trajmeter.scoring.trials import trial_starts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trajmeter.readers.pieces import Piece
    from trajmeter.records import ReadProblem
    from trajmeter.scoring.reading_options import ReadingOptions

__all__ = ["units_of_tasks"]


def units_of_tasks(
    groups: Iterable[tuple[Piece, ...]],
    reading: ReadingOptions,
    trial_of: Callable[[str], str],
) -> list[tuple[Piece, ...]] | None:
    """Move unit boundaries to the next change of task.

    Args:
        groups: Pieces of each unit, in input order.
        reading: How they are read.
        trial_of: Task name for an id in a row.

    Returns:
        The pieces of units of whole tasks; ``None`` if sorting is required.
    """
    groups = list(groups)
    pieces = [piece for group in groups for piece in group]
    choice = Choice(Trajectory, **reading.recognition())
    spans: list[RowRange] = []
    for piece in pieces:
        span = _counted(piece, choice)
        if span is None:
            return None
        spans.append(span)
    starts = _task_starts(pieces, spans, reading, trial_of)
    if starts is None:
        return None
    begins = [0, *accumulate(span.stop - span.first for span in spans)]
    places = accumulate(map(len, groups), initial=0)
    borders = [begins[place] for place in places]
    ends = (*starts, begins[-1])
    moved = dict.fromkeys(ends[bisect_left(ends, border)] for border in borders)
    return [tuple(_within(pieces, spans, begins, *each)) for each in pairwise(moved)]


def _counted(piece: Piece, choice: Choice[Trajectory]) -> RowRange | None:
    """The rows of a piece; ``None`` if they have no numbers."""
    if isinstance(piece.within, RowRange):
        return piece.within
    if piece.within is not None or piece.whole is not None or piece.message is not None:
        return None
    footer = checked_footer(path_of(piece.file), choice, is_named=False)
    return None if footer is None else RowRange(0, footer.num_rows)


def _task_starts(
    pieces: Sequence[Piece],
    spans: Sequence[RowRange],
    reading: ReadingOptions,
    trial_of: Callable[[str], str],
) -> list[int] | None:
    """Numbers of the rows at which a task begins; ``None`` if one begins twice.

    Also ``None`` if a row cannot be read, because the other rows then have other numbers.
    """
    starts: list[int] = []
    seen: set[str] = set()
    current: str | None = None
    begin = 0
    for piece, span in zip(pieces, spans, strict=True):
        count = span.stop - span.first
        trials = _trials_of_piece(piece, count, reading, trial_of)
        if trials is None:
            return None
        for row, trial in trials:
            if trial == current:
                continue
            if trial in seen:
                return None
            seen.add(trial)
            starts.append(begin + row)
            current = trial
        begin += count
    return starts


def _trials_of_piece(
    piece: Piece, count: int, reading: ReadingOptions, trial_of: Callable[[str], str]
) -> list[tuple[int, str]] | None:
    """Start of each run of rows of one trial, and the trial; ``None`` if a row cannot be read."""
    problems: list[ReadProblem] = []
    settings = {"columns": (), **reading.recognition(), "batch_rows": reading.batch_rows}
    trials: list[tuple[int, str]] = []
    begin = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # reported by the units
        batches = batches_of([replace(piece, folder=None)], {}, settings, problems.append)
        for number, batch in enumerate(batches):
            starts = trial_starts(Rows(number, batch), trial_of)
            trials += [(begin + start, trial) for start, trial in starts]
            begin += len(batch)
    return None if problems or begin != count else trials


def _within(
    pieces: Sequence[Piece],
    spans: Sequence[RowRange],
    begins: Sequence[int],
    first: int,
    stop: int,
) -> Iterator[Piece]:
    """The pieces, or parts of them, that cover a range of all rows."""
    for place in range(bisect_right(begins, first) - 1, bisect_left(begins, stop)):
        piece, span, begin = pieces[place], spans[place], begins[place]
        count = span.stop - span.first
        low, high = max(first - begin, 0), min(stop - begin, count)
        if low >= high:
            continue
        if high - low == count:
            yield piece
            continue
        yield replace(
            piece,
            size=piece.size * high // count - piece.size * low // count,
            rows=high - low,
            within=RowRange(span.first + low, span.first + high),
        )
