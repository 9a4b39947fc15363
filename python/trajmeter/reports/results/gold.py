"""Gold of tasks for the turns of a report: the share seen so far, and new gold by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.reports.cells import NOTHING, percent
from trajmeter.reports.page.attempts import DetailBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics import TaskIndex
    from trajmeter.metrics.context import ContextTracker, PreparedTask
    from trajmeter.metrics.context.tasks import PreparedTasks
    from trajmeter.records import Task, Trajectory, View
    from trajmeter.snapshots import SnapshotStore

__all__ = ["Gold", "GoldOfTask"]

_HELD = 1_024
"""Number of tasks whose gold is kept."""
_RANGES = 100
"""Maximum number of gold ranges that are tracked individually."""
_EVENTS = ("file", "lines", "all")
_HEADER = ("gold", "file seen at", "first lines at", "all lines at", "lines seen")


class GoldOfTask:
    """The gold of one task."""

    def __init__(self, task: Task, prepared: PreparedTasks) -> None:
        self._whole = prepared.find(task)
        self._ranges = prepared.find_parts(task, _RANGES)

    def tracker(self) -> ContextTracker:
        """Create a tracker of the share of all gold, for one trajectory."""
        from trajmeter.metrics.context import ContextTracker

        return ContextTracker(self._whole)

    def found(self, trajectory: Trajectory) -> DetailBlock | None:
        """The turn at which each range was seen; ``None`` if no turn recorded views."""
        viewing = [
            (position if turn.number is None else turn.number, turn.views)
            for position, turn in enumerate(trajectory.turns or (), 1)
            if turn.views is not None
        ]
        if not viewing or not self._ranges:
            return None
        rows = tuple(_found(prepared, viewing) for prepared in self._ranges)
        return DetailBlock("gold", (), _HEADER, rows, (4,))


def _found(
    prepared: PreparedTask, viewing: Sequence[tuple[int, Sequence[View]]]
) -> tuple[str, ...]:
    """One gold range, the turns at which it was seen, and the share of its lines seen."""
    from trajmeter.metrics.context import ContextTracker

    (written,) = prepared.task.gold_ranges or ()
    tracker = ContextTracker(prepared)
    firsts: dict[str, int] = {}
    share = None
    for number, views in viewing:
        seen = tracker.update(views)
        share = seen.line
        for name, is_seen in (
            ("file", bool(seen.file)),
            ("lines", bool(seen.line)),
            ("all", seen.line == 1.0),
        ):
            if is_seen:
                firsts.setdefault(name, number)
    turns = (f"turn {firsts[name]}" if name in firsts else "never" for name in _EVENTS)
    label = f"{written.path}:{written.first_line}-{written.last_line}"
    return (label, *turns, NOTHING if share is None else str(percent(share)))


class Gold:
    """Gold of tasks, compiled when an attempt is read.

    Args:
        tasks: The tasks.
        snapshots: Their repositories, for bytes and definitions; ``None`` without any.
    """

    def __init__(self, tasks: TaskIndex, snapshots: SnapshotStore | None = None) -> None:
        from trajmeter.metrics.context.profile import PROFILES
        from trajmeter.metrics.context.tasks import PreparedTasks
        from trajmeter.metrics.profile import find_profile

        self._tasks = tasks
        self._prepared = PreparedTasks(snapshots, find_profile("context", None, PROFILES))
        self._held: dict[str, GoldOfTask] = {}

    def task(self, trajectory: Trajectory) -> Task | None:
        """The attempted task; ``None`` if unknown."""
        return self._tasks.find(trajectory.task_id)

    def of(self, task: Task) -> GoldOfTask | None:
        """The gold of a task; ``None`` without any."""
        if task.gold_ranges is None:
            return None
        held = self._held.pop(task.id, None) or GoldOfTask(task, self._prepared)
        if len(self._held) >= _HELD:
            del self._held[next(iter(self._held))]  # the least recently used one
        self._held[task.id] = held
        return held
