"""Rule ``completeness``: the run reached its end, and left an output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.rules.configuration import read_texts
from trajmeter.metrics.rules.grade import abstain, fraction, grade
from trajmeter.metrics.rules.result import CompletenessScore

if TYPE_CHECKING:
    from trajmeter.metrics.rules.attempt import Attempt
    from trajmeter.records import Task

__all__ = ["completeness"]


def completeness(task: Task, attempt: Attempt, *, original: bool = False) -> CompletenessScore:
    """Check that the run reached its end, and that its output is not empty; each is worth half.

    The end is told by a marker in the transcript where the task lists markers, of which one is
    enough; else by turns left in the budget, because a run that was cut off uses them all.

    Args:
        task: Its metadata hold ``completion_markers``. Its turn budget tells nothing unless it is
            above 1, as a single turn always uses it.
        attempt: The attempt.
        original: Grade as the ``transform-gym`` profile does.

    Raises:
        CannotScoreError: The attempt's transcript (with markers) or output was not recorded.
    """
    markers = read_texts(task.metadata.get("completion_markers"))
    matched: tuple[str, ...] = ()
    if markers:
        matched = tuple([marker for marker in markers if attempt.contains(marker)])
        completed = bool(matched)
    else:
        max_turns = task.max_turns
        if max_turns is None or max_turns <= 1:
            return _UNCONFIGURED
        turns = attempt.turn_count
        if turns is None:
            return _NOT_COUNTED
        completed = turns < max_turns
    has_output = bool(attempt.output.strip())
    score = fraction(completed + has_output, 2)
    end = "the run reached its end" if completed else "the run did not reach its end"
    reason = f"{end}, and its output is {'not ' if has_output else ''}empty"
    details = {
        "completed": completed,
        "completion_signal": "marker" if markers else "turn_budget",
        "output_non_empty": has_output,
        "matched_markers": matched,
    }
    return grade(CompletenessScore, score, reason, details, original=original)


_UNCONFIGURED = abstain(
    CompletenessScore, "the task has no completion markers, and no budget of several turns"
)
_NOT_COUNTED = abstain(CompletenessScore, "the number of turns was not recorded")
