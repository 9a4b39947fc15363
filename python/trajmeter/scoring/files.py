"""Scoring from files or records to rows and their summary, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from trajmeter.arguments import paths_and_records
from trajmeter.metrics import RowLayout, TaskIndex, create, score_trajectories
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.records import Task, Trajectory
from trajmeter.snapshots import open_snapshots
from trajmeter.summaries.summarizer import Summarizer
from trajmeter.summaries.summary import MissingTasks
from trajmeter.writers import open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from trajmeter.metrics import AnyMetric, Scored
    from trajmeter.records import ReadProblem
    from trajmeter.snapshots import SnapshotStore
    from trajmeter.summaries.summary import Summary

__all__ = ["DEFAULT_METRICS", "RecordSource", "Scorer", "Scores", "score", "tasks_from"]

DEFAULT_METRICS = ("context",)
"""Metrics used when none are named."""

_SHOWN_IDS = 3
"""Ids of unknown tasks that a summary names."""

_RecordT = TypeVar("_RecordT")

RecordSource: TypeAlias = "str | Path | Iterable[str | Path | _RecordT]"
"""One file, or several, or records, or both."""


@dataclass(frozen=True, slots=True, repr=False)
class Scores:
    """Scored attempts and their summary."""

    results: list[Scored]
    """Each attempt with one typed result of each metric, in the order they were read."""
    summary: Summary
    """Averages, with what was not scored and why."""
    layout: RowLayout
    """Columns of the rows."""

    def __repr__(self) -> str:
        """How many attempts were scored, and by which metrics."""
        names = ", ".join(metric.name for metric in self.summary.metrics)
        count = len(self.results)
        return f"<Scores: {count:,} attempt{'' if count == 1 else 's'}; {names}>"

    def _repr_html_(self) -> str:
        """The tables of the summary, as notebooks show them."""
        from trajmeter.reports.scores import score_report, to_html

        return to_html(score_report(self.summary))

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One flat row for each attempt, as polars and pandas take them; made anew at each call."""
        return [self.layout.row(scored) for scored in self.results]

    def write(self, path: str | Path) -> None:
        """Write the rows to a file, as its suffix says: ``.jsonl``, ``.csv`` or ``.parquet``.

        Raises:
            ConfigurationError: The file cannot be written, or its suffix is unknown.
            ExtraMissingError: The format needs an extra that is not installed.
        """
        with open_table(path, self.layout) as table:
            for scored in self.results:
                table.write(self.layout.values(scored))


class Scorer:
    """Scores attempts as they come, and sums them up, without keeping them.

    Args:
        metrics: Metrics, in the order of their columns.
        tasks: Tasks with their references.

    Raises:
        ConfigurationError: Two tasks have one id, or two columns one name.
    """

    layout: RowLayout
    """Columns of the rows."""

    def __init__(self, metrics: Sequence[AnyMetric], *, tasks: Iterable[Task] = ()) -> None:
        self._metrics = metrics
        self._tasks = TaskIndex(tasks)
        self.layout = RowLayout(metrics)
        self._summarizer = Summarizer(self.layout)
        self._needs_tasks = any(
            field.startswith("Task.") for metric in metrics for field in metric.requires
        )
        self._without_task = 0
        self._unknown_ids: dict[str, None] = {}

    def score(self, trajectories: Iterable[Trajectory]) -> Iterator[tuple[Scored, list[Any]]]:
        """Score attempts, and count them in the summary.

        Yields:
            Each attempt with its results, and its row in the order of the layout's columns.
        """
        for each in score_trajectories(trajectories, metrics=self._metrics, tasks=self._tasks):
            scored, values = self.layout.fitted(each)
            self._summarizer.add(scored, values)
            if scored.task is None and self._needs_tasks:
                self._without_task += 1
                if len(self._unknown_ids) < _SHOWN_IDS:
                    self._unknown_ids[scored.trajectory.task_id] = None
            yield scored, values

    def summary(self) -> Summary:
        """Sum up what was scored so far."""
        summary = self._summarizer.summary()
        if not self._without_task:
            return summary
        missing = MissingTasks(
            attempts=self._without_task,
            nearest={task_id: self._tasks.nearest(task_id) for task_id in self._unknown_ids},
            known=len(self._tasks),
        )
        return summary.model_copy(update={"missing_tasks": missing})


def score(
    trajectories: RecordSource[Trajectory],
    *,
    tasks: RecordSource[Task] = (),
    snapshots: str | Path | SnapshotStore | None = None,
    metrics: str | Iterable[str | AnyMetric] = DEFAULT_METRICS,
    profiles: str | Iterable[str] = (),
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> Scores:
    """Score trajectories with one or several metrics.

    Args:
        trajectories: Files of any known format, or trajectories.
        tasks: Files of any known format, or tasks, with the references to score against.
        snapshots: A file or a folder of snapshots, or a store of them, for metrics that look into
            repositories.
        metrics: One or several names of metrics, ``file.py@name``, or metrics, in the order of
            their columns.
        profiles: Compatibility profiles, at most one for each metric.
        on_problem: Called with every file and record that cannot be read and is left out. Without
            it the first one raises.

    Returns:
        Results, rows and summary.

    Raises:
        UnknownNameError: A metric or profile is unknown.
        ConfigurationError: Two options contradict each other, or two tasks have one id.
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
    if isinstance(snapshots, (str, Path)):
        snapshots = open_snapshots(snapshots, on_problem=on_problem)
    scorer = Scorer(
        create(metrics, snapshots=snapshots, profiles=profiles),
        tasks=tasks_from(tasks, on_problem=on_problem),
    )
    read = partial(read_trajectories, on_problem=on_problem)
    attempts = _records(paths_and_records(trajectories, Trajectory, name="trajectories"), read)
    results = [scored for scored, _ in scorer.score(attempts)]
    return Scores(results, scorer.summary(), scorer.layout)


def tasks_from(
    source: RecordSource[Task], *, on_problem: Callable[[ReadProblem], None] | None = None
) -> Iterator[Task]:
    """Tasks, from files of any known format and from records.

    Raises:
        InputError: An item is neither.
        ReadError: Without ``on_problem``: something cannot be read.
    """
    read = partial(read_tasks, on_problem=on_problem)
    return _records(paths_and_records(source, Task, name="tasks"), read)


def _records(
    items: Iterable[str | Path | _RecordT], read: Callable[[str | Path], Iterator[_RecordT]]
) -> Iterator[_RecordT]:
    """The records, and those of the files among them."""
    for item in items:
        if isinstance(item, (str, PathLike)):
            yield from read(Path(item))
        else:
            yield item
