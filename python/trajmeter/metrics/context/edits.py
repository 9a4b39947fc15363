"""Edit location: the lines that patches edit or delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.context import contextbench
from trajmeter.metrics.context.results import ContextBenchEditLocation, EditLocation
from trajmeter.patches import edited_lines
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.patches import EditedLines

__all__ = ["edit_locations", "edited_pairs"]

_NO_GOLD = EditLocation(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_GOLD)
_NO_PATCH = EditLocation(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_PATCH)
_DELETED_NO_GOLD = ContextBenchEditLocation(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_GOLD)
_DELETED_NO_PATCH = ContextBenchEditLocation(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_PATCH)


def edit_locations(
    prepared: PreparedTask, final_patch: str | None
) -> tuple[EditLocation, ContextBenchEditLocation]:
    """Compare the final patch with the gold patch, and with gold context as ContextBench does.

    Raises:
        ExtraMissingError: The extra ``patches`` is not installed.
    """
    edits = None if final_patch is None else edited_lines(final_patch)
    return _edited(prepared, edits), _deleted(prepared, final_patch, edits)


def edited_pairs(edits: EditedLines) -> Iterator[tuple[str, int]]:
    """Path and line of each edited line."""
    for path, lines in edits.lines.items():
        for line in lines:
            yield path, line


def _edited(prepared: PreparedTask, edits: EditedLines | None) -> EditLocation:
    if prepared.task.gold_patch is None:
        return _NO_GOLD
    if edits is None:
        return _NO_PATCH
    gold = prepared.gold_edits
    predicted = set(edited_pairs(edits))
    shared = len(gold & predicted)
    outcome, cause = _standing(has_gold=bool(gold), is_diff=edits.is_diff)
    return EditLocation(
        outcome=outcome,
        cause=cause,
        coverage=shared / len(gold) if gold else None,
        precision=shared / len(predicted) if gold and predicted else None,
        f1=2 * shared / (len(gold) + len(predicted)) if gold else None,
        intersection=shared,
        gold_size=len(gold),
        predicted_size=len(predicted),
    )


def _deleted(
    prepared: PreparedTask, final_patch: str | None, edits: EditedLines | None
) -> ContextBenchEditLocation:
    if not prepared.has_gold:
        return _DELETED_NO_GOLD
    is_contextbench = prepared.rules == "as_written"
    if is_contextbench:
        # An attempt without a patch gets the score of the gold patch.
        final_patch = final_patch or prepared.task.gold_patch or None
    if final_patch is None:
        return _DELETED_NO_PATCH
    deleted = contextbench.deleted_lines(final_patch)
    hits = sum(
        any(first <= line <= last for first, last in prepared.initial_gold.get(path, ()))
        for path, line in deleted
    )
    gold = prepared.initial_gold_size
    ratio: float | None = hits / len(deleted) if deleted else 0.0
    outcome, cause = Outcome.SCORED, None
    if not is_contextbench:
        outcome, cause = _standing(has_gold=gold > 0, is_diff=edits is None or edits.is_diff)
        ratio = ratio if gold > 0 else None
    return ContextBenchEditLocation(
        outcome=outcome,
        cause=cause,
        recall=ratio,
        precision=ratio,
        intersection=hits,
        gold_size=gold,
        predicted_size=len(deleted),
    )


def _standing(*, has_gold: bool, is_diff: bool) -> tuple[Outcome, Cause | None]:
    """What becomes of a comparison: no gold abstains, a text that is no diff predicts nothing."""
    if not has_gold:
        return Outcome.ABSTAINED, None
    return (Outcome.SCORED, None) if is_diff else (Outcome.ASSIGNED, Cause.NOT_A_DIFF)
