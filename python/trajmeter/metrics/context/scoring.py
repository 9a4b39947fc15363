"""Scoring one attempt against a prepared task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from trajmeter.metrics.context.edits import edit_locations
from trajmeter.metrics.context.figures import CONTEXTBENCH, DEFAULT
from trajmeter.metrics.context.results import (
    ContextBenchEditLocation,
    ContextResult,
    EditLocation,
    FinalContext,
    FinalFigures,
    TrajectoryContext,
    TrajectoryFigures,
    ViewFigures,
)
from trajmeter.metrics.context.reversed_lines import with_reversed_lines
from trajmeter.records import Cause, Outcome
from trajmeter.records.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import ContextSizes, ContextTally, TurnLike, ViewLike
    from trajmeter.metrics._result import Group
    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.records import Trajectory

    GroupT = TypeVar("GroupT", bound=Group)

__all__ = ["compose", "score", "score_views", "without_task"]

# Groups that could not be scored are alike, and frozen: one of each is enough.
_CAUSES = (
    Cause.MISSING_GOLD,
    Cause.MISSING_SNAPSHOT,
    Cause.NO_CONTEXT_EXTRACTED,
    Cause.NO_STEPS,
)


def _unscored(group: type[GroupT]) -> dict[Cause, GroupT]:
    return {cause: group(outcome=Outcome.NOT_SCORED, cause=cause) for cause in _CAUSES}


_NO_FINAL = _unscored(FinalFigures)
_NO_STEPS = _unscored(TrajectoryFigures)
_NO_EDITS = _unscored(EditLocation)
_NO_DELETIONS = _unscored(ContextBenchEditLocation)
_NO_VIEWS = _unscored(ViewFigures)


def score(prepared: PreparedTask, trajectory: Trajectory) -> ContextResult:
    """Score one attempt.

    Args:
        prepared: The task.
        trajectory: The attempt; its final context is that of its final views, or the union of its
            turns where it declares none; by the rules of ContextBench it then has none.

    Raises:
        TotalOverflowError: Sizes add up to more than 64 bits hold.
        ExtraMissingError: It has a final patch, and the extra ``patches`` is not installed.
    """
    return score_views(
        prepared, trajectory.turns, trajectory.final_views, final_patch=trajectory.final_patch
    )


def score_views(
    prepared: PreparedTask,
    turns: Sequence[TurnLike] | None,
    final_views: Sequence[ViewLike] | None,
    *,
    final_patch: str | None,
) -> ContextResult:
    """Score one attempt, given by its parts, as :func:`score` does."""
    if prepared.rules == "as_written":
        final_views = final_views or ()
        sizes = prepared.kernel.score(turns, final_views)
        views = (turn.views for turn in turns or ())
        steps = (seen for seen in views if seen is not None)
        sizes = with_reversed_lines(sizes, prepared, steps, final_views)
    else:
        sizes = prepared.kernel.score(turns, final_views)
    return compose(prepared, sizes, final_patch)


def without_task(turns: Sequence[TurnLike] | None) -> ContextResult:
    """Result of an attempt at a task that is not known."""
    num_steps = sum(turn.views is not None for turn in turns or ())
    return _void(Cause.MISSING_GOLD, num_steps)


def compose(prepared: PreparedTask, sizes: ContextSizes, final_patch: str | None) -> ContextResult:
    """Make a result of what the kernel measured, and of the final patch."""
    num_steps, has_final_context, tally, final_sizes, step_sizes = sizes
    conventions = DEFAULT
    if prepared.rules == "as_written":
        cause = _contextbench_cause(prepared, has_final_context=has_final_context)
        if cause is not None:
            return _void(cause, num_steps)
        conventions = CONTEXTBENCH
    final: dict[str, Any] = {}
    trajectory: dict[str, Any] = {"num_steps": num_steps}
    for (name, missing), last, steps in zip(
        prepared.causes.items(), final_sizes, step_sizes, strict=True
    ):
        if missing is None and has_final_context:
            final[name] = conventions.final(*last)
        else:
            final[name] = _NO_FINAL[missing or Cause.NO_CONTEXT_EXTRACTED]
        if missing is None and num_steps:
            _, gold_size, _ = last
            trajectory[name] = conventions.steps(name, steps, gold_size, num_steps)
        else:
            trajectory[name] = _NO_STEPS[missing or Cause.NO_STEPS]
    edit_location, deletions = edit_locations(prepared, final_patch)
    return frozen(
        ContextResult,
        {
            "final": frozen(FinalContext, final),
            "trajectory": frozen(TrajectoryContext, trajectory),
            "edit_location": edit_location,
            "contextbench_editloc": deletions,
            "views": _views(prepared, tally),
        },
    )


def _contextbench_cause(prepared: PreparedTask, *, has_final_context: bool) -> Cause | None:
    """Why ContextBench leaves a whole attempt out."""
    if not prepared.has_gold:
        return Cause.MISSING_GOLD
    if not prepared.has_snapshot:
        return Cause.MISSING_SNAPSHOT
    return None if has_final_context else Cause.NO_CONTEXT_EXTRACTED


def _void(cause: Cause, num_steps: int) -> ContextResult:
    final, steps = _NO_FINAL[cause], _NO_STEPS[cause]
    return ContextResult(
        final=FinalContext(file=final, symbol=final, span=final, line=final),
        trajectory=TrajectoryContext(
            num_steps=num_steps, file=steps, symbol=steps, span=steps, line=steps
        ),
        edit_location=_NO_EDITS[cause],
        contextbench_editloc=_NO_DELETIONS[cause],
        views=_NO_VIEWS[cause],
    )


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
