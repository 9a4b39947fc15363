"""Scores batches: turns columns of views and patches into columns of figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trajmeter.arrays import call_function, filled, nulls, present
from trajmeter.kernels import CONTEXT_COUNTS, EDIT_COUNTS, active
from trajmeter.metrics.context.ahead import FilesAhead
from trajmeter.metrics.context.attempts import attempts
from trajmeter.metrics.context.batch_figures import (
    edit_columns,
    final_columns,
    leak_columns,
    step_columns,
    view_columns,
)
from trajmeter.metrics.context.columns import in_one_step, texts, viewed_columns
from trajmeter.metrics.context.parts import ALL_PARTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from trajmeter.arrays import Array
    from trajmeter.metrics.context.parts import Parts
    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.metrics.context.profile import ContextProfile
    from trajmeter.metrics.context.tasks import PreparedTasks
    from trajmeter.records import Task

__all__ = ["score_batch"]


def score_batch(
    prepared_tasks: PreparedTasks,
    profile: ContextProfile,
    tasks: Sequence[Task | None],
    rows: pa.RecordBatch,
    parts: Parts = ALL_PARTS,
) -> Mapping[str, Array]:
    """Compute the figures of every row, as :func:`trajmeter.metrics.context.score` does for one.

    Args:
        prepared_tasks: Prepares tasks.
        profile: Profile to score with.
        tasks: Task of each row; ``None`` if it has none.
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`; only views,
            final patches and leaks are read.
        parts: What to compute.

    Returns:
        The columns of :class:`ContextResult` by dotted path.

    Raises:
        InputError: A figure of a row does not fit in a 64-bit integer.
        TotalOverflowError: The sizes of a row overflow a 64-bit integer.
        ReadError: A snapshot cannot be read.
    """
    ahead = None
    if prepared_tasks.reads_ahead:
        ahead = FilesAhead(prepared_tasks, tasks, _with(rows, parts.columns(profile)))
    stretches = [
        _columns(profile, each.prepared, each.task, rows.slice(each.start, len(each.task)), parts)
        for each in _stretches(prepared_tasks, tasks, ahead)
    ]
    if len(stretches) == 1:
        return stretches[0]
    return {name: pa.concat_arrays([each[name] for each in stretches]) for name in stretches[0]}


@dataclass(frozen=True, slots=True, eq=False)
class _Stretch:
    """Consecutive rows whose prepared tasks are in memory at the same time."""

    start: int
    """Index of the first row."""
    prepared: list[PreparedTask]
    """Their distinct tasks."""
    task: list[int]
    """Index of each row's task in ``prepared``; -1 if it has none."""


def _stretches(
    prepared_tasks: PreparedTasks, tasks: Sequence[Task | None], ahead: FilesAhead | None
) -> Iterator[_Stretch]:
    """Split rows so that the tasks of each part fit in memory together."""
    codes = [*map(id, tasks)]
    start, stop = 0, -1
    while stop < len(tasks):
        # In reverse order, so that the first row of each task overwrites later ones.
        numbers = range(len(tasks) - 1, start - 1, -1)
        first_rows = dict(zip(reversed(codes[start:]), numbers, strict=True))
        places = {id(None): -1}
        prepared: list[PreparedTask] = []
        stop = len(tasks)
        for row in sorted(first_rows.values()):
            task = tasks[row]
            if task is None:
                continue
            if prepared_tasks.is_full and prepared:
                stop = row
                break
            if ahead is not None:
                ahead.read(task)
            places[id(task)] = len(prepared)
            prepared.append(prepared_tasks.find_another(task))
        yield _Stretch(start, prepared, [places[code] for code in codes[start:stop]])
        prepared_tasks.trim()
        start = stop


def _columns(
    profile: ContextProfile,
    prepared: Sequence[PreparedTask],
    task: list[int],
    rows: pa.RecordBatch,
    parts: Parts,
) -> dict[str, Array]:
    kernels = active()
    places = np.array(task, np.int64)
    viewed = viewed_columns(_with(rows, parts.columns(profile)))
    if not parts.trajectory:
        viewed = in_one_step(viewed)
    if profile.declared_final_only:  # an attempt that declares none has an empty final context
        viewed = viewed._replace(has_final=np.ones(len(rows), np.bool_))
    measured = kernels.context_batch([of.kernel for of in prepared], places, *viewed)
    table = measured.counts.reshape(-1, len(CONTEXT_COUNTS)).T
    counts = dict(zip(CONTEXT_COUNTS, np.ascontiguousarray(table), strict=True))
    facts = [each.facts for each in prepared]
    found = attempts(profile, facts, places, counts, measured.coverage, measured.offsets)
    columns: dict[str, Array] = {}
    if parts.final:
        columns |= final_columns(found)
    if parts.trajectory:
        columns |= step_columns(found)
    if parts.edits:
        patches: Any = rows.column("final_patch")
        compared = kernels.edit_counts([of.edits for of in prepared], places, texts(patches))
        edits = np.ascontiguousarray(compared.reshape(-1, len(EDIT_COUNTS)).T)
        is_empty = filled(call_function("binary_length", [patches]), 0) == 0
        columns |= edit_columns(found, edits, present(patches), is_empty)
    if parts.views:
        columns |= view_columns(found)
    if parts.leaks:
        columns |= leak_columns(rows.column("leaks"))
    return columns


def _with(rows: pa.RecordBatch, names: Collection[str]) -> pa.RecordBatch:
    """Return the rows with view columns that are not among ``names`` set to null."""
    columns = {}
    for name, path in (("turns", "turns.views"), ("final_views", "final_views")):
        column = rows.column(name)
        columns[name] = column if path in names else nulls(len(rows), column.type)
    return pa.record_batch(columns)
