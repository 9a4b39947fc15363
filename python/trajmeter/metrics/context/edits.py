"""Edit location: compares the lines that patches edit or delete."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.metrics.context.result import ContextBenchEditLocation, EditLocation
from trajmeter.patches import whole_characters
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from trajmeter.metrics.context.prepared import PreparedTask

__all__ = ["EditLocations", "edit_locations"]


class EditLocations(NamedTuple):
    """Both edit locations of an attempt."""

    edited: EditLocation
    """Lines that its final patch edits, compared with the gold patch."""
    deleted: ContextBenchEditLocation
    """Lines that it deletes, compared with gold context."""


def edit_locations(prepared: PreparedTask, final_patch: str | None) -> EditLocations:
    """Compare the final patch with the gold patch, and with gold context as ContextBench does."""
    counts = None
    if final_patch is not None:
        counts = _Counts(*prepared.edits.compare(whole_characters(final_patch)))
    return EditLocations(_edited(prepared, counts), _deleted(prepared, final_patch, counts))


class _Counts(NamedTuple):
    """The ``EDIT_COUNTS`` of a patch."""

    is_diff: int
    edited: int
    shared: int
    deleted: int
    hits: int


def _edited(prepared: PreparedTask, counts: _Counts | None) -> EditLocation:
    if prepared.task.gold_patch is None:
        return _not_edited(Cause.MISSING_GOLD)
    if counts is None:
        return _not_edited(Cause.MISSING_PATCH)
    gold = prepared.edits.size
    outcome, cause = _standing(has_gold=gold > 0, is_diff=counts.is_diff > 0)
    return EditLocation(
        outcome=outcome,
        cause=cause,
        coverage=counts.shared / gold if gold else None,
        precision=counts.shared / counts.edited if gold and counts.edited else None,
        f1=2 * counts.shared / (gold + counts.edited) if gold else None,
        intersection=counts.shared,
        gold_size=gold,
        predicted_size=counts.edited,
    )


def _deleted(
    prepared: PreparedTask, final_patch: str | None, counts: _Counts | None
) -> ContextBenchEditLocation:
    if not prepared.has_gold:
        return _not_deleted(Cause.MISSING_GOLD)
    if prepared.profile.gold_patch_stands_in and not final_patch:
        counts = _Counts(*prepared.gold_patch_counts) if prepared.task.gold_patch else None
    if counts is None:
        return _not_deleted(Cause.MISSING_PATCH)
    gold = prepared.initial_gold_size
    ratio: float | None = counts.hits / counts.deleted if counts.deleted else 0.0
    outcome, cause = Outcome.SCORED, None
    if not prepared.profile.scores_every_deletion:
        outcome, cause = _standing(has_gold=gold > 0, is_diff=counts.is_diff > 0)
        ratio = ratio if gold > 0 else None
    return ContextBenchEditLocation(
        outcome=outcome,
        cause=cause,
        recall=ratio,
        precision=ratio,
        intersection=counts.hits,
        gold_size=gold,
        predicted_size=counts.deleted,
    )


@cache
def _not_edited(cause: Cause) -> EditLocation:
    return EditLocation(outcome=Outcome.NOT_SCORED, cause=cause)


@cache
def _not_deleted(cause: Cause) -> ContextBenchEditLocation:
    return ContextBenchEditLocation(outcome=Outcome.NOT_SCORED, cause=cause)


def _standing(*, has_gold: bool, is_diff: bool) -> tuple[Outcome, Cause | None]:
    """Outcome and cause: abstains without gold; text that is not a diff gets an assigned score."""
    if not has_gold:
        return Outcome.ABSTAINED, None
    return (Outcome.SCORED, None) if is_diff else (Outcome.ASSIGNED, Cause.NOT_A_DIFF)
