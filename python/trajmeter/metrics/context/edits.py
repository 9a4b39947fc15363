"""Edit location: the lines that patches edit or delete."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.metrics.context.prepared import edited_pairs
from trajmeter.metrics.context.result import ContextBenchEditLocation, EditLocation
from trajmeter.patches import edited_lines
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from trajmeter.metrics.context.prepared import PreparedTask
    from trajmeter.patches import EditedLines

__all__ = ["EditLocations", "deleted_lines", "edit_locations"]

_HUNK = re.compile(r"@@ -(\d+)")
_HUNK_ENDS = ("---", "@@", "diff ")

_NO_GOLD = EditLocation(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_GOLD)
_NO_PATCH = EditLocation(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_PATCH)
_DELETED_NO_GOLD = ContextBenchEditLocation(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_GOLD)
_DELETED_NO_PATCH = ContextBenchEditLocation(outcome=Outcome.NOT_SCORED, cause=Cause.MISSING_PATCH)


class EditLocations(NamedTuple):
    """Both edit locations of an attempt."""

    edited: EditLocation
    """Where its final patch edits, beside the gold patch."""
    deleted: ContextBenchEditLocation
    """Where it deletes, beside gold context."""


def edit_locations(prepared: PreparedTask, final_patch: str | None) -> EditLocations:
    """Compare the final patch with the gold patch, and with gold context as ContextBench does."""
    edits = None if final_patch is None else edited_lines(final_patch)
    return EditLocations(_edited(prepared, edits), _deleted(prepared, final_patch, edits))


def deleted_lines(patch: str) -> set[tuple[str, int]]:
    """Lines that a patch deletes, each with its file, as ContextBench's reader finds them.

    Only ``+++ b/`` names a file, whatever follows ``b/`` being the name; a deleted file's lines
    count for the file before it. A line that begins with ``---``, ``@@`` or ``diff `` ends a hunk,
    a deleted one too. A blank line without its blank does not count as a line. ``+++ b/`` within a
    hunk names the file of the next one.
    """
    deleted = set()
    named: str | None = None
    file: str | None = None
    number = 0
    for line in patch.split("\n"):
        if line.startswith("+++ b/"):
            named = line[len("+++ b/") :]
        elif line.startswith(_HUNK_ENDS):
            header = _HUNK.match(line)
            file = named if header else None
            number = int(header[1]) if header else 0
        elif file is not None and line.startswith("-"):
            deleted.add((file, number))
            number += 1
        elif line.startswith(" "):
            number += 1
    return deleted


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
    if prepared.profile.gold_patch_stands_in:
        final_patch = final_patch or prepared.task.gold_patch or None
    if final_patch is None:
        return _DELETED_NO_PATCH
    deleted = deleted_lines(final_patch)
    hits = sum(
        any(first <= line <= last for first, last in prepared.initial_gold.get(path, ()))
        for path, line in deleted
    )
    gold = prepared.initial_gold_size
    ratio: float | None = hits / len(deleted) if deleted else 0.0
    outcome, cause = Outcome.SCORED, None
    if not prepared.profile.scores_every_deletion:
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
    """Outcome and cause: it abstains without gold; text that is not a diff predicts nothing."""
    if not has_gold:
        return Outcome.ABSTAINED, None
    return (Outcome.SCORED, None) if is_diff else (Outcome.ASSIGNED, Cause.NOT_A_DIFF)
