"""Coverage and redundancy of a session's views, tracked turn by turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.metrics.engine import FATAL
from trajmeter.scoring.sessions.live import NoCoverage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from trajmeter.kernels import StepCoverage
    from trajmeter.metrics.context import ContextTracker
    from trajmeter.records import View

__all__ = ["ViewTracking"]

_NO_COVERAGE = NoCoverage()


class ViewTracking:
    """Follows the views of a session; its caller holds a lock.

    Views that cannot be tracked end the tracking; scoring reports what is wrong with them.

    Args:
        begin: Begins to track views; returns ``None`` if gold is unknown.
    """

    is_stale = False
    """Whether a finished turn has changed, so that all views must be tracked again."""
    _followed = 0
    """Number of the open turn's views already tracked."""
    _has_ended = False
    """Whether a turn has ended since redundancy was last requested."""
    _redundancy: float | None = None
    _coverage: StepCoverage | None = None
    """Coverage of gold; ``None`` if more views were tracked since."""

    def __init__(self, begin: Callable[[], ContextTracker | None]) -> None:
        self._begin = begin
        self.tracker = begin()
        """The tracker; ``None`` if gold is unknown, or views cannot be tracked."""

    def __getstate__(self) -> dict[str, Any]:
        """Omit the tracker, which is rebuilt after unpickling."""
        return {**self.__dict__, "tracker": None, "is_stale": True, "_coverage": None}

    def end_turn(self, views: Sequence[View] | None) -> None:
        """End the open turn.

        Args:
            views: All its views; ``None`` if the turn does not count as a step.
        """
        if self.is_stale or self.tracker is None or views is None:
            return
        followed = self._followed
        self._track(self.tracker.end_step, *(views[followed:] if followed else views))
        self._followed = 0
        self._has_ended, self._coverage = True, None

    def follow(self, views: Sequence[View] | None) -> None:
        """Track those views of the open turn that were added since the last call."""
        if self.tracker is None or views is None or len(views) == self._followed:
            return
        self._track(self.tracker.view, *views[self._followed :])
        self._followed, self._coverage = len(views), None

    def restart(self, ended: Iterable[Sequence[View] | None], views: Sequence[View] | None) -> None:
        """Track all views again.

        Args:
            ended: Views of each turn that has ended.
            views: Views of the open turn, if there is one.
        """
        self.tracker = self._begin()
        self.is_stale, self._has_ended = False, True
        self._followed, self._coverage = 0, None
        for step in ended:
            if step is not None and self.tracker is not None:
                self._track(self.tracker.update, step)
        self.follow(views)

    def figures(self) -> tuple[StepCoverage, float | None]:
        """Coverage of gold by all views tracked, and their redundancy over the finished turns."""
        tracker = self.tracker
        if self._has_ended:
            self._has_ended = False
            self._redundancy = None if tracker is None else tracker.redundancy
        coverage = self._coverage
        if coverage is None:
            coverage = self._coverage = _NO_COVERAGE if tracker is None else tracker.coverage
        return coverage, self._redundancy

    def _track(self, add: Callable[..., object], *views: object) -> None:
        try:
            add(*views)
        except FATAL:
            raise
        except Exception:  # noqa: BLE001 - scoring reports what is wrong with them
            self.tracker = None
