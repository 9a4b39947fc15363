"""Scores attempts as objects, in a harness or with metrics that have no batch form."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from trajmeter.metrics import RowLayout, TaskIndex, score_trajectories
from trajmeter.scoring.missing import MissingTaskCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trajmeter.metrics import AnyMetric, Scored
    from trajmeter.records import Task, Trajectory
    from trajmeter.summaries.summarizer import Summarizer
    from trajmeter.summaries.summary import Summary

__all__ = ["RecordScorer"]

_AT_ONCE = 64
"""Number of attempts to score before they are counted."""


class RecordScorer:
    """Scores and summarizes attempts as they arrive, without keeping them.

    Args:
        metrics: Metrics, in the order of their columns.
        tasks: Tasks with their references.

    Raises:
        ConfigurationError: Two tasks have the same id, or two columns the same name.
    """

    layout: RowLayout
    """Columns of the rows."""

    metrics: Sequence[AnyMetric]
    """The metrics, in the order of their columns."""
    tasks: TaskIndex
    """The tasks by their ids and aliases."""

    def __init__(self, metrics: Sequence[AnyMetric], *, tasks: Iterable[Task] = ()) -> None:
        self.metrics = metrics
        self.tasks = TaskIndex(tasks)
        self._missing = MissingTaskCounter(metrics, self.tasks)
        self.layout = RowLayout(metrics)
        if not all(metric.result_type.__module__.startswith("trajmeter.") for metric in metrics):
            from trajmeter.summaries._figures import summarized_figures

            summarized_figures(self.layout)  # fails now if the metrics cannot be summarized
        self._uncounted: list[tuple[Scored, list[Any]]] = []

    def score(self, trajectories: Iterable[Trajectory]) -> Iterator[tuple[Scored, list[Any]]]:
        """Score attempts and count them in the summary.

        Yields:
            Each attempt with its results, and its row in the order of the layout's columns.
        """
        for each in score_trajectories(
            trajectories, metrics=self.metrics, tasks=self.tasks, layout=self.layout
        ):
            scored, values = self.layout.fitted(each)
            self.count(scored, values)
            yield scored, values

    def count(self, scored: Scored, values: list[Any]) -> None:
        """Count an attempt in the summary, with its row in the layout's columns."""
        self._uncounted.append((scored, values))
        if len(self._uncounted) == _AT_ONCE:
            self._count()
        if scored.task is None:
            self._missing.add([scored.trajectory.task_id], 1)

    def summary(self) -> Summary:
        """Summarize the attempts scored so far."""
        self._count()
        return self._missing.added_to(self._summarizer.summary())

    @cached_property
    def _summarizer(self) -> Summarizer:
        # Imported on demand: importing it takes longer than scoring one attempt.
        from trajmeter.summaries.summarizer import Summarizer

        return Summarizer(self.layout)

    def _count(self) -> None:
        for scored, values in self._uncounted:
            self._summarizer.add(scored, values)
        self._uncounted = []
