"""Speedup of record batches: the columns of a result, from rows that hold whole tasks.

The attempts are those that the rows stand for, without the fields that no figure depends on, and
scored as :mod:`trajmeter.metrics.speedup.fields` says. What a batch saves is the result of each
attempt, whose benchmarks are written as JSON at once, and a call of the kernel for each trial.
"""

from __future__ import annotations

from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pydantic_core import to_json

from trajmeter.errors import InputError
from trajmeter.metrics.arrays import ROWS_AT_ONCE, coded, nulls
from trajmeter.metrics.columns import FamilyColumns
from trajmeter.metrics.row_records import records_of
from trajmeter.metrics.speedup.fields import result_fields
from trajmeter.metrics.speedup.result import SpeedupResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from trajmeter.metrics._protocol import TrialMetric
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.arrays import Array
    from trajmeter.metrics.columns import Column
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.records import Task, Trajectory

__all__ = ["score_batch"]

_READ = {
    *("task_id", "agent", "model", "attempt", "trial", "instance", "measurements"),
    *("pytest_summary", "snapshot_summary", "run_log", "usage", "passed", "failure"),
}
"""Fields that a figure depends on."""
_BENCHMARKS = "per_benchmark_speedups"


def score_batch(
    metric: TrialMetric,
    profile: SpeedupProfile,
    tasks: Sequence[Task | None],
    rows: pa.RecordBatch,
) -> Mapping[str, Array] | Iterable[Result]:
    """Compute every figure of every row.

    Args:
        metric: The metric.
        profile: Its profile.
        tasks: Task of each row, ``None`` if its id is unknown.
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`, those of a
            task side by side.

    Returns:
        Every column of :class:`SpeedupResult` by its dotted path; or a result of each row, where
        one holds a number that no column does.
    """
    family = FamilyColumns(metric, offset=0)
    prefix = f"{family.name}."
    parts: list[list[Array]] = []
    for trials in _few(_trials(tasks, rows)):
        fields = result_fields(trials, profile)
        try:
            parts.append([*_arrays(family, fields)])
        except InputError:
            return chain.from_iterable(metric.score_trial(*trial) for trial in _trials(tasks, rows))
    columns = zip(*(parts or [[*_arrays(family, [])]]), strict=True)
    return {
        column.name.removeprefix(prefix): pa.concat_arrays(arrays)
        for column, arrays in zip(family.figures, columns, strict=True)
    }


_Trial = tuple["Task | None", "list[Trajectory]"]


def _trials(tasks: Sequence[Task | None], rows: pa.RecordBatch) -> Iterator[_Trial]:
    """Each task of the rows, with all attempts at it."""
    ids = coded(rows.column("task_id"))
    names = [
        task.id if task else ids.texts[code]
        for task, code in zip(tasks, ids.codes.tolist(), strict=True)
    ]
    needed = pa.record_batch(
        [
            column if field.name in _READ else nulls(len(rows), field.type)
            for field, column in zip(rows.schema, rows.columns, strict=True)
        ],
        schema=rows.schema,
    )
    for _, stretch in groupby(enumerate(names), itemgetter(1)):
        places = [place for place, _ in stretch]
        yield tasks[places[0]], records_of(needed.slice(places[0], len(places)))


def _few(trials: Iterable[_Trial]) -> Iterator[list[_Trial]]:
    """Trials by the few hundred attempts, of whose benchmarks objects are alive at a time."""
    held: list[_Trial] = []
    for trial in trials:
        held.append(trial)
        if sum(len(attempts) for _, attempts in held) >= ROWS_AT_ONCE:
            yield held
            held = []
    if held:
        yield held


def _arrays(family: FamilyColumns, fields: Sequence[dict[str, Any]]) -> Iterator[Array]:
    """A column of each figure.

    Raises:
        InputError: A number is too large for a column.
    """
    texts = [to_json(each.pop(_BENCHMARKS, {}), inf_nan_mode="strings").decode() for each in fields]
    results = [SpeedupResult.model_construct(None, **each) for each in fields]
    values = [family.values(result)[-len(family.figures) :] for result in results]
    by_column = zip(*values, strict=True) if values else [()] * len(family.figures)
    for column, own in zip(family.figures, by_column, strict=True):
        yield _array(column, texts if column.name.endswith(_BENCHMARKS) else own)


def _array(column: Column, values: Sequence[Any]) -> Array:
    if column.shape.kind == "mapping":
        values = [list(value.items()) for value in values]
    array: Array = pa.array(values, column.shape.arrow_type())
    return array
