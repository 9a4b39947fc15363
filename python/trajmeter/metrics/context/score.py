"""The context metrics of an attempt.

What computes them is imported when the first attempt is scored, while files are already being read.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import check_type
from trajmeter.metrics.context.parts import ALL_PARTS, parts_of
from trajmeter.metrics.context.profile import PROFILES
from trajmeter.metrics.context.result import ContextResult
from trajmeter.metrics.profile import find_profile
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.metrics.context.tasks import PreparedTasks
    from trajmeter.metrics.context.tracker import ContextTracker
    from trajmeter.metrics.registry import Resources
    from trajmeter.records import Task
    from trajmeter.snapshots import SnapshotStore

__all__ = ["ContextMetric", "create", "score"]


class ContextMetric:
    """Scores attempts against their tasks, which are prepared on first use.

    Args:
        snapshots: Store to find repositories in; ``None`` scores without snapshots.
        profile: Compatibility profile; ``None`` for the default.

    Raises:
        UnknownNameError: The profile is unknown.
    """

    name = "context"
    version = "1"
    requires = ("Task.gold_ranges", "Task.gold_patch", "Resources.snapshots")
    result_type = ContextResult

    def __init__(
        self, snapshots: SnapshotStore | None = None, *, profile: str | None = None
    ) -> None:
        self._profile = find_profile("context", profile, PROFILES)
        self._snapshots = snapshots
        self._parts = ALL_PARTS
        self.batch_columns = ALL_PARTS.columns(self._profile)
        """Columns of trajectories that :meth:`score_batch` reads; the others may be null."""

    @cached_property
    def _tasks(self) -> PreparedTasks:
        from trajmeter.metrics.context.tasks import PreparedTasks

        return PreparedTasks(self._snapshots, self._profile)

    def limit_to(self, groups: tuple[str, ...]) -> None:
        """Compute only the given groups; the others are ``not_scored`` without a cause."""
        self._parts = parts_of(groups)
        self.batch_columns = self._parts.columns(self._profile)

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile."""
        return {"profile": self._profile.name}

    def score(self, task: Task | None, trajectory: Trajectory) -> ContextResult:
        """Score one attempt; without a task, everything is ``missing_gold``."""
        from trajmeter.metrics.context.composing import without_task
        from trajmeter.metrics.context.views_score import score_views

        if task is None:
            return without_task(trajectory.turns, trajectory.leaks, self._parts)
        return score_views(
            self._tasks.find(task),
            trajectory.turns,
            trajectory.final_views,
            final_patch=trajectory.final_patch,
            leaks=trajectory.leaks,
            parts=self._parts,
        )

    def tracker(self, task: Task) -> ContextTracker:
        """Create a tracker for an attempt at a task while it runs."""
        from trajmeter.metrics.context.tracker import ContextTracker

        return ContextTracker(self._tasks.find(task))

    def score_tracked(
        self, tracker: ContextTracker, task: Task, trajectory: Trajectory
    ) -> ContextResult:
        """Score an attempt whose steps a tracker has followed; same result as :meth:`score`."""
        if self._parts is not ALL_PARTS:
            return self.score(task, trajectory)
        return tracker.result(
            trajectory.final_views, final_patch=trajectory.final_patch, leaks=trajectory.leaks
        )

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]]:
        """Score a batch of attempts; only the columns in :attr:`columns` are read."""
        from trajmeter.metrics.context.batch import score_batch

        return score_batch(self._tasks, self._profile, tasks, rows, self._parts)


def create(resources: Resources) -> ContextMetric:
    """Create the context metrics.

    Raises:
        UnknownNameError: The family has no profile of this name.
    """
    return ContextMetric(resources.snapshots, profile=resources.profile)


def score(prepared: PreparedTask, trajectory: Trajectory) -> ContextResult:
    """Score one attempt.

    Args:
        prepared: The task.
        trajectory: The attempt. Its final context consists of its final views or, if it declares
            none, of all views in its turns; ContextBench then has no final context.

    Raises:
        InputError: An argument has the wrong type.
        TotalOverflowError: The sum of sizes overflows a 64-bit integer.
    """
    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.metrics.context.views_score import score_views

    check_type(prepared, PreparedTask, name="prepared")
    check_type(trajectory, Trajectory, name="trajectory")
    return score_views(
        prepared,
        trajectory.turns,
        trajectory.final_views,
        final_patch=trajectory.final_patch,
        leaks=trajectory.leaks,
    )
