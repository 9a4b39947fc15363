"""Counts attempts whose task is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.metrics import AnyMetric, TaskIndex
    from trajmeter.summaries.summary import Summary

__all__ = ["MissingTaskCounter"]

_SHOWN_IDS = 3
"""Number of unknown task ids to list in a summary."""


class MissingTaskCounter:
    """Counts attempts without a task, if a metric needs one.

    Args:
        metrics: The metrics that score.
        tasks: Every known task.
    """

    is_needed: bool
    """Whether a metric needs tasks."""

    def __init__(self, metrics: Sequence[AnyMetric], tasks: TaskIndex) -> None:
        self._tasks = tasks
        self.is_needed = any(
            field.startswith("Task.") for metric in metrics for field in metric.requires
        )
        self._attempts = 0
        self._known = len(tasks)
        self._first_ids: dict[str, None] = {}

    def add(self, task_ids: Iterable[str], attempts: int) -> None:
        """Count attempts without a task.

        Args:
            task_ids: Their ids, each at least once.
            attempts: Number of attempts.
        """
        if not self.is_needed or not attempts:
            return
        self._attempts += attempts
        for task_id in task_ids:
            if len(self._first_ids) == _SHOWN_IDS:
                return
            self._first_ids[task_id] = None

    def state(self) -> dict[str, Any]:
        """The counts, for :meth:`merge`."""
        return {"attempts": self._attempts, "ids": [*self._first_ids], "known": len(self._tasks)}

    def merge(self, state: Mapping[str, Any]) -> None:
        """Add the counts of later attempts."""
        self.add(state["ids"], state["attempts"])
        self._known = max(self._known, state["known"])

    def added_to(self, summary: Summary) -> Summary:
        """The summary with the number of attempts without a task."""
        if not self._attempts:
            return summary
        from trajmeter.summaries.summary import MissingTasks

        fields = {
            "attempts": self._attempts,
            "nearest": {task_id: self._tasks.nearest(task_id) for task_id in self._first_ids},
            "known": self._known,
        }
        missing = frozen(MissingTasks, fields)
        return summary.model_copy(update={"missing_tasks": missing})
