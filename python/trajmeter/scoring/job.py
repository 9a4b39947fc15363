"""What a run is asked to do, in a form that other processes can take up."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.metrics import RowLayout, TaskIndex, create
from trajmeter.scoring.files import tasks_from
from trajmeter.scoring.plan import ReadingOptions
from trajmeter.snapshots import open_snapshots

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trajmeter.metrics import AnyMetric, AssertionJudge
    from trajmeter.records import ReadProblem, Task
    from trajmeter.snapshots import SnapshotStore

__all__ = ["Job", "OpenedJob"]


@dataclass(frozen=True)
class Job:
    """Which metrics score, and what they score against."""

    metrics: tuple[str | AnyMetric, ...]
    """Names of metrics, or metrics, in the order of their columns."""
    tasks: tuple[Path | Task, ...] = ()
    """Files of tasks, or tasks."""
    snapshots: Path | SnapshotStore | None = None
    """A file or a folder of snapshots, or a store."""
    repos: Path | None = None
    """Git repositories to take snapshots from instead."""
    cache: Path | bool = True
    """Where what was found in them is kept."""
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    """How inputs are read."""
    judge: AssertionJudge | None = None
    """Judge of assertions."""
    judge_settings: Mapping[str, Any] | None = None
    """What its verdicts depend on."""

    def about(self, folders: Sequence[Path]) -> dict[str, Any]:
        """What a summary of finished units needs, as JSON."""
        return {
            "metrics": [each for each in self.metrics if isinstance(each, str)],
            "profiles": list(self.reading.profiles),
            "tasks": [str(each) for each in self.tasks if isinstance(each, Path)],
            "folders": list(map(str, folders)),
        }

    def open(self, on_problem: Callable[[ReadProblem], None] | None) -> OpenedJob:
        """Make the metrics, and read the tasks.

        Args:
            on_problem: Called with whatever of tasks and snapshots cannot be read.

        Raises:
            ConfigurationError: Options contradict each other, or two tasks have one id.
            ReadError: Without ``on_problem``: something cannot be read.
        """
        profiles = self.reading.profiles
        store = self.snapshots
        if self.repos is not None:
            from trajmeter.snapshots import open_repositories

            naming = "contextbench" if "contextbench" in profiles else None
            store = open_repositories(self.repos, cache=self.cache, profile=naming)
        elif isinstance(store, Path):
            store = open_snapshots(store, on_problem=on_problem)
        metrics = create(self.metrics, snapshots=store, profiles=profiles, judge=self.judge)
        tasks = TaskIndex(tasks_from(self.tasks, on_problem=on_problem))
        return OpenedJob(self, metrics, tasks, store)


@dataclass(frozen=True)
class OpenedJob:
    """A job that is ready to score."""

    job: Job
    """What is asked for."""
    metrics: tuple[AnyMetric, ...]
    """The metrics."""
    tasks: TaskIndex
    """The tasks."""
    store: SnapshotStore | None
    """The snapshots."""

    @property
    def layout(self) -> RowLayout:
        """Columns of the rows."""
        return RowLayout(self.metrics)
