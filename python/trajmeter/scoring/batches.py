"""Scoring record batches: batches of trajectories in, batches of results out."""

from __future__ import annotations

import warnings
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import ExtraMissingError, InputError, ReadError, format_exception

try:
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise ExtraMissingError("record batches need pyarrow: pip install 'trajmeter[data]'") from error

from trajmeter.arguments import as_iterable
from trajmeter.metrics import (
    BatchMetric,
    RowLayout,
    TaskIndex,
    TrialMetric,
    create,
    score_trajectories,
)
from trajmeter.metrics.arrays import coded
from trajmeter.metrics.engine import FATAL
from trajmeter.scoring.files import DEFAULT_METRICS, tasks_from
from trajmeter.scoring.results import columns_of_batch, columns_of_results, identity_columns
from trajmeter.scoring.rows import admit
from trajmeter.snapshots import open_snapshots
from trajmeter.writers.arrow import arrow_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from trajmeter.metrics import AnyMetric, MetricError, Result
    from trajmeter.metrics.arrays import Array
    from trajmeter.metrics.columns import FamilyColumns
    from trajmeter.records import Task
    from trajmeter.scoring.files import RecordSource
    from trajmeter.scoring.rows import RowProblem, Rows
    from trajmeter.snapshots import SnapshotStore

__all__ = ["BatchScorer", "score_batches"]


class BatchScorer:
    """Scores batches of trajectories, and knows the schema of the results beforehand.

    Args:
        metrics: One or several names of metrics, ``file.py@name``, or metrics, in the order of
            their columns.
        tasks: Files of any known format, or tasks, with the references to score against.
        snapshots: A file or a folder of snapshots, or a store of them.
        profiles: Compatibility profiles, at most one for each metric.

    Raises:
        UnknownNameError: A metric or profile is unknown.
        ConfigurationError: Two options contradict each other, or two tasks have one id.
        ReadError: A file cannot be read.
        ExtraMissingError: A metric or a file needs an extra that is not installed.
    """

    schema: pa.Schema
    """Schema of the results: that of a results table in Parquet."""

    def __init__(
        self,
        metrics: str | Iterable[str | AnyMetric] = DEFAULT_METRICS,
        *,
        tasks: RecordSource[Task] = (),
        snapshots: str | Path | SnapshotStore | None = None,
        profiles: str | Iterable[str] = (),
    ) -> None:
        if isinstance(snapshots, (str, Path)):
            snapshots = open_snapshots(snapshots)
        made = create(metrics, snapshots=snapshots, profiles=profiles)
        self._tasks = TaskIndex(tasks_from(tasks))
        self._layout = RowLayout(made)
        self._by_record = [metric for metric in made if not isinstance(metric, BatchMetric)]
        self._has_trials = any(isinstance(metric, TrialMetric) for metric in made)
        self.schema = arrow_schema(self._layout)
        self._types = {field.name: field.type for field in self.schema}
        self._warned: set[str] = set()

    def __repr__(self) -> str:
        """The metrics, and how many columns results have."""
        names = ", ".join(family.name for family in self._layout.families)
        return f"<BatchScorer: {names}; {len(self.schema):,} columns>"

    def score(
        self,
        batches: Iterable[pa.RecordBatch],
        *,
        on_problem: Callable[[RowProblem], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Score batches as they come; see :func:`score_batches`."""
        if isinstance(batches, (pa.RecordBatch, pa.Table)):  # whose columns would be taken for some
            raise InputError(
                f"batches is a {type(batches).__name__}, expected an iterable of RecordBatch; a "
                "Table gives them with to_batches()"
            )
        expected = "an iterable of RecordBatch"
        return self._score(as_iterable(batches, expected, name="batches"), on_problem or _refuse)

    def _score(
        self, batches: Iterable[pa.RecordBatch], report: Callable[[RowProblem], None]
    ) -> Iterator[pa.RecordBatch]:
        admitted = (admit(batch, number, report=report) for number, batch in enumerate(batches))
        groups = (
            _whole_trials(admitted, self._trial_of)
            if self._has_trials
            else ([rows] for rows in admitted)
        )
        for group in groups:
            yield from self._score_group(group)

    def _trial_of(self, task_id: str) -> str:
        task = self._tasks.find(task_id)
        return task.id if task else task_id

    def _score_group(self, group: Sequence[Rows]) -> Iterator[pa.RecordBatch]:
        """Score rows that hold all attempts of their trials."""
        records = chain.from_iterable(rows.records() for rows in group if self._by_record)
        scored = score_trajectories(records, metrics=self._by_record, tasks=self._tasks)
        together = self._together(group)
        start = 0
        for rows in group:
            by_trial = {
                name: [column.slice(start, len(rows)) for column in columns]
                for name, columns in together.items()
            }
            start += len(rows)
            yield self._table(rows, [each.results for each in islice(scored, len(rows))], by_trial)

    def _together(self, group: Sequence[Rows]) -> dict[str, list[Array]]:
        """Columns of each family that compares attempts and scores rows at once."""
        return {
            family.name: self._by_batch(family, family.metric, group)
            for family in self._layout.families
            if isinstance(family.metric, TrialMetric) and isinstance(family.metric, BatchMetric)
        }

    def _table(
        self,
        rows: Rows,
        results: Sequence[Sequence[Result | MetricError]],
        by_trial: Mapping[str, list[Array]],
    ) -> pa.RecordBatch:
        arrays = identity_columns(rows.batch, self._layout.backend)
        for family in self._layout.families:
            if family.name in by_trial:
                arrays += by_trial[family.name]
            elif isinstance(family.metric, BatchMetric):
                arrays += self._by_batch(family, family.metric, [rows])
            else:
                position = self._by_record.index(family.metric)
                own = [each[position] for each in results]
                arrays += columns_of_results(family, own, self._types)
        return pa.record_batch(arrays, schema=self.schema)

    def _by_batch(
        self, family: FamilyColumns, metric: BatchMetric, group: Sequence[Rows]
    ) -> list[Array]:
        """Columns of a family for the rows of some batches, scored at once."""
        try:
            rows = _in_one(group)
            scored = metric.score_batch(self._tasks_of(rows), rows)
            return columns_of_batch(family, scored, self._types, len(rows))
        except FATAL:
            raise
        except BaseException as error:  # noqa: BLE001 - a metric of the user's may raise anything
            self._warn(family.name, error)
        records = chain.from_iterable(rows.records() for rows in group)
        results = score_trajectories(records, metrics=[family.metric], tasks=self._tasks)
        return columns_of_results(family, (each.results[0] for each in results), self._types)

    def _warn(self, family: str, error: BaseException) -> None:
        """Warn, once for a family, that it could not score a batch."""
        if family not in self._warned:
            self._warned.add(family)
            warnings.warn(
                f"{family} could not score a batch at once, and its rows are scored one by one: "
                f"{format_exception(error)}",
                RuntimeWarning,
                stacklevel=2,
            )

    def _tasks_of(self, rows: pa.RecordBatch) -> list[Task | None]:
        ids = coded(rows.column("task_id"))
        tasks = [self._tasks.find(task_id) for task_id in ids.texts]
        return [tasks[code] for code in ids.codes.tolist()]


def score_batches(
    batches: Iterable[pa.RecordBatch],
    *,
    metrics: str | Iterable[str | AnyMetric] = DEFAULT_METRICS,
    tasks: RecordSource[Task] = (),
    snapshots: str | Path | SnapshotStore | None = None,
    profiles: str | Iterable[str] = (),
    on_problem: Callable[[RowProblem], None] | None = None,
) -> Iterator[pa.RecordBatch]:
    """Score batches of trajectories, one after another.

    Each row is a trajectory in the columns of :func:`trajmeter.schemas.trajectory_schema`; columns
    that are absent count as null, and others are ignored. There is a result for each row that is a
    trajectory, in the same order. Where a metric compares the attempts at a task, the rows of
    one task have to be side by side, and are held until all of them are there.

    Args:
        batches: Batches of any size, such as those of a Parquet file.
        metrics: One or several names of metrics, ``file.py@name``, or metrics, in the order of
            their columns.
        tasks: Files of any known format, or tasks, with the references to score against.
        snapshots: A file or a folder of snapshots, or a store of them, for metrics that look into
            repositories.
        profiles: Compatibility profiles, at most one for each metric.
        on_problem: Called with every row that is not a trajectory and is left out. Without it the
            first one raises.

    Returns:
        Batches of results, with the schema that :class:`BatchScorer` knows beforehand.

    Raises:
        UnknownNameError: A metric or profile is unknown.
        ConfigurationError: Two options contradict each other, two tasks have one id, or a column is
            of a type that cannot hold its field.
        InputError: Something is not a batch, or rows of one task are not side by side where a
            metric needs them to be.
        ReadError: Without ``on_problem``: a row is not a trajectory.
        ExtraMissingError: A metric or a file needs an extra that is not installed.

    Example:
        >>> import trajmeter
        >>> from trajmeter.records import Failure, Trajectory, Turn
        >>> from trajmeter.schemas import trajectory_batch
        >>> failed = Turn(success=False, error=Failure(reason="parse_error"))
        >>> batch = trajectory_batch([Trajectory(task_id="a", turns=(failed, Turn(success=True)))])
        >>> (results,) = trajmeter.score_batches([batch], metrics=["turns"])
        >>> results["turns.parse_failure_rate"].to_pylist()
        [0.5]
    """
    scorer = BatchScorer(metrics, tasks=tasks, snapshots=snapshots, profiles=profiles)
    return scorer.score(batches, on_problem=on_problem)


def _refuse(problem: RowProblem) -> None:
    raise ReadError(str(problem))


def _in_one(group: Sequence[Rows]) -> pa.RecordBatch:
    """Rows of several batches as one."""
    if len(group) == 1:
        return group[0].batch
    columns = zip(*(rows.batch.columns for rows in group), strict=True)
    return pa.record_batch(
        [pa.concat_arrays(parts) for parts in columns], schema=group[0].batch.schema
    )


def _whole_trials(batches: Iterable[Rows], trial_of: Callable[[str], str]) -> Iterator[list[Rows]]:
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
