"""Speedup of record batches: computes result columns from rows that contain whole tasks.

The Rust backend scores rows as columns, without an object per benchmark. Trials that it is not
certain of, and all trials with the Python backend, are scored as records by
:mod:`trajmeter.metrics.speedup.fields`, without the fields that no figure depends on.
"""

from __future__ import annotations

from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import ROWS_AT_ONCE, nulls, taken
from trajmeter.arrays.text import coded
from trajmeter.benchmark_tables import BENCHMARK_TABLES
from trajmeter.errors import InputError
from trajmeter.kernels import backend
from trajmeter.metrics.columns import FamilyColumns
from trajmeter.metrics.row_records import records_of
from trajmeter.metrics.speedup.fields import result_fields
from trajmeter.metrics.speedup.figure_columns import figure_columns
from trajmeter.metrics.speedup.result import SpeedupResult
from trajmeter.metrics.speedup.trial_columns import trials_of_rows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from trajmeter.arrays import Array
    from trajmeter.kernels import Int64Array
    from trajmeter.metrics._result import Result
    from trajmeter.metrics.column import Column
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.metrics.speedup.result import BenchmarkSpeedup
    from trajmeter.metrics.speedup.score import SpeedupMetric
    from trajmeter.metrics.speedup.trial_columns import TrialColumns
    from trajmeter.records import Task, Trajectory

__all__ = ["score_batch"]

_IDENTITY = {"task_id", "agent", "model", "attempt", "instance"}
"""Columns that identify an attempt."""
_KEPT = _IDENTITY | {BENCHMARK_TABLES}
_BENCHMARKS = "per_benchmark_speedups"


def score_batch(
    metric: SpeedupMetric,
    profile: SpeedupProfile,
    tasks: Sequence[Task | None],
    rows: pa.RecordBatch,
) -> Mapping[str, Array] | Iterable[Result]:
    """Compute every figure of every row.

    Args:
        metric: The metric.
        profile: Its profile.
        tasks: Task of each row; ``None`` if its id is unknown.
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`, optionally
            with that of :mod:`trajmeter.benchmark_tables`; the rows of each task are adjacent.

    Returns:
        Every column of :class:`SpeedupResult` by dotted path, or one result per row if a number
        does not fit a column.
    """
    family = FamilyColumns(metric, offset=0)
    prefix = f"{family.name}."
    names = [column.name.removeprefix(prefix) for column in family.figures]
    needed = _needed(rows, metric.batch_columns | _KEPT)
    columns: dict[str, Array] = {}
    stretches = list(_tasks(tasks, rows))
    if backend() == "rust":
        trials = trials_of_rows(tasks, needed)
        columns, is_uncertain = figure_columns(needed, trials, profile)
        stretches = list(_left(trials, np.flatnonzero(is_uncertain)))
        if not stretches:
            return {name: columns[name] for name in names}
    parts: list[list[Array]] = []
    for few in _few(stretches):
        of_tasks = [(tasks[each.rows[0]], _records(needed, each)) for each in few]
        fields = result_fields(of_tasks, profile)
        kept = chain.from_iterable(
            (number + place for place in range(each.scored))
            for number, each in zip(_begins(few), few, strict=True)
        )
        try:
            parts.append([*_arrays(family, [fields[place] for place in kept])])
        except InputError:
            whole = _tasks(tasks, rows)
            trials_at_tasks = ((tasks[each.rows[0]], _records(needed, each)) for each in whole)
            return chain.from_iterable(metric.score_trial(*each) for each in trials_at_tasks)
    by_record = zip(*(parts or [[*_arrays(family, [])]]), strict=True)
    slow = {name: pa.concat_arrays(own) for name, own in zip(names, by_record, strict=True)}
    if not columns:
        return slow
    places = [row for each in stretches for row in each.rows[: each.scored]]
    order = np.arange(len(rows))
    order[places] = len(rows) + np.arange(len(places))
    return {name: taken(pa.concat_arrays([columns[name], slow[name]]), order) for name in names}


class _Stretch(NamedTuple):
    """Rows that are scored together."""

    rows: list[int]
    """Indices of the rows; those to score come first."""
    scored: int
    """Number of rows to score."""


def _needed(rows: pa.RecordBatch, names: Collection[str]) -> pa.RecordBatch:
    """The rows with only these columns, or with the columns that contain them."""
    whole = {name.partition(".")[0] for name in names}
    return pa.record_batch(
        [
            column if field.name in whole else nulls(len(rows), field.type)
            for field, column in zip(rows.schema, rows.columns, strict=True)
        ],
        schema=rows.schema,
    )


def _tasks(tasks: Sequence[Task | None], rows: pa.RecordBatch) -> Iterator[_Stretch]:
    """The rows of each task."""
    ids = coded(rows.column("task_id"))
    names = [
        task.id if task else ids.texts[code]
        for task, code in zip(tasks, ids.codes.tolist(), strict=True)
    ]
    for _, stretch in groupby(enumerate(names), itemgetter(1)):
        places = [place for place, _ in stretch]
        yield _Stretch(places, len(places))


def _left(trials: TrialColumns, uncertain: Int64Array) -> Iterator[_Stretch]:
    """The rows of uncertain trials, and each row that has figures instead of measurements."""
    for row in np.flatnonzero(trials.trial < 0).tolist():
        yield _Stretch([row], 1)
    for trial in uncertain.tolist():
        yield _Stretch(trials.of_trial(trial).tolist(), int(trials.scored[trial]))


def _few(stretches: Iterable[_Stretch]) -> Iterator[list[_Stretch]]:
    """Group stretches into a few hundred attempts, to limit the benchmark objects in memory."""
    held: list[_Stretch] = []
    for stretch in stretches:
        held.append(stretch)
        if sum(len(each.rows) for each in held) >= ROWS_AT_ONCE:
            yield held
            held = []
    if held:
        yield held


def _begins(stretches: Iterable[_Stretch]) -> Iterator[int]:
    """Position of each stretch's first row."""
    begin = 0
    for stretch in stretches:
        yield begin
        begin += len(stretch.rows)


def _records(rows: pa.RecordBatch, stretch: _Stretch) -> list[Trajectory]:
    return records_of(taken(rows, np.array(stretch.rows, np.int64)))


def _arrays(family: FamilyColumns, fields: Sequence[dict[str, Any]]) -> Iterator[Array]:
    """Yield one column per figure.

    Raises:
        InputError: A number is too large for a column.
    """
    tables = [each.pop(_BENCHMARKS, {}) for each in fields]
    results = [SpeedupResult.model_construct(None, **each) for each in fields]
    values = [family.values(result)[-len(family.figures) :] for result in results]
    by_column = zip(*values, strict=True) if values else [()] * len(family.figures)
    for column, own in zip(family.figures, by_column, strict=True):
        is_table = column.name.endswith(_BENCHMARKS)
        yield _benchmarks(tables, column.shape.arrow_type()) if is_table else _array(column, own)


def _benchmarks(tables: Sequence[Mapping[str, BenchmarkSpeedup]], kind: Any) -> Array:  # noqa: ANN401 - the stubs know none of its attributes
    """Every benchmark of each table, with one column per field."""
    entries: list[Any] = [entry for table in tables for entry in table.values()]
    names = pa.array([name for table in tables for name in table], kind.key_type)
    fields = list(kind.item_type)
    columns = [pa.array([entry[each.name] for entry in entries], each.type) for each in fields]
    offsets: Any = np.cumsum([0, *map(len, tables)], dtype=np.int32)
    values = pa.StructArray.from_arrays(columns, fields=fields)
    mappings: Array = pa.MapArray.from_arrays(pa.array(offsets), names, values)
    return mappings


def _array(column: Column, values: Sequence[Any]) -> Array:
    if column.shape.kind == "mapping":
        values = [list(value.items()) for value in values]
    array: Array = pa.array(values, column.shape.arrow_type())
    return array
