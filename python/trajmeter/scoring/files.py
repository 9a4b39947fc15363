"""Scores files or records in one call, returning rows and their summary."""

from __future__ import annotations

from functools import partial
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, TypedDict

from trajmeter.arguments import paths_and_records
from trajmeter.errors import ExtraMissingError
from trajmeter.metrics import create
from trajmeter.metrics.registry import listed_names
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.readers.frames import arrow_table, frame_tasks, is_frame
from trajmeter.records import Trajectory
from trajmeter.remote import path_of
from trajmeter.schemas import require_pyarrow
from trajmeter.scoring.records import RecordScorer
from trajmeter.scoring.scores import ScoredColumns, ScoredRecords, Scores
from trajmeter.scoring.sources import DEFAULT_METRICS, open_store, records_from, tasks_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from trajmeter.metrics import AnyMetric
    from trajmeter.records import ReadProblem, Task
    from trajmeter.scoring.sources import RecordSource
    from trajmeter.snapshots import SnapshotStore

__all__ = ["Scores", "score"]


class _Reading(TypedDict):
    """How files are read."""

    input_format: str | None
    mapping: Mapping[str, str] | None
    profiles: tuple[str, ...]
    on_problem: Callable[[ReadProblem], None] | None


def score(
    trajectories: RecordSource[Trajectory],
    *,
    tasks: RecordSource[Task] = (),
    snapshots: str | Path | SnapshotStore | None = None,
    repos: str | Path | None = None,
    metrics: str | Iterable[str | AnyMetric] = DEFAULT_METRICS,
    profiles: str | Iterable[str] = (),
    input_format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Scores:
    """Score trajectories with one or several metrics.

    Args:
        trajectories: Files in any known format, or trajectories; or a data frame with the Arrow C
            interface (polars, pandas, pyarrow, DuckDB), whose rows are attempts.
        tasks: Files in any known format, or tasks, with the references for scoring.
        snapshots: A file or a folder of snapshots, or a store of them, for metrics that need
            repositories.
        repos: Instead of snapshots, git repositories from which to take them, as found by
            :func:`trajmeter.snapshots.open_repositories`.
        metrics: Name of a metric, or a list of names, ``file.py@name`` and metric objects, in the
            order of their columns.
        profiles: Compatibility profiles, at most one for each metric.
        input_format: Name of the format of all files; by default it is detected from their content.
        mapping: Columns of files, or of the data frame, by the trajectory field they contain, as
            for :func:`trajmeter.readers.read_trajectories`; those prefixed with ``task.`` are
            fields of the task, as for :func:`trajmeter.readers.read_tasks`.
        on_problem: Called with every file and record that cannot be read and is skipped. Without
            it, the first one raises.

    Returns:
        Results, rows and summary.

    Raises:
        UnknownNameError: A metric, profile or format is unknown.
        ConfigurationError: Two options contradict each other, or two tasks have the same id.
        InputError: An item is neither a file nor a record.
        ReadError: Without ``on_problem``: something cannot be read.
        ExtraMissingError: A metric or a file needs an extra that is not installed.

    Example:
        >>> import trajmeter
        >>> from trajmeter.records import Trajectory
        >>> @trajmeter.metric
        ... def answered(task, trajectory):
        ...     return trajectory.final_output is not None
        >>> scores = trajmeter.score([Trajectory(task_id="a")], metrics=[answered])
        >>> scores.rows[0]["answered.value"]
        0.0
    """
    profiles = [*listed_names(profiles, "profiles")]
    store = open_store(snapshots, repos, profiles=profiles, on_problem=on_problem)
    created = create(metrics, snapshots=store, profiles=profiles)
    reading: _Reading = {
        "input_format": input_format,
        "mapping": mapping,
        "profiles": tuple(profiles),
        "on_problem": on_problem,
    }
    known = tasks_from(tasks, on_problem=on_problem)
    if is_frame(trajectories):
        table = arrow_table(trajectories)
        if mapping:
            known = chain(known, frame_tasks(table, mapping, on_problem))
        return _score_frame(table, created, known, reading)
    items = paths_and_records(trajectories, Trajectory, name="trajectories")
    if mapping:
        items = iter(every := [*items])
        files = [path_of(item) for item in every if isinstance(item, (str, PathLike))]
        known = chain(known, read_tasks(files, mapping=mapping, on_problem=on_problem))
    paths, items = _only_paths(items)
    if paths and _has_pyarrow():
        return _score_files(paths, created, known, reading)
    attempts = records_from(items, partial(read_trajectories, **reading))
    return _score_records(attempts, created, known)


def _score_records(
    trajectories: Iterable[Trajectory], metrics: Sequence[AnyMetric], tasks: Iterator[Task]
) -> Scores:
    scorer = RecordScorer(metrics, tasks=tasks)
    results = [scored for scored, _ in scorer.score(trajectories)]
    return Scores(ScoredRecords(results, scorer.layout), scorer.summary, scorer.layout)


def _has_pyarrow() -> bool:
    try:
        require_pyarrow("columns")
    except ExtraMissingError:
        return False
    return True


def _only_paths(
    items: Iterator[str | Path | Trajectory],
) -> tuple[list[str | Path], Iterator[str | Path | Trajectory]]:
    """The items as paths if all are paths, and the items again."""
    paths: list[str | Path] = []
    for item in items:
        if not isinstance(item, (str, PathLike)):
            return [], chain(paths, [item], items)
        paths.append(item)
    return paths, iter(paths)


def _score_files(
    paths: Sequence[str | Path],
    metrics: Sequence[AnyMetric],
    tasks: Iterator[Task],
    reading: _Reading,
) -> Scores:
    from trajmeter.readers.batches import TrajectoryBatches
    from trajmeter.scoring.stream import StreamScorer

    scorer = StreamScorer(metrics, tasks=tasks)
    parts = [*scorer.score(TrajectoryBatches(paths, **reading))]
    return Scores(ScoredColumns(parts, scorer.layout), scorer.summary, scorer.layout)


def _score_frame(
    table: pa.Table, metrics: Sequence[AnyMetric], tasks: Iterator[Task], reading: _Reading
) -> Scores:
    from trajmeter.readers.frame_batches import FrameBatches
    from trajmeter.scoring.stream import StreamScorer

    scorer = StreamScorer(metrics, tasks=tasks)
    frame = FrameBatches(table, scorer.columns, **reading)
    parts = [*scorer.score(frame)]
    # These columns are only those that metrics read; the records have all.
    attempts = ScoredColumns(parts, scorer.layout, frame.reader())
    return Scores(attempts, scorer.summary, scorer.layout)
