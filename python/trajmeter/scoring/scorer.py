"""Scoring attempts inside a program: set up once, for any number of attempts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import as_iterable, check_type
from trajmeter.errors import InputError
from trajmeter.metrics import Scored, create
from trajmeter.metrics.context.score import ContextMetric
from trajmeter.metrics.engine import FATAL, score_attempt
from trajmeter.metrics.registry import listed_names
from trajmeter.records import Task, Trajectory
from trajmeter.scoring.records import RecordScorer
from trajmeter.scoring.sources import DEFAULT_METRICS, open_store, tasks_from
from trajmeter.system.forks import lock_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.metrics import AnyMetric, Result, RowLayout
    from trajmeter.metrics._protocol import AssertionJudge
    from trajmeter.metrics.context import ContextTracker
    from trajmeter.metrics.named_figures import NamedFigure
    from trajmeter.readers.tool_views import ToolViews
    from trajmeter.scoring.sessions.session import Session
    from trajmeter.scoring.sources import RecordSource
    from trajmeter.snapshots import SnapshotStore
    from trajmeter.summaries.summary import Summary

__all__ = ["Scorer"]


class Scorer:
    """Scores attempts in a harness, each in microseconds. Every method is thread-safe.

    Pickling keeps only its arguments: an unpickled scorer is set up again and starts without
    counts.

    Args:
        metrics: Name of a metric, or a list of names, ``file.py@name`` and metric objects, in the
            order of their columns.
        tasks: Files in any known format, or tasks, with the references for scoring.
        snapshots: A file or a folder of snapshots, or a store of them, for metrics that need
            repositories.
        profiles: Compatibility profiles, at most one for each metric.
        judge: Judge for assertions that no rule can grade.

    Raises:
        UnknownNameError: A metric or profile is unknown.
        ConfigurationError: Two options contradict each other, or two tasks have the same id.
        InputError: An argument has the wrong type.
        ReadError: A file cannot be read.
        ExtraMissingError: A metric or a file needs an extra that is not installed.

    Example:
        >>> import trajmeter
        >>> from trajmeter.records import GoldRange, Task
        >>> gold = (GoldRange(path="a.py", first_line=1, last_line=4),)
        >>> scorer = trajmeter.Scorer(["context", "turns"], tasks=[Task(id="t", gold_ranges=gold)])
        >>> with scorer.session("t", agent="mine") as session:
        ...     turn = session.turn()
        ...     session.view("a.py", 3, 9)
        ...     covered = session.live.coverage.line
        ...     scored = session.finish(output="done")
        >>> covered, scored.figure("context.line.coverage").value
        (0.5, 0.5)
    """

    layout: RowLayout
    """Columns of the rows."""

    def __init__(
        self,
        metrics: str | Iterable[str | AnyMetric] = DEFAULT_METRICS,
        *,
        tasks: RecordSource[Task] = (),
        snapshots: str | Path | SnapshotStore | None = None,
        profiles: str | Iterable[str] = (),
        judge: AssertionJudge | None = None,
    ) -> None:
        metrics = metrics if isinstance(metrics, str) else [*listed_names(metrics, "metrics")]
        profiles = profiles if isinstance(profiles, str) else [*listed_names(profiles, "profiles")]
        if judge is not None and not callable(judge):
            raise InputError(f"judge is {judge!r}, expected a function, or None")
        if not isinstance(tasks, (str, Path)) and isinstance(tasks, Iterable):
            tasks = [*tasks]
        self._arguments = (metrics, tasks, snapshots, profiles, judge)
        store = open_store(snapshots)
        created = create(metrics, snapshots=store, profiles=profiles, judge=judge)
        self._recorder = RecordScorer(created, tasks=tasks_from(tasks))
        self._lock = lock_for(self)
        self._context = next((each for each in created if isinstance(each, ContextMetric)), None)
        self.layout = self._recorder.layout

    def __reduce__(self) -> tuple[Any, ...]:
        """Set the scorer up again after unpickling."""
        return _again, self._arguments

    def __repr__(self) -> str:
        """The metrics and the number of tasks."""
        from trajmeter.reports.cells import counted

        names = ", ".join(family.name for family in self.layout.families)
        return f"<Scorer: {names}; {counted(len(self._recorder.tasks), 'task')}>"

    def score(self, trajectory: Trajectory, *, task: Task | None = None) -> Scored:
        """Score one attempt, and count it in the summary.

        Args:
            trajectory: The attempt. A metric that compares the attempts at a task sees only this
                one; :meth:`score_all` passes them together.
            task: Its task; by default that of its ``task_id``.

        Raises:
            InputError: An argument has the wrong type.
        """
        check_type(trajectory, Trajectory, name="trajectory")
        if task is None:
            task = self.find_task(trajectory.task_id)
        else:
            check_type(task, Task, name="task")
        return self.count(task, trajectory)

    def score_all(self, trajectories: Iterable[Trajectory]) -> Iterator[Scored]:
        """Score attempts as they arrive, and count them in the summary.

        If a metric compares the attempts at a task, all are read before the first is scored.

        Raises:
            InputError: It is not a list of trajectories.
        """
        trajectories = as_iterable(
            trajectories, "a list of Trajectory records", name="trajectories"
        )
        if any(hasattr(metric, "score_trial") for metric in self._recorder.metrics):
            trajectories = [*trajectories]  # the iterable may use this scorer itself
            with self._lock:
                together = [scored for scored, _ in self._recorder.score(trajectories)]
            yield from together
            return
        for trajectory in trajectories:
            yield self.score(trajectory)

    def session(
        self,
        task: str | Task,
        *,
        agent: str | None = None,
        model: str | None = None,
        attempt: str | None = None,
        views: ToolViews | None = None,
    ) -> Session:
        """Begin to record one attempt while it runs.

        Args:
            task: The task, or its id.
            agent: Name of the agent.
            model: Name of the model.
            attempt: Distinguishes repeated attempts.
            views: What tool calls show of files, as
                :func:`~trajmeter.readers.tool_views.tool_views` defines; by default, only
                :meth:`Session.view` records views.

        Raises:
            InputError: An argument has the wrong type.
        """
        if not isinstance(task, str):
            check_type(task, Task, name="task")
        if views is not None:
            from trajmeter.readers.tool_views import ToolViews

            check_type(views, ToolViews, name="views")
        from trajmeter.scoring.sessions.session import Session  # not needed to score whole attempts

        return Session(self, task, {"agent": agent, "model": model, "attempt": attempt}, views)

    def summary(self) -> Summary:
        """Averages over the attempts scored so far, with what was not scored and why."""
        with self._lock:
            return self._recorder.summary()

    def figure(self, name: str) -> NamedFigure:
        """Find a figure by its column or short name, to read it from any number of attempts.

        Raises:
            UnknownNameError: There is no such figure; the nearest is named.
            InputError: The name is not text, or matches several figures.
        """
        return self.layout.figure(name)

    def find_task(self, task_id: str) -> Task | None:
        """The task with an id or an alias; ``None`` if it is unknown."""
        return self._recorder.tasks.find(task_id)

    def tracker(self, task: Task | None) -> ContextTracker | None:
        """Track the views of an attempt; ``None`` if context is not or cannot be scored."""
        if self._context is None or task is None:
            return None
        try:
            return self._context.tracker(task)
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - an unreadable snapshot, which the score will report
            return None

    def scored(
        self, task: Task | None, trajectory: Trajectory, tracker: ContextTracker | None = None
    ) -> Scored:
        """Score an attempt without counting it.

        Args:
            task: Its task.
            trajectory: The attempt.
            tracker: The tracker of all its views, if any.
        """
        return self.layout.fitted(self._raw(task, trajectory, tracker))[0]

    def count(
        self, task: Task | None, trajectory: Trajectory, tracker: ContextTracker | None = None
    ) -> Scored:
        """Score an attempt and count it in the summary; see :meth:`scored`."""
        scored, values = self.layout.fitted(self._raw(task, trajectory, tracker))
        with self._lock:
            self._recorder.count(scored, values)
        return scored

    def _raw(
        self, task: Task | None, trajectory: Trajectory, tracker: ContextTracker | None
    ) -> Scored:
        metrics: Sequence[AnyMetric] = self._recorder.metrics
        if tracker is not None and self._context is not None:
            followed = _Followed(self._context, tracker)
            metrics = [followed if each is self._context else each for each in metrics]
        return Scored(task, trajectory, score_attempt(task, trajectory, metrics), self.layout)


class _Followed:
    """The context metric of an attempt whose views were tracked while it ran."""

    name = ContextMetric.name
    version = ContextMetric.version
    requires = ContextMetric.requires
    result_type = ContextMetric.result_type

    def __init__(self, metric: ContextMetric, tracker: ContextTracker) -> None:
        self._metric = metric
        self._tracker = tracker

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The metric's parameters."""
        return self._metric.parameters

    def score(self, task: Task | None, trajectory: Trajectory) -> Result:
        """Score the one attempt."""
        if task is None:
            return self._metric.score(task, trajectory)
        return self._metric.score_tracked(self._tracker, task, trajectory)


def _again(
    metrics: str | Iterable[str | AnyMetric],
    tasks: RecordSource[Task],
    snapshots: str | Path | SnapshotStore | None,
    profiles: str | Iterable[str],
    judge: AssertionJudge | None,
) -> Scorer:
    return Scorer(metrics, tasks=tasks, snapshots=snapshots, profiles=profiles, judge=judge)
