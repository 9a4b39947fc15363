"""Trials in columns: the attempts at a task, brought side by side and kept together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from trajmeter.arrays import coded
from trajmeter.errors import InputError
from trajmeter.scoring.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trajmeter.kernels import Int64Array

__all__ = ["Arrangement", "arrange", "trial_starts", "whole_trials"]

_PIECE = 10_000
"""Rows that are copied at a time when attempts are brought side by side."""


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement:
    """Rows of which those of a trial are side by side, and how to put others back."""

    rows: list[Rows]
    """The rows, which their user may take out."""
    back: Int64Array | None
    """Where each row of the input is among them; ``None`` where the order is that of the input."""

    def restored(self, batches: Sequence[pa.RecordBatch]) -> list[pa.RecordBatch]:
        """Put rows, one for each of these, back into the order of the input."""
        return [*batches] if self.back is None else [*_taken(batches, self.back)]


def arrange(batches: Iterable[Rows], trial_of: Callable[[str], str]) -> Arrangement:
    """Bring the rows of each trial side by side, trials and their rows as they first came.

    All rows are held in memory.

    Args:
        batches: Rows in any order.
        trial_of: Name of the trial, given the id of the task as a row has it.
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
    """Rows of several batches by their numbers among all, a piece at a time.

    One take over all would need texts of more than 2 GB in one array.
    """
    starts = np.cumsum([0, *map(len, batches)])
    for start in range(0, len(places), _PIECE):
        wanted = places[start : start + _PIECE]
        owners = np.searchsorted(starts, wanted, side="right") - 1
        by_owner = np.argsort(owners, kind="stable")
        parts = []
        for own in np.split(by_owner, np.flatnonzero(np.diff(owners[by_owner])) + 1):
            owner = owners[own[0]]
            places_of: Int64Array = wanted[own] - starts[owner]
            parts.append(batches[owner].take(pa.array(places_of, pa.int64())))
        rows = pa.Table.from_batches(parts).combine_chunks().to_batches()[0]
        back: Int64Array = np.empty_like(by_owner)
        back[by_owner] = np.arange(len(by_owner))
        yield rows.take(pa.array(back, pa.int64()))


def whole_trials(batches: Iterable[Rows], trial_of: Callable[[str], str]) -> Iterator[list[Rows]]:
    """Group rows, whatever the borders of their batches, so that no trial is divided.

    A batch is held until the next one says whether its last trial is complete, and is cut only
    where it is not; of the trials before it only the names are held.

    Args:
        batches: Rows, those of one trial side by side.
        trial_of: Name of the trial, given the id of the task as a row has it.

    Yields:
        Rows of one or several complete trials, as parts of the batches they came in.

    Raises:
        InputError: Rows of a trial follow after those of others.
    """
    held: list[Rows] = []
    current: str | None = None
    part = begun = 0  # the part held, and the row of it, where that trial begins
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
    """Where each stretch of rows of one trial begins, and which trial it is."""
    place: dict[str, int] = {}
    codes = _trial_codes(rows, trial_of, place)
    starts = np.flatnonzero(np.diff(codes, prepend=-1)).tolist()
    names = list(place)
    return [(start, names[codes[start]]) for start in starts]


def _trial_codes(rows: Rows, trial_of: Callable[[str], str], place: dict[str, int]) -> Int64Array:
    """Number of the trial of each row; a new one gets the next number in ``place``."""
    ids = coded(rows.batch.column("task_id"))
    numbers = [place.setdefault(trial_of(task_id), len(place)) for task_id in ids.texts]
    return np.array(numbers, np.int64)[ids.codes]
