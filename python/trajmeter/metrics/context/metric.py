"""The context metrics as a family of the registry."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from trajmeter.metrics.context.prepared import PreparedTask, prepare, rules_of
from trajmeter.metrics.context.results import ContextResult
from trajmeter.metrics.context.scoring import score, score_views, without_task

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.metrics.registry import Resources
    from trajmeter.records import Task, Trajectory
    from trajmeter.snapshots import SnapshotStore

__all__ = ["ContextMetric", "create"]

# Attempts at one task usually follow one another; files of several agents interleave tasks.
_KEPT = 256


class ContextMetric:
    """Scores attempts, each against its task, prepared when the task first occurs.

    Args:
        snapshots: Where repositories are found, if anywhere.
        profile: Compatibility profile; ``None`` is the default.

    Raises:
        UnknownNameError: There is no profile of this name.
    """

    name = "context"
    version = "1"
    requires = ("Task.gold_ranges", "Task.gold_patch", "Resources.snapshots")
    result_type = ContextResult

    def __init__(self, snapshots: SnapshotStore | None, profile: str | None) -> None:
        self._snapshots = snapshots
        rules_of(profile)
        self._profile = profile
        self._prepared: OrderedDict[int, PreparedTask] = OrderedDict()

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile."""
        return {"profile": self._profile}

    def score(self, task: Task | None, trajectory: Trajectory) -> ContextResult:
        """Score one attempt; without a task everything is ``missing_gold``."""
        if task is None:
            return without_task(trajectory.turns)
        return score(self._prepare(task), trajectory)

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Iterator[ContextResult]:
        """Score the attempts of many rows, of which only views and the final patch are read."""
        from trajmeter.metrics.context.batches import viewed_rows

        return (
            without_task(steps)
            if task is None
            else score_views(self._prepare(task), steps, final_views, final_patch=final_patch)
            for task, (steps, final_views, final_patch) in zip(
                tasks, viewed_rows(rows), strict=True
            )
        )

    def _prepare(self, task: Task) -> PreparedTask:
        prepared = self._prepared.get(id(task))
        if prepared is None or prepared.task is not task:
            snapshot = None if self._snapshots is None else self._snapshots.find(task)
            prepared = prepare(task, snapshot, profile=self._profile)
            self._prepared[id(task)] = prepared
            if len(self._prepared) > _KEPT:
                self._prepared.popitem(last=False)
        self._prepared.move_to_end(id(task))
        return prepared


def create(resources: Resources) -> ContextMetric:
    """Make the context metrics.

    Raises:
        UnknownNameError: The family has no profile of this name.
    """
    return ContextMetric(resources.snapshots, resources.profile)
