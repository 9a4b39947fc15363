"""Rule ``assertion_pass_rate``: assertions about transcript, output and called tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.rules.attempt import CannotScoreError
from trajmeter.metrics.rules.grade import abstain, fraction, grade
from trajmeter.metrics.rules.result import AssertionCheck, AssertionScore
from trajmeter.records import Cause
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trajmeter.metrics.rules.attempt import Attempt
    from trajmeter.records import Assertion, Task

__all__ = ["GRADED_TYPES", "ORIGINAL_TYPES", "assertion_pass_rate"]

ORIGINAL_TYPES = frozenset(("transcript_contains", "output_contains", "tool_called"))
"""Types of assertion that the original grades."""

GRADED_TYPES = ORIGINAL_TYPES | {"transcript_not_contains"}
"""Types of assertion that this rule grades; others are not its business."""


def assertion_pass_rate(task: Task, attempt: Attempt, *, original: bool = False) -> AssertionScore:
    """Grade the assertions that need no judge.

    Texts are searched in lower case, without trimming and without regard to words; an empty one is
    found everywhere, and missing nowhere. Names of tools are compared exactly.

    Args:
        task: Has assertions of any type.
        attempt: The attempt.
        original: Grade as the ``transform-gym`` profile does, without ``transcript_not_contains``.

    Raises:
        CannotScoreError: A check is no text, or the text it is about was not recorded.
    """
    types = ORIGINAL_TYPES if original else GRADED_TYPES
    checks = tuple(
        [
            _grade(assertion, attempt, index, original=original)
            for index, assertion in enumerate(task.assertions)
            if assertion.type in types
        ]
    )
    if not checks:
        return _NOTHING_TO_GRADE
    passed = sum([check.passed for check in checks])
    score = fraction(passed, len(checks))
    reason = f"{passed} of {len(checks)} assertions hold"
    return grade(AssertionScore, score, reason, {"checks": checks}, original=original)


_NOTHING_TO_GRADE = abstain(AssertionScore, "the task has no assertion that a rule can grade")


def _grade(assertion: Assertion, attempt: Attempt, index: int, *, original: bool) -> AssertionCheck:
    kind = assertion.type
    if kind == "tool_called" and original:
        passed, reason = _is_called(assertion.tool or assertion.check, attempt)
    elif kind == "tool_called":
        tool = _text(assertion.tool, "tool", index)
        passed, reason = _is_called(tool or _text(assertion.check, "check", index), attempt)
    else:
        passed, reason = _is_as_wanted(kind, _text(assertion.check, "check", index), attempt)
    return frozen(
        AssertionCheck,
        {"name": assertion.label, "type": kind, "passed": passed, "reason": reason},
    )


def _is_as_wanted(kind: str, text: str, attempt: Attempt) -> tuple[bool, str]:
    if not text:
        return True, "there is nothing to look for"
    where = "output" if kind == "output_contains" else "transcript"
    found = text.lower() in attempt.output if where == "output" else attempt.contains(text)
    reason = f"the {where} {'contains' if found else 'does not contain'} {text!r}"
    return found != (kind == "transcript_not_contains"), reason


def _is_called(name: JsonValue, attempt: Attempt) -> tuple[bool, str]:
    if not name:
        return False, "the assertion names no tool"
    called = name in attempt.called
    return called, f"{name!r} was {'' if called else 'not '}called"


def _text(value: JsonValue, field: str, index: int) -> str:
    """The value as text; an absent one is empty."""
    if value is None:
        return ""
    if not isinstance(value, str):
        place = f"assertions[{index}].{field}"
        raise CannotScoreError(Cause.INVALID_INPUT, f"{place} is {value!r}, expected text")
    return value
