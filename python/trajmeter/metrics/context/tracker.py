"""Scores an attempt while it runs."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

from trajmeter.arguments import check_type, records
from trajmeter.kernels import GRANULARITIES
from trajmeter.metrics.context.composing import compose, measured_lines
from trajmeter.metrics.context.prepared import PreparedTask
from trajmeter.records import View

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import StepCoverage
    from trajmeter.metrics.context.result import ContextResult
    from trajmeter.records import Leak

__all__ = ["ContextTracker"]

_LINE = GRANULARITIES.index("line")


class ContextTracker:
    """Follows one attempt turn by turn, inside a harness. All methods are thread-safe.

    Args:
        prepared: The prepared task.

    Raises:
        InputError: It is not a prepared task.

    Example:
        >>> from trajmeter import ContextTracker, prepare
        >>> from trajmeter.records import GoldRange, Task, View
        >>> gold = (GoldRange(path="a.py", first_line=1, last_line=4),)
        >>> tracker = ContextTracker(prepare(Task(id="t", gold_ranges=gold), None))
        >>> tracker.update([View(path="a.py", extent="lines", start=3, end=9)]).line
        0.5
        >>> tracker.update([View(path="a.py", extent="lines", start=1, end=2)]).line
        1.0
        >>> tracker.result().trajectory.line.auc_coverage
        0.75
    """

    def __init__(self, prepared: PreparedTask) -> None:
        check_type(prepared, PreparedTask, name="prepared")
        self._prepared = prepared
        self._kernel = prepared.kernel.tracker()
        self._steps: list[Sequence[View]] = []
        self._open: list[View] = []
        self._lock = Lock()  # the kernel refuses a second thread while one is in it

    def __reduce__(self) -> tuple[Any, ...]:
        """Replay the same steps in the process that unpickles it."""
        with self._lock:
            return _resume, (self._prepared, [*self._steps], [*self._open])

    def update(self, views: Sequence[View]) -> StepCoverage:
        """Add the views of one turn, even if empty, as a step.

        Returns:
            The number of the step, and the share of gold seen so far at each granularity.

        Raises:
            InputError: The views are not a list of views; nothing is added.
            TotalOverflowError: The sum of sizes overflows a 64-bit integer.
        """
        views = records(views, View, name="views")
        with self._lock:
            coverage = self._kernel.update(views)
            self._steps.append((*self._open, *views))  # a rejected step does not count
            self._open = []
        return coverage

    def view(self, *views: View) -> None:
        """Add views to the open step, or open one; :meth:`update` and :meth:`end_step` end it.

        Raises:
            InputError: A view has no valid extent; nothing is added.
        """
        with self._lock:
            self._kernel.view(views)
            self._open += views

    def end_step(self, *views: View) -> None:
        """End the open step after adding these views; if none is open, add them as a step.

        Raises:
            InputError: A view has no valid extent; nothing is added, and the step stays open.
        """
        with self._lock:
            if views:
                self._kernel.view(views)
            self._kernel.close_step()
            self._steps.append((*self._open, *views) if self._open else views)
            self._open = []

    @property
    def coverage(self) -> StepCoverage:
        """Share of gold seen so far, including the open step; ``None`` before the first step."""
        with self._lock:
            return self._kernel.coverage()

    @property
    def redundancy(self) -> float | None:
        """Share of viewed lines that an earlier step had shown, 0 to 1, over finished steps."""
        with self._lock:
            viewed, repeated = self._kernel.viewed[_LINE], self._kernel.repeated[_LINE]
        return repeated / viewed if viewed else None

    def result(
        self,
        final_views: Sequence[View] | None = None,
        *,
        final_patch: str | None = None,
        leaks: Sequence[Leak] | None = None,
    ) -> ContextResult:
        """Score the finished steps as if the attempt had ended.

        Args:
            final_views: The context that the agent declares at the end. Without it, the final
                context is the union of the turns or, for ContextBench, empty.
            final_patch: The final patch, if any.
            leaks: Parts of the solution that the agent read; ``None`` if unknown.

        Returns:
            The result of :func:`score` for a trajectory of the same turns, final views and patch.

        Raises:
            InputError: The views are not a list of views, or the patch is not text.
            TotalOverflowError: The sum of sizes overflows a 64-bit integer.
        """
        if final_views is not None:
            final_views = records(final_views, View, name="final_views")
        if final_patch is not None:
            check_type(final_patch, str, name="final_patch")
        if self._prepared.profile.declared_final_only:
            final_views = final_views or ()
        with self._lock:
            sizes = self._kernel.sizes(final_views)
            steps = [*self._steps] if self._prepared.profile.counts_reversed_lines else []
        if self._prepared.profile.counts_reversed_lines:
            sizes = measured_lines(self._prepared, sizes, steps, final_views)
        return compose(self._prepared, sizes, final_patch, leaks)


def _resume(
    prepared: PreparedTask, steps: Sequence[Sequence[View]], views: Sequence[View]
) -> ContextTracker:
    tracker = ContextTracker(prepared)
    for step in steps:
        tracker.update(step)
    if views:
        tracker.view(*views)
    return tracker
