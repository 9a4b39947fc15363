"""Trials in columns: makes the attempts at a task adjacent, and keeps them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays.text import coded
from trajmeter.errors import InputError
from trajmeter.scoring.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trajmeter.kernels import Int64Array

__all__ = ["Arrangement", "arrange", "trial_starts", "whole_trials"]

_PIECE = 10_000
"""Rows to copy at a time when rearranging attempts."""


class Arrangement(NamedTuple):
    """Rows in which each trial is contiguous, and how to restore the input order."""

    rows: list[Rows]
    """The rows; the user may remove them."""
    back: Int64Array | None
    """Position of each input row among them; ``None`` if the order is unchanged."""

    def restored(self, batches: Sequence[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """Restore the input order of rows, one for each of these."""
        return [*batches] if self.back is None else [*_taken(batches, self.back)]


def arrange(batches: Iterable[Rows], trial_of: Callable[[str], str]) -> Arrangement:
    """Make the rows of each trial contiguous, in the order of first occurrence.

    All rows are held in memory.

    Args:
        batches: Rows in any order.
        trial_of: Name of the trial for a task id in a row.
    """
    held = [rows for rows in batches if len(rows)]
    place: dict[str, int] = {}
    parts = [_trial_codes(rows, trial_of, place) for rows in held]
    trials = np.concatenate([*parts, np.empty(0, np.int64)])
    if np.count_nonzero(np.diff(trials, prepend=-1)) == len(place):
        return Arrangement(held, None)
    order = np.argsort(trials, kind="stable")
    back: Int64Array = np.empty_like(order)
    back[order] = np.arange(len(order))
    sorted_rows = _taken([rows.batch for rows in held], order)
    return Arrangement([Rows(number, batch) for number, batch in enumerate(sorted_rows)], back)


def _taken(batches: Sequence[pa.RecordBatch], places: Int64Array) -> Iterator[pa.RecordBatch]:
    """Select rows of several batches by their overall numbers, in pieces.

    Selecting all of them in one step could need more than 2 GB of text in one array.
    """
    starts = np.cumsum([0, *map(len, batches)])
    for start in range(0, len(places), _PIECE):
        wanted = places[start : start + _PIECE]
        owners = np.searchsorted(starts, wanted, side="right") - 1
        by_owner = np.argsort(owners, kind="stable")
        parts = []
        for positions in np.split(by_owner, np.flatnonzero(np.diff(owners[by_owner])) + 1):
            owner = owners[positions[0]]
            places_of: Int64Array = wanted[positions] - starts[owner]
            parts.append(batches[owner].take(pa.array(places_of, pa.int64())))
        rows = pa.Table.from_batches(parts).combine_chunks().to_batches()[0]
        back: Int64Array = np.empty_like(by_owner)
        back[by_owner] = np.arange(len(by_owner))
        yield rows.take(pa.array(back, pa.int64()))


def whole_trials(batches: Iterable[Rows], trial_of: Callable[[str], str]) -> Iterator[list[Rows]]:
    """Regroup batches so that no trial is divided.

    A batch is held until the next one shows whether its last trial is complete, and is split only
    if it is not; only the names of earlier trials are kept.

    Args:
        batches: Rows, with each trial contiguous.
        trial_of: Name of the trial for a task id in a row.

    Yields:
        Rows of one or more complete trials, as parts of the input batches.

    Raises:
        InputError: The rows of a trial are not contiguous.
    """
    held: list[Rows] = []
    current: str | None = None
    part = begun = 0  # the held part, and the row in it where that trial begins
    complete: set[str] = set()
    for rows in batches:
        stretches = trial_starts(rows, trial_of)
        if held and stretches:
            if stretches[0][1] != current:
                yield held
                held = []
            elif begun:
                cut = held[part]
                yield [*held[:part], cut.part(0, begun)]
                held = [cut.part(begun, len(cut)), *held[part + 1 :]]
            part = begun = 0
        for start, trial in stretches:
            if trial == current:
                continue
            if trial in complete:
                raise InputError(
                    f"batch {rows.number}: rows of the task {trial!r} follow after those of "
                    "others, expected the rows of one task side by side"
                )
            if current is not None:
                complete.add(current)
            current, part, begun = trial, len(held), start
        held.append(rows)
    if held:
        yield held


def trial_starts(rows: Rows, trial_of: Callable[[str], str]) -> list[tuple[int, str]]:
    """Start of each run of rows of one trial, and the trial."""
    place: dict[str, int] = {}
    codes = _trial_codes(rows, trial_of, place)
    starts = np.flatnonzero(np.diff(codes, prepend=-1)).tolist()
    names = list(place)
    return [(start, names[codes[start]]) for start in starts]


def _trial_codes(rows: Rows, trial_of: Callable[[str], str], place: dict[str, int]) -> Int64Array:
    """Number of each row's trial; new trials get the next number in ``place``."""
    ids = coded(rows.batch.column("task_id"))
    numbers = [place.setdefault(trial_of(task_id), len(place)) for task_id in ids.texts]
    return np.array(numbers, np.int64)[ids.codes]
