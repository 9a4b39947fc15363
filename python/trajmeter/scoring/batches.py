"""Scoring record batches: batches of trajectories in, batches of results out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ExtraMissingError, InputError, ReadError

try:
    import pyarrow as pa  # noqa: TC002 - the following imports need it
except ModuleNotFoundError as error:
    raise ExtraMissingError("record batches need pyarrow: pip install 'trajmeter[data]'") from error

from trajmeter.arguments import as_iterable
from trajmeter.arrays.text import coded
from trajmeter.metrics import TaskIndex, create
from trajmeter.readers.frames import arrow_batches, is_frame
from trajmeter.scoring.admission import admit
from trajmeter.scoring.columns import RowScorer
from trajmeter.scoring.sources import DEFAULT_METRICS, open_store, tasks_from
from trajmeter.writers.arrow import stored, stored_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from trajmeter.metrics import AnyMetric
    from trajmeter.records import Task
    from trajmeter.scoring.admission import RowProblem
    from trajmeter.scoring.rows import Rows
    from trajmeter.scoring.sources import RecordSource
    from trajmeter.snapshots import SnapshotStore

__all__ = ["BatchScorer", "score_batches"]


class BatchScorer:
    """Scores batches of trajectories, and knows the schema of the results beforehand.

    Args:
        metrics: Name of a metric, or a list of names, ``file.py@name`` and metric objects, in the
            order of their columns.
        tasks: Files in any known format, or tasks, with the references for scoring.
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
        created = create(metrics, snapshots=open_store(snapshots), profiles=profiles)
        self._scorer = RowScorer(created, TaskIndex(tasks_from(tasks)))
        self.schema = stored_schema(self._scorer.schema)
        self._trials: set[str] = set()

    def __repr__(self) -> str:
        """The metrics, and the number of result columns."""
        names = ", ".join(family.name for family in self._scorer.layout.families)
        return f"<BatchScorer: {names}; {len(self.schema):,} columns>"

    @property
    def columns(self) -> frozenset[str]:
        """Columns of trajectories that the metrics read, some as dotted paths; others are ignored.

        Other columns of a file need not be read.
        """
        return self._scorer.columns

    def score(
        self,
        batches: Iterable[pa.RecordBatch],
        *,
        on_problem: Callable[[RowProblem], None] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Score batches as they arrive; see :func:`score_batches`."""
        if is_frame(batches):
            batches = arrow_batches(batches)
        expected = "an iterable of RecordBatch"
        return self._score(as_iterable(batches, expected, name="batches"), on_problem or _refuse)

    def _score(
        self, batches: Iterable[pa.RecordBatch], report: Callable[[RowProblem], None]
    ) -> Iterator[pa.RecordBatch]:
        with_results = self._scorer.reads_results
        admitted = (
            admit(batch, number, report=report, with_results=with_results)
            for number, batch in enumerate(batches)
        )
        for each in self._scorer.score(self._whole(admitted)):
            yield stored(each.scored, self.schema)

    def _whole(self, batches: Iterable[Rows]) -> Iterator[Rows]:
        """Yield rows, checking that no earlier call scored attempts at their tasks.

        Raises:
            InputError: A metric compares attempts, and such a task comes back.
        """
        if not self._scorer.compares_attempts:
            yield from batches
            return
        earlier = frozenset(self._trials)
        for rows in batches:
            trials = set(map(self._scorer.trial_of, coded(rows.batch.column("task_id")).texts))
            if cut := sorted(trials & earlier):
                raise InputError(
                    f"batch {rows.number}: an earlier call scored rows of the task {cut[0]!r}, "
                    "expected all rows of a task in one call, as a metric compares them"
                )
            self._trials |= trials
            yield rows


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
    trajectory, in the same order. If a metric compares the attempts at a task, the rows of one task
    must be adjacent, and are held until all of them have arrived.

    Args:
        batches: Batches of any size, such as those of a Parquet file; or a data frame in the same
            columns, with the Arrow C interface.
        metrics: Name of a metric, or a list of names, ``file.py@name`` and metric objects, in the
            order of their columns.
        tasks: Files in any known format, or tasks, with the references for scoring.
        snapshots: A file or a folder of snapshots, or a store of them, for metrics that need
            repositories.
        profiles: Compatibility profiles, at most one for each metric.
        on_problem: Called with every row that is not a trajectory and is skipped. Without it, the
            first one raises.

    Returns:
        Batches of results, with the schema that :class:`BatchScorer` knows beforehand.

    Raises:
        UnknownNameError: A metric or profile is unknown.
        ConfigurationError: Two options contradict each other, two tasks have one id, or the type of
            a column does not fit its field.
        InputError: An item is not a batch, or rows of one task are not adjacent although a metric
            needs them to be.
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
