"""Scores the views of one attempt against a prepared task."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.metrics.context.composing import compose, measured_lines
from trajmeter.metrics.context.parts import ALL_PARTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import TurnLike, ViewLike
    from trajmeter.metrics.context.parts import Parts
    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.metrics.context.result import ContextResult
    from trajmeter.records import Leak

__all__ = ["score_views"]


def score_views(
    prepared: PreparedTask,
    turns: Sequence[TurnLike] | None,
    final_views: Sequence[ViewLike] | None,
    *,
    final_patch: str | None,
    leaks: Sequence[Leak] | None = None,
    parts: Parts = ALL_PARTS,
) -> ContextResult:
    """Score one attempt, given by its turns, final views, patch and leaks.

    :func:`~trajmeter.metrics.context.score.score` explains what they mean.
    """
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
    """A turn in the form that the kernel reads."""

    views: Sequence[ViewLike] | None


def _one_step(turns: Sequence[TurnLike] | None) -> Sequence[TurnLike]:
    """Merge the views of all turns into one step; their union is the same."""
    seen = [turn.views for turn in turns or () if turn.views is not None]
    return [_Step([*chain.from_iterable(seen)])] if seen else []
