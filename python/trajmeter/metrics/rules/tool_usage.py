"""Rule ``tool_usage``: tools the task expects, and tools it forbids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trajmeter.metrics.rules.configuration import read_texts
from trajmeter.metrics.rules.grade import abstain, fraction, grade
from trajmeter.metrics.rules.result import ToolCheck, ToolUsageScore
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from trajmeter.metrics.rules.attempt import Attempt
    from trajmeter.records import Task

__all__ = ["tool_usage"]


def tool_usage(task: Task, attempt: Attempt, *, original: bool = False) -> ToolUsageScore:
    """Check that expected tools were called, and forbidden ones were not.

    Every entry of both lists is a check of its own, a repeated one too. What counts is whether a
    tool was called, not how often.

    Args:
        task: Its metadata hold ``expected_tools`` and ``forbidden_tools``.
        attempt: The attempt.
        original: Grade as the ``transform-gym`` profile does.

    Raises:
        CannotScoreError: The attempt's tool calls were not recorded.
    """
    expected = read_texts(task.metadata.get("expected_tools"))
    forbidden = read_texts(task.metadata.get("forbidden_tools"))
    if not expected and not forbidden:
        return _UNCONFIGURED
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
        "dropped_calls": attempt.trajectory.dropped_calls,
    }
    reason = "; ".join(failed) or "tools were used as expected"
    return grade(ToolUsageScore, score, reason, details, original=original)


_UNCONFIGURED = abstain(ToolUsageScore, "the task neither expects nor forbids tools")


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
