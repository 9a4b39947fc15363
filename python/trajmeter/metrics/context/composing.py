"""Builds the result of an attempt from the kernel's measurements and the final patch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from trajmeter.metrics.context.edits import EditLocations, edit_locations
from trajmeter.metrics.context.figures import final_figures, step_figures
from trajmeter.metrics.context.lines import with_reversed_lines
from trajmeter.metrics.context.parts import ALL_PARTS
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
from trajmeter.records import LEAK_KINDS, Cause, Outcome
from trajmeter.records.record import default_fields, frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.kernels import ContextSizes, ContextTally, TurnLike, ViewLike
    from trajmeter.metrics._result import Group
    from trajmeter.metrics.context.parts import Parts
    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.records import Leak

    GroupT = TypeVar("GroupT", bound=Group)

__all__ = ["compose", "measured_lines", "without_task"]

# Unscored groups with the same cause are equal and frozen, so one instance is shared.
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

# Groups that were not requested have no cause.
_UNASKED_FINAL = _unscored(FinalFigures)
_UNASKED_STEPS = _unscored(TrajectoryFigures)
_UNASKED_EDITS = EditLocations(_unscored(EditLocation), _unscored(ContextBenchEditLocation))
_UNASKED_VIEWS = _unscored(ViewFigures)
_UNASKED_LEAKS = _unscored(LeakFigures)
_UNKNOWN_LEAKS = _unscored(LeakFigures, Outcome.ABSTAINED)


def measured_lines(
    prepared: PreparedTask,
    sizes: ContextSizes,
    steps: Iterable[Sequence[ViewLike]],
    final_views: Sequence[ViewLike] | None,
) -> ContextSizes:
    """Recompute line sizes with reversed ranges included."""
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
    """Result of an attempt whose task is unknown."""
    num_steps = sum(turn.views is not None for turn in turns or ())
    return _void(Cause.MISSING_GOLD, num_steps, _leaks(leaks, parts))


def compose(
    prepared: PreparedTask,
    sizes: ContextSizes,
    final_patch: str | None,
    leaks: Sequence[Leak] | None = None,
    parts: Parts = ALL_PARTS,
) -> ContextResult:
    """Build a result from the kernel's measurements and the final patch."""
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
            # Gold lines that add up to 0 or less are treated differently from no gold lines.
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
    """Cause for leaving out an entire attempt; ``None`` if it is scored."""
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
    """Count leaks by kind; they do not depend on a task."""
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
