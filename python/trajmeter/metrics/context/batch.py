"""Scoring batches: columns of views and patches in, columns of figures out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.arrays import filled, flags
from trajmeter.kernels import CONTEXT_COUNTS, EDIT_COUNTS, active
from trajmeter.metrics.context.attempts import attempts
from trajmeter.metrics.context.batch_figures import (
    edit_columns,
    final_columns,
    step_columns,
    view_columns,
)
from trajmeter.metrics.context.columns import texts, viewed_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trajmeter.arrays import Array
    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.metrics.context.profile import ContextProfile
    from trajmeter.metrics.context.tasks import PreparedTasks
    from trajmeter.records import Task

__all__ = ["score_batch"]


def score_batch(
    kept: PreparedTasks,
    profile: ContextProfile,
    tasks: Sequence[Task | None],
    rows: pa.RecordBatch,
) -> Mapping[str, Array]:
    """Compute every figure of every row, as :func:`trajmeter.metrics.context.score` does of one.

    Args:
        kept: Prepares tasks.
        profile: How they are scored.
        tasks: Task of each row, if it has one.
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`, of which
            views and final patches are read.

    Returns:
        Every column of :class:`ContextResult` by its dotted path.

    Raises:
        InputError: A figure of a row is not an integer of 64 bits.
        TotalOverflowError: Sizes of a row add up to more than 64 bits hold.
        ReadError: A snapshot cannot be read.
    """
    parts = [
        _columns(profile, part.prepared, part.task, rows.slice(part.start, len(part.task)))
        for part in _parts(kept, tasks)
    ]
    if len(parts) == 1:
        return parts[0]
    return {name: pa.concat_arrays([part[name] for part in parts]) for name in parts[0]}


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Consecutive rows whose tasks are prepared at the same time."""

    start: int
    """Number of the first row."""
    prepared: list[PreparedTask]
    """Their tasks, each once."""
    task: list[int]
    """Place of each row's task, or -1."""


def _parts(kept: PreparedTasks, tasks: Sequence[Task | None]) -> Iterator[_Part]:
    """Cut rows where the tasks before would take too much memory together."""
    part = _Part(0, [], [])
    places: dict[int, int] = {}
    for row, task in enumerate(tasks):
        place = -1 if task is None else places.get(id(task))
        if place is None and task is not None:
            if kept.is_full and part.prepared:
                yield part
                part, places = _Part(row, [], []), {}
                kept.trim()
            place = places[id(task)] = len(part.prepared)
            part.prepared.append(kept.find_another(task))
        part.task.append(-1 if place is None else place)
    yield part
    kept.trim()


def _columns(
    profile: ContextProfile, prepared: Sequence[PreparedTask], task: list[int], rows: pa.RecordBatch
) -> dict[str, Array]:
    kernels = active()
    places = np.array(task, np.int64)
    viewed = viewed_columns(rows)
    if profile.declared_final_only:  # where none is declared, nothing is
        viewed = viewed._replace(has_final=np.ones(len(rows), np.bool_))
    measured = kernels.context_batch([of.kernel for of in prepared], places, *viewed)
    table = measured.counts.reshape(-1, len(CONTEXT_COUNTS)).T
    counts = dict(zip(CONTEXT_COUNTS, np.ascontiguousarray(table), strict=True))
    patches: Any = rows.column("final_patch")
    compared = kernels.edit_counts([of.edits for of in prepared], places, texts(patches))
    edits = np.ascontiguousarray(compared.reshape(-1, len(EDIT_COUNTS)).T)
    found = attempts(profile, prepared, places, counts, measured.coverage, measured.offsets)
    has_patch = flags(patches.is_valid())
    is_empty = filled(pc.binary_length(patches), 0) == 0
    return {
        **final_columns(found),
        **step_columns(found),
        **edit_columns(found, edits, has_patch, is_empty),
        **view_columns(found),
    }
