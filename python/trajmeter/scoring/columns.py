"""Scores rows in columns with every metric, returning results in columns."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from trajmeter.arrays import concatenated_batches
from trajmeter.arrays.text import coded
from trajmeter.errors import InputError, format_exception
from trajmeter.metrics import MetricError, RowLayout, score_trajectories
from trajmeter.metrics._protocol import compares_attempts, scores_batches
from trajmeter.metrics.columns_read import columns_read, presence_read
from trajmeter.metrics.engine import FATAL
from trajmeter.metrics.typed_results import typed_results
from trajmeter.scoring.results import (
    columns_of_results,
    identity_columns,
    named_columns,
    own_results,
)
from trajmeter.scoring.rows import Rows
from trajmeter.scoring.trials import whole_trials
from trajmeter.writers.arrow import arrow_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajmeter.arrays import Array
    from trajmeter.metrics import AnyMetric, BatchMetric, Result, TaskIndex
    from trajmeter.metrics.columns import FamilyColumns
    from trajmeter.records import Task

__all__ = ["RowScorer", "ScoredRows"]

_FEW_ROWS = 16
"""If a batch cannot be scored at once, chunks of at most this many rows are scored one by one."""
_ERROR = 2
"""Position of a metric's error among its columns: after its version and parameters."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Attempts with the results of every metric."""

    rows: Rows
    """The attempts."""
    tasks: Sequence[Task | None]
    """Task of each attempt, ``None`` if its id is unknown."""
    scored: pa.RecordBatch
    """A result row for each attempt, in the columns of the layout."""
    results: dict[str, list[Result | MetricError]]
    """Results by metric name, for metrics that scored these rows record by record."""

    def __len__(self) -> int:
        return len(self.rows)


class RowScorer:
    """Scores rows with several metrics, batch by batch where a metric supports it.

    Args:
        metrics: Metrics, in the order of their columns.
        tasks: Tasks with their references.

    Raises:
        ConfigurationError: Two columns would have one name.
    """

    layout: RowLayout
    """Columns of the results."""
    schema: pa.Schema
    """The same columns as an Arrow schema."""
    compares_attempts: bool
    """Whether a metric compares all attempts at a task."""

    def __init__(self, metrics: Sequence[AnyMetric], tasks: TaskIndex) -> None:
        self._metrics = metrics
        self._tasks = tasks
        self._by_record = [metric for metric in metrics if not scores_batches(metric)]
        self._warned: set[str] = set()
        self.layout = RowLayout(metrics)
        self.schema = arrow_schema(self.layout)
        self.compares_attempts = any(compares_attempts(metric) for metric in metrics)
        self._types = {field.name: field.type for field in self.schema}

    @property
    def columns(self) -> frozenset[str]:
        """Columns of trajectories that the metrics read; the others may be null in every row."""
        return columns_read(self._metrics)

    @property
    def presence(self) -> frozenset[str]:
        """Columns of which the metrics only check which values are null."""
        return presence_read(self._metrics)

    @property
    def reads_results(self) -> bool:
        """Whether a metric reads tool results."""
        return any(
            f"{name}.".startswith(f"{column}.")
            for column in self.columns
            for name in ("tool_calls.result", "turns.tool_calls.result")
        )

    def score(self, batches: Iterable[Rows]) -> Iterator[ScoredRows]:
        """Score rows as they arrive or, if a metric compares attempts, once a task is complete.

        Raises:
            InputError: A metric compares attempts, and those at a task are not adjacent.
        """
        if not self.compares_attempts:
            for rows in batches:
                yield from self._score_group([rows])
            return
        for group in whole_trials(batches, self.trial_of):
            yield from self._score_group(group)

    def trial_of(self, task_id: str) -> str:
        """Name of the task with this id; the id itself if unknown."""
        task = self._tasks.find(task_id)
        return task.id if task else task_id

    def _score_group(self, group: Sequence[Rows]) -> Iterator[ScoredRows]:
        """Score rows that include all attempts of their trials."""
        records = chain.from_iterable(rows.records() for rows in group if self._by_record)
        by_record = score_trajectories(records, metrics=self._by_record, tasks=self._tasks)
        whole = concatenated_batches([rows.batch for rows in group])
        tasks = self._tasks_of(whole)
        of_trials = {
            family.name: self._by_batch(family, family.metric, whole, tasks)
            for family in self.layout.families
            if compares_attempts(family.metric) and scores_batches(family.metric)
        }
        # Keyed by name, as user-defined metrics may compare equal to each other.
        places = {metric.name: at for at, metric in enumerate(self._by_record)}
        start = 0
        for rows in group:
            recorded = list(islice(by_record, len(rows)))
            own_tasks = tasks[start : start + len(rows)]
            arrays = identity_columns(rows.batch, self.layout.backend)
            results = {}
            for family in self.layout.families:
                if family.name in of_trials:
                    scored = of_trials[family.name].part(start, len(rows))
                elif scores_batches(family.metric):
                    scored = self._by_batch(family, family.metric, rows.batch, own_tasks)
                else:
                    at = places[family.name]
                    scored = self._of_results(family, [each.results[at] for each in recorded])
                arrays += scored.columns
                if scored.results is not None:
                    results[family.name] = scored.results
            start += len(rows)
            table = pa.record_batch(arrays, schema=self.schema)
            yield ScoredRows(rows, own_tasks, table, results)

    def _by_batch(
        self,
        family: FamilyColumns,
        metric: BatchMetric,
        rows: pa.RecordBatch,
        tasks: Sequence[Task | None],
    ) -> _Scored:
        """Score rows as a batch; rows with a value that fits no column are scored singly."""
        try:
            scored = metric.score_batch(tasks, rows)
            if isinstance(scored, Mapping):
                return _Scored(named_columns(family, scored, self._types, len(rows)), None)
            return self._of_results(family, own_results(family, scored, len(rows)))
        except FATAL:
            raise
        except InputError as error:
            if compares_attempts(metric):  # rows of a trial stay together
                self._warn(family.name, error)
            elif len(rows) > _FEW_ROWS:
                half = len(rows) // 2
                first = self._by_batch(family, metric, rows.slice(0, half), tasks[:half])
                rest = self._by_batch(family, metric, rows.slice(half), tasks[half:])
                return _together(family, [first, rest])
        except BaseException as error:  # noqa: BLE001 - a user's metric may raise anything
            self._warn(family.name, error)
        records = Rows(0, rows).records()
        results = score_trajectories(records, metrics=[family.metric], tasks=self._tasks)
        return self._of_results(family, [each.results[0] for each in results])

    def _of_results(
        self, family: FamilyColumns, results: Sequence[Result | MetricError]
    ) -> _Scored:
        """Results as columns; a result that does not fit its columns becomes an error."""
        kept = [family.fitted(result)[0] for result in results]
        columns = columns_of_results(family, kept, self._types)
        for at, message in enumerate(columns[_ERROR].to_pylist()):
            if message is not None and not isinstance(kept[at], MetricError):
                kept[at] = MetricError(message, code=None)
        return _Scored(columns, kept)

    def _warn(self, family: str, error: BaseException) -> None:
        """Warn, once per metric family, that it could not score a batch."""
        if family not in self._warned:
            self._warned.add(family)
            warnings.warn(
                f"{family} could not score a batch at once, so its rows are scored one by one: "
                f"{format_exception(error)}",
                RuntimeWarning,
                stacklevel=2,
            )

    def _tasks_of(self, rows: pa.RecordBatch) -> list[Task | None]:
        if not len(self._tasks):
            return [None] * len(rows)
        ids = coded(rows.column("task_id"))
        tasks = [self._tasks.find(task_id) for task_id in ids.texts]
        return [tasks[code] for code in ids.codes.tolist()]


class _Scored(NamedTuple):
    """The results of one metric for some rows."""

    columns: list[Array]
    """Its columns."""
    results: list[Result | MetricError] | None
    """Its results, if it scored record by record."""

    def part(self, start: int, rows: int) -> _Scored:
        """The results for some of the rows."""
        columns = [column.slice(start, rows) for column in self.columns]
        results = None if self.results is None else self.results[start : start + rows]
        return _Scored(columns, results)


def _together(family: FamilyColumns, parts: Sequence[_Scored]) -> _Scored:
    """Combine the results of parts."""
    by_column = zip(*(part.columns for part in parts), strict=True)
    columns = [pa.concat_arrays(column) for column in by_column]
    if all(part.results is None for part in parts):
        return _Scored(columns, None)
    names = [column.name for column in family.columns]
    results: list[Result | MetricError] = []
    for part in parts:
        if part.results is None:
            results += typed_results(family, pa.record_batch(part.columns, names))
        else:
            results += part.results
    return _Scored(columns, results)
