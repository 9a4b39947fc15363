"""Rows of one task kept together, for metrics that compare the attempts at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import InputError
from trajmeter.metrics.arrays import coded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from trajmeter.scoring.rows import Rows

__all__ = ["whole_trials"]


def whole_trials(batches: Iterable[Rows], trial_of: Callable[[str], str]) -> Iterator[list[Rows]]:
    """Group rows, whatever the borders of their batches, so that no trial is divided.

    The rows of a trial are held until it is complete; of the trials before it only the names.

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
    complete: set[str] = set()
    for rows in batches:
        begun: int | None = None
        for start, trial in _stretches(rows, trial_of):
            if trial == current:
                continue
            if trial in complete:
                raise InputError(
                    f"batch {rows.number}: rows of the task {trial!r} follow after those of "
                    "others, expected the rows of one task side by side"
                )
            if current is not None:
                complete.add(current)
            current, begun = trial, start
        if begun is None:
            held.append(rows)
            continue
        if begun:
            held.append(rows.part(0, begun))
        if held:
            yield held
        held = [rows.part(begun, len(rows))]
    if held:
        yield held


def _stretches(rows: Rows, trial_of: Callable[[str], str]) -> list[tuple[int, str]]:
    """Where each stretch of rows of one trial begins, and which trial it is."""
    ids = coded(rows.batch.column("task_id"))
    place: dict[str, int] = {}
    numbers = [place.setdefault(trial_of(task_id), len(place)) for task_id in ids.texts]
    codes = np.array(numbers, np.int64)[ids.codes]
    starts = np.flatnonzero(np.diff(codes, prepend=-1)).tolist()
    names = list(place)
    return [(start, names[codes[start]]) for start in starts]
