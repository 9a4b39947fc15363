"""Rules that grade a task's assertions, with or without a judge."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from trajmeter.metrics.rules.grade import abstain, fraction, grade
from trajmeter.metrics.rules.inputs import CannotScoreError
from trajmeter.metrics.rules.profile import DEFAULT
from trajmeter.metrics.rules.result import (
    AssertionCheck,
    AssertionScore,
    JudgeCheck,
    JudgeScore,
)
from trajmeter.records import Cause, Outcome
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

    from trajmeter.metrics._protocol import AssertionJudge
    from trajmeter.metrics.rules.inputs import Attempt
    from trajmeter.metrics.rules.profile import RulesProfile
    from trajmeter.records import Assertion, Task, Verdict

__all__ = ["assertion_pass_rate", "count_reason", "grade_assertion", "llm_judge"]

# What judges answer instead of a decision, by cause; anything else is undecided.
_INDECISION = {
    "refused": Cause.JUDGE_REFUSED,
    "error": Cause.JUDGE_ERROR,
    "failed": Cause.JUDGE_ERROR,
    "timeout": Cause.JUDGE_TIMEOUT,
    "unparseable": Cause.JUDGE_UNPARSEABLE,
}


def assertion_pass_rate(
    task: Task, attempt: Attempt, profile: RulesProfile = DEFAULT
) -> AssertionScore:
    """Grade the assertions that need no judge.

    Texts are searched in lower case, untrimmed and regardless of word boundaries; an empty text is
    found everywhere. Tool names are compared exactly.

    Args:
        task: Has assertions of any type.
        attempt: The attempt.
        profile: Which types are graded, and how tools are named.

    Raises:
        CannotScoreError: A check is not text, or the text to search was not recorded.
    """
    checks = tuple(
        [
            grade_assertion(assertion, attempt, index, profile)
            for index, assertion in enumerate(task.assertions)
            if assertion.type in profile.graded_types
        ]
    )
    if not checks:
        return _NOTHING_TO_GRADE
    passed = sum([check.passed for check in checks])
    score = fraction(passed, len(checks))
    reason = count_reason(passed, len(checks))
    return grade(AssertionScore, score, reason, {"checks": checks}, profile=profile)


_NOTHING_TO_GRADE = abstain(AssertionScore, "the task has no assertion that a rule can grade")


def count_reason(passed: int, total: int) -> str:
    """State how many of the graded assertions hold."""
    return f"{passed} of {total} assertions hold"


def grade_assertion(
    assertion: Assertion, attempt: Attempt, index: int, profile: RulesProfile
) -> AssertionCheck:
    """Grade one assertion.

    Args:
        assertion: An assertion that needs no judge.
        attempt: The attempt.
        index: Index of the assertion in its task.
        profile: How tools are named.

    Raises:
        CannotScoreError: A check is not text, or the text to search was not recorded.
    """
    kind = assertion.type
    if kind == "tool_called" and profile.any_value_names_a_tool:
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
    found = attempt.output_contains(text) if where == "output" else attempt.contains(text)
    reason = f"the {where} {'contains' if found else 'does not contain'} {text!r}"
    return found != (kind == "transcript_not_contains"), reason


def _is_called(name: JsonValue, attempt: Attempt) -> tuple[bool, str]:
    if not name:
        return False, "the assertion names no tool"
    called = name in attempt.called
    return called, f"{name!r} was {'' if called else 'not '}called"


def _text(value: JsonValue, field: str, index: int) -> str:
    """A value as text; empty if absent."""
    if value is None:
        return ""
    if not isinstance(value, str):
        place = f"assertions[{index}].{field}"
        raise CannotScoreError(Cause.INVALID_INPUT, f"{place} is {value!r}, expected text")
    return value


def llm_judge(
    task: Task,
    attempt: Attempt,
    profile: RulesProfile = DEFAULT,
    *,
    judge: AssertionJudge | None = None,
) -> JudgeScore:
    """Share of assertions that a judge found to hold, of those it decided.

    The judge gets the assertions that ``assertion_pass_rate`` does not grade. Verdicts are joined
    to them by name, and in order if several share a name; others are dropped and counted. An
    undecided verdict never counts as a score.

    Args:
        task: The task.
        attempt: The attempt; its recorded verdicts are used if there is no judge.
        profile: Which assertions the judge gets, and what counts as a verdict.
        judge: The judge.

    Raises:
        CannotScoreError: There is neither a judge nor a recorded verdict, or the judge failed.
    """
    if profile.judge_gets_every_assertion:
        return _judge_every_assertion(task, attempt, profile, judge)
    sent = [a for a in task.assertions if a.type not in profile.graded_types]
    if not sent:
        return _NOTHING_TO_SEND
    verdicts = _ask(task, attempt, sent, judge)
    joined = _join(sent, verdicts)
    checks = tuple([_check(verdict) for verdict in joined])
    judged = sum([check.result in ("pass", "fail") for check in checks])
    dropped = len(verdicts) - len(joined)
    if not judged:
        causes = [_INDECISION[c.result] for c in checks if c.result in _INDECISION]
        return JudgeScore(
            outcome=Outcome.NOT_SCORED,
            cause=causes[0] if causes else Cause.JUDGE_UNDECIDED,
            reason=f"the judge decided none of {len(sent)} assertions",
            sent=len(sent),
            judged=0,
            dropped=dropped,
            checks=checks,
        )
    passed = sum([check.result == "pass" for check in checks])
    score = fraction(passed, judged)
    reason = f"{passed} of {judged} judged assertions hold, of {len(sent)} sent"
    details = {"sent": len(sent), "judged": judged, "dropped": dropped, "checks": checks}
    return grade(JudgeScore, score, reason, details, profile=profile)


_NOTHING_TO_SEND = abstain(JudgeScore, "the task has no assertion for a judge")
_NO_ASSERTIONS = abstain(JudgeScore, "the task has no assertions")


def _judge_every_assertion(
    task: Task, attempt: Attempt, profile: RulesProfile, judge: AssertionJudge | None
) -> JudgeScore:
    """Share of verdicts that pass, of all verdicts on the task's assertions of every type."""
    if not task.assertions:
        return _NO_ASSERTIONS
    sent = len(task.assertions)
    verdicts = _ask(task, attempt, task.assertions, judge)
    passed = sum([verdict.result == "pass" for verdict in verdicts])
    score = fraction(passed, len(verdicts) or sent)
    reason = f"{passed} of {len(verdicts)} verdicts pass, of {sent} assertions"
    checks = tuple([_check(verdict) for verdict in verdicts])
    details = {"sent": sent, "judged": len(verdicts), "dropped": 0, "checks": checks}
    return grade(JudgeScore, score, reason, details, profile=profile)


def _ask(
    task: Task,
    attempt: Attempt,
    assertions: Sequence[Assertion],
    judge: AssertionJudge | None,
) -> tuple[Verdict, ...]:
    """Ask the judge, or use the recorded verdicts.

    Raises:
        CannotScoreError: There is neither, or the judge failed.
    """
    if judge is None:
        verdicts = attempt.verdicts
        if verdicts is None:
            count = len(assertions)
            reason = f"{count} assertions need a judge, but there is neither a judge nor a verdict"
            raise CannotScoreError(Cause.MISSING_VERDICTS, reason)
        return verdicts
    try:
        return tuple(judge(task, attempt.trajectory, assertions))
    except TimeoutError as error:
        raise CannotScoreError(Cause.JUDGE_TIMEOUT, f"the judge timed out: {error}") from error
    except Exception as error:
        reason = f"the judge raised {type(error).__name__}: {error}"
        raise CannotScoreError(Cause.JUDGE_ERROR, reason) from error


def _join(assertions: Sequence[Assertion], verdicts: Sequence[Verdict]) -> list[Verdict]:
    by_name: dict[str, list[Verdict]] = defaultdict(list)
    for verdict in reversed(verdicts):
        by_name[verdict.name].append(verdict)
    return [by_name[a.label].pop() for a in assertions if by_name[a.label]]


def _check(verdict: Verdict) -> JudgeCheck:
    return JudgeCheck(name=verdict.name, result=verdict.result, reason=verdict.reason)
