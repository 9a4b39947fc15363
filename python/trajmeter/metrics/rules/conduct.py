"""Rules on the conduct of a run: tools called, errors that surfaced, and completion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trajmeter.metrics.rules.grade import FULL, abstain, fraction, grade
from trajmeter.metrics.rules.inputs import read_texts
from trajmeter.metrics.rules.profile import DEFAULT
from trajmeter.metrics.rules.result import (
    CompletenessScore,
    ErrorScore,
    ToolCheck,
    ToolUsageScore,
)
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.metrics.rules.inputs import Attempt
    from trajmeter.metrics.rules.profile import RulesProfile
    from trajmeter.records import Task

__all__ = ["completeness", "error_handling", "error_markers", "tool_usage"]

_DEFAULT_MARKERS = ("ERROR:",)
"""Default markers: those that the framework itself writes."""


def tool_usage(task: Task, attempt: Attempt, profile: RulesProfile = DEFAULT) -> ToolUsageScore:
    """Check that expected tools were called, and forbidden ones were not.

    Every entry of both lists is a separate check, even if repeated. What counts is whether a tool
    was called, not how often.

    Args:
        task: Its metadata contains ``expected_tools`` and ``forbidden_tools``.
        attempt: The attempt.
        profile: Defines the passing score.

    Raises:
        CannotScoreError: The attempt's tool calls were not recorded.
    """
    expected = read_texts(task.metadata.get("expected_tools"))
    forbidden = read_texts(task.metadata.get("forbidden_tools"))
    if not expected and not forbidden:
        return _NO_TOOLS
    called = {stripped for name in set(attempt.called) if (stripped := name.strip())}
    checks = (
        *[_check(tool, "expected", called) for tool in expected],
        *[_check(tool, "forbidden", called) for tool in forbidden],
    )
    failed = [check.reason for check in checks if not check.passed]
    score = fraction(len(checks) - len(failed), len(checks))
    details = {
        "checks": checks,
        "tools_called": tuple(sorted(called)),
        "dropped_calls": attempt.dropped_calls,
    }
    reason = "; ".join(failed) or "tools were used as expected"
    return grade(ToolUsageScore, score, reason, details, profile=profile)


_NO_TOOLS = abstain(ToolUsageScore, "the task neither expects nor forbids tools")


def _check(tool: str, kind: Literal["expected", "forbidden"], called: set[str]) -> ToolCheck:
    is_called = tool in called
    return frozen(
        ToolCheck,
        {
            "tool": tool,
            "kind": kind,
            "called": is_called,
            "passed": is_called == (kind == "expected"),
            "reason": f"{tool!r} is {kind} and was {'' if is_called else 'not '}called",
        },
    )


def error_handling(task: Task, attempt: Attempt) -> ErrorScore:
    """Look for error markers: 0 if any is found, else 10. Always active.

    Args:
        task: ``error_markers`` in its metadata replaces the default if it contains any text.
        attempt: The attempt.

    Raises:
        CannotScoreError: The attempt has no transcript.
    """
    markers = error_markers(task.metadata)
    found = tuple([marker for marker in markers if attempt.contains(marker)])
    listed = ", ".join(map(repr, found))
    reason = f"the transcript contains {listed}" if found else "no error marker was found"
    details = {"errors_found": found, "markers_checked": markers}
    return grade(ErrorScore, 0.0 if found else FULL, reason, details)


def error_markers(metadata: Mapping[str, object]) -> tuple[str, ...]:
    """A task's error markers, or the default."""
    return read_texts(metadata.get("error_markers")) or _DEFAULT_MARKERS


def completeness(
    task: Task, attempt: Attempt, profile: RulesProfile = DEFAULT
) -> CompletenessScore:
    """Check that the run reached its end, and that its output is not empty; each is worth half.

    If the task lists completion markers, a run reached its end if the transcript contains one of
    them; otherwise, if it has turns left in its budget, because a run that was cut off uses them
    all.

    Args:
        task: Its metadata contains ``completion_markers``. A turn budget of 1 is ignored, because
            every run uses it up.
        attempt: The attempt.
        profile: Defines the passing score.

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
            return _NO_END
        turns = attempt.turn_count
        if turns is None:
            return _NOT_COUNTED
        completed = turns < max_turns
    has_output = attempt.has_output
    score = fraction(completed + has_output, 2)
    end = "the run reached its end" if completed else "the run did not reach its end"
    reason = f"{end}, and its output is {'not ' if has_output else ''}empty"
    details = {
        "completed": completed,
        "completion_signal": "marker" if markers else "turn_budget",
        "output_non_empty": has_output,
        "matched_markers": matched,
    }
    return grade(CompletenessScore, score, reason, details, profile=profile)


_NO_END = abstain(
    CompletenessScore, "the task has neither completion markers nor a budget of several turns"
)
_NOT_COUNTED = abstain(CompletenessScore, "the number of turns was not recorded")
