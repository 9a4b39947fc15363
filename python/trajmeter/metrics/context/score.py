"""The context metrics of one attempt, against a task that is prepared once."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from trajmeter.arguments import check_type
from trajmeter.metrics.context.edits import EditLocations, edit_locations
from trajmeter.metrics.context.figures import final_figures, step_figures
from trajmeter.metrics.context.lines import with_reversed_lines
from trajmeter.metrics.context.parts import ALL_PARTS, parts_of
from trajmeter.metrics.context.prepared import PreparedTask
from trajmeter.metrics.context.profile import PROFILES
from trajmeter.metrics.context.result import (
    ContextBenchEditLocation,
    ContextResult,
    EditLocation,
    FinalContext,
    FinalFigures,
    LeakFigures,
    TrajectoryContext,
    TrajectoryFigures,
    ViewFigures,
)
from trajmeter.metrics.context.tasks import PreparedTasks
from trajmeter.metrics.profile import find_profile
from trajmeter.records import LEAK_KINDS, Cause, Outcome, Trajectory
from trajmeter.records.record import default_fields, frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.kernels import ContextSizes, ContextTally, TurnLike, ViewLike
    from trajmeter.metrics._result import Group
    from trajmeter.metrics.context.parts import Parts
    from trajmeter.metrics.context.tracker import ContextTracker
    from trajmeter.metrics.registry import Resources
    from trajmeter.records import Leak, Task
    from trajmeter.snapshots import SnapshotStore

    GroupT = TypeVar("GroupT", bound=Group)

__all__ = [
    "ContextMetric",
    "compose",
    "create",
    "measured_lines",
    "score",
    "score_views",
    "without_task",
]

# Groups that could not be scored are alike, and frozen: one of each is enough.
_CAUSES = (
    Cause.MISSING_GOLD,
    Cause.MISSING_SNAPSHOT,
    Cause.MISSING_DEFINITIONS,
    Cause.NO_CONTEXT_EXTRACTED,
    Cause.NO_STEPS,
)


def _unscored(
    group: type[GroupT], outcome: Outcome = Outcome.NOT_SCORED, cause: Cause | None = None
) -> GroupT:
    return frozen(group, default_fields(group, outcome=outcome, cause=cause))


def _by_cause(group: type[GroupT]) -> dict[Cause, GroupT]:
    return {cause: _unscored(group, cause=cause) for cause in _CAUSES}


_NO_FINAL = _by_cause(FinalFigures)
_NO_STEPS = _by_cause(TrajectoryFigures)
_NO_EDITS = _by_cause(EditLocation)
_NO_DELETIONS = _by_cause(ContextBenchEditLocation)
_NO_VIEWS = _by_cause(ViewFigures)

# Groups that were not asked for have no cause.
_UNASKED_FINAL = _unscored(FinalFigures)
_UNASKED_STEPS = _unscored(TrajectoryFigures)
_UNASKED_EDITS = EditLocations(_unscored(EditLocation), _unscored(ContextBenchEditLocation))
_UNASKED_VIEWS = _unscored(ViewFigures)
_UNASKED_LEAKS = _unscored(LeakFigures)
_UNKNOWN_LEAKS = _unscored(LeakFigures, Outcome.ABSTAINED)


class ContextMetric:
    """Scores attempts, each against its task, prepared when the task first occurs.

    Args:
        snapshots: Where repositories are found, if anywhere.
        profile: Compatibility profile; ``None`` is the default.

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
        self._tasks = PreparedTasks(snapshots, self._profile)
        self._parts = ALL_PARTS
        self.batch_columns = ALL_PARTS.columns(self._profile)
        """Columns of trajectories that :meth:`score_batch` reads; the others may be null."""

    def limit_to(self, groups: tuple[str, ...]) -> None:
        """Compute no more than some groups need; the others are ``not_scored`` without a cause."""
        self._parts = parts_of(groups)
        self.batch_columns = self._parts.columns(self._profile)

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile."""
        return {"profile": self._profile.name}

    def score(self, task: Task | None, trajectory: Trajectory) -> ContextResult:
        """Score one attempt; without a task everything is ``missing_gold``."""
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
        """Follow an attempt at a task while it runs."""
        from trajmeter.metrics.context.tracker import ContextTracker

        return ContextTracker(self._tasks.find(task))

    def score_tracked(
        self, tracker: ContextTracker, task: Task, trajectory: Trajectory
    ) -> ContextResult:
        """Score an attempt all of whose steps a tracker has followed, as :meth:`score` does."""
        if self._parts is not ALL_PARTS:
            return self.score(task, trajectory)
        return tracker.result(
            trajectory.final_views, final_patch=trajectory.final_patch, leaks=trajectory.leaks
        )

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]]:
        """Score the attempts of many rows, of which only views and final patches are read."""
        from trajmeter.metrics.context.batch import score_batch

        return score_batch(self._tasks, self._profile, tasks, rows, self._parts)


def create(resources: Resources) -> ContextMetric:
    """Make the context metrics.

    Raises:
        UnknownNameError: The family has no profile of this name.
    """
    return ContextMetric(resources.snapshots, profile=resources.profile)


def score(prepared: PreparedTask, trajectory: Trajectory) -> ContextResult:
    """Score one attempt.

    Args:
        prepared: The task.
        trajectory: The attempt; its final context is that of its final views, or the union of its
            turns where it declares none; by the rules of ContextBench it then has none.

    Raises:
        InputError: An argument is of the wrong type.
        TotalOverflowError: Sizes add up to more than 64 bits hold.
    """
    check_type(prepared, PreparedTask, name="prepared")
    check_type(trajectory, Trajectory, name="trajectory")
    return score_views(
        prepared,
        trajectory.turns,
        trajectory.final_views,
        final_patch=trajectory.final_patch,
        leaks=trajectory.leaks,
    )


def score_views(
    prepared: PreparedTask,
    turns: Sequence[TurnLike] | None,
    final_views: Sequence[ViewLike] | None,
    *,
    final_patch: str | None,
    leaks: Sequence[Leak] | None = None,
    parts: Parts = ALL_PARTS,
) -> ContextResult:
    """Score one attempt, given by its turns, views, patch and leaks, as :func:`score` does."""
    if not parts.need_views(prepared.profile):
        turns = None
    elif not parts.trajectory:
        turns = _one_step(turns)
    if not parts.need_final_views(prepared.profile):
        final_views = None
    if prepared.profile.declared_final_only:
        final_views = final_views or ()
    sizes = prepared.kernel.score(turns, final_views)
    if prepared.profile.counts_reversed_lines:
        views = (turn.views for turn in turns or ())
        steps = (seen for seen in views if seen is not None)
        sizes = measured_lines(prepared, sizes, steps, final_views)
    return compose(prepared, sizes, final_patch, leaks, parts)


class _Step(NamedTuple):
    """A turn, as the kernel reads it."""

    views: Sequence[ViewLike] | None


def _one_step(turns: Sequence[TurnLike] | None) -> Sequence[TurnLike]:
    """All views of some turns as those of one: their union is the same."""
    seen = [turn.views for turn in turns or () if turn.views is not None]
    return [_Step([*chain.from_iterable(seen)])] if seen else []


def measured_lines(
    prepared: PreparedTask,
    sizes: ContextSizes,
    steps: Iterable[Sequence[ViewLike]],
    final_views: Sequence[ViewLike] | None,
) -> ContextSizes:
    """Sizes with reversed ranges of lines counted, where those of gold or of the views matter."""
    return with_reversed_lines(
        sizes,
        steps,
        final_views or (),
        gold=prepared.initial_gold_size,
        resolve=prepared.resolve,
    )


def without_task(
    turns: Sequence[TurnLike] | None,
    leaks: Sequence[Leak] | None = None,
    parts: Parts = ALL_PARTS,
) -> ContextResult:
    """Result of an attempt at a task that is not known."""
    num_steps = sum(turn.views is not None for turn in turns or ())
    return _void(Cause.MISSING_GOLD, num_steps, _leaks(leaks, parts))


def compose(
    prepared: PreparedTask,
    sizes: ContextSizes,
    final_patch: str | None,
    leaks: Sequence[Leak] | None = None,
    parts: Parts = ALL_PARTS,
) -> ContextResult:
    """Make a result of what the kernel measured, and of the final patch."""
    num_steps, has_final_context, tally, final_sizes, step_sizes = sizes
    profile = prepared.profile
    if profile.voids_whole_attempt:
        cause = _void_cause(prepared, has_final_context=has_final_context)
        if cause is not None:
            return _void(cause, num_steps, _leaks(leaks, parts))
    final: dict[str, Any] = {}
    trajectory: dict[str, Any] = {"num_steps": num_steps}
    for (name, missing), last, steps in zip(
        prepared.causes.items(), final_sizes, step_sizes, strict=True
    ):
        if not parts.final:
            final[name] = _UNASKED_FINAL
        elif missing is None and has_final_context:
            final[name] = final_figures(*last, profile)
        else:
            final[name] = _NO_FINAL[missing or Cause.NO_CONTEXT_EXTRACTED]
        if not parts.trajectory:
            trajectory[name] = _UNASKED_STEPS
        elif missing is None and num_steps:
            _, gold_size, _ = last
            # Lines of gold whose size is not above 0 are not the same as none at all.
            has_none = name == "line" and not prepared.initial_gold
            trajectory[name] = step_figures(
                steps,
                gold_size,
                num_steps,
                empty=profile.empty_line_coverage if has_none else profile.empty_ratio,
                empty_redundancy=profile.empty_redundancy,
            )
        else:
            trajectory[name] = _NO_STEPS[missing or Cause.NO_STEPS]
    edits = edit_locations(prepared, final_patch) if parts.edits else _UNASKED_EDITS
    return frozen(
        ContextResult,
        {
            "final": frozen(FinalContext, final),
            "trajectory": frozen(TrajectoryContext, trajectory),
            "edit_location": edits.edited,
            "contextbench_editloc": edits.deleted,
            "views": _views(prepared, tally) if parts.views else _UNASKED_VIEWS,
            "leaks": _leaks(leaks, parts),
        },
    )


def _void_cause(prepared: PreparedTask, *, has_final_context: bool) -> Cause | None:
    """Why a whole attempt is left out, if it is."""
    if not prepared.has_gold:
        return Cause.MISSING_GOLD
    if not prepared.has_snapshot:
        return Cause.MISSING_SNAPSHOT
    return None if has_final_context else Cause.NO_CONTEXT_EXTRACTED


def _void(cause: Cause, num_steps: int, leaks: LeakFigures) -> ContextResult:
    final, steps = _NO_FINAL[cause], _NO_STEPS[cause]
    return ContextResult(
        final=FinalContext(file=final, symbol=final, span=final, line=final),
        trajectory=TrajectoryContext(
            num_steps=num_steps, file=steps, symbol=steps, span=steps, line=steps
        ),
        edit_location=_NO_EDITS[cause],
        contextbench_editloc=_NO_DELETIONS[cause],
        views=_NO_VIEWS[cause],
        leaks=leaks,
    )


def _leaks(leaks: Sequence[Leak] | None, parts: Parts) -> LeakFigures:
    """Leaks by kind, which need no task."""
    if not parts.leaks:
        return _UNASKED_LEAKS
    if leaks is None:
        return _UNKNOWN_LEAKS
    kinds = [leak.kind for leak in leaks]
    counts = {name: kinds.count(name) for name in LEAK_KINDS}
    figures = {"outcome": Outcome.SCORED, "cause": None, "total": len(kinds), **counts}
    return frozen(LeakFigures, figures)


def _views(prepared: PreparedTask, tally: ContextTally) -> ViewFigures:
    total, unresolved_paths, empty_ranges, leaked_patches = tally
    return frozen(
        ViewFigures,
        {
            "outcome": Outcome.SCORED,
            "cause": None,
            "total": total,
            "unresolved_paths": unresolved_paths if prepared.has_snapshot else None,
            "unresolved_gold_paths": prepared.unresolved_gold_paths,
            "empty_ranges": empty_ranges,
            "leaked_patches": leaked_patches,
        },
    )
