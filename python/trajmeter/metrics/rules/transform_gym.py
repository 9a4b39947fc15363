"""Profile ``transform-gym``: the rules as the framework that they come from grades.

It abstains where a figure was not recorded, knows no budgets but for time and credits, takes a
duration of 0 or less for one within the budget and credits of 0 or less for none, does not grade
``transcript_not_contains``, asks a judge about every assertion and divides by the verdicts it got.
A rule that cannot be applied scores 0. Passing is compared without allowing for rounding.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

from trajmeter.metrics.rules.attempt import CannotScoreError
from trajmeter.metrics.rules.budgets import NO_TIME_BUDGET, duration_ms
from trajmeter.metrics.rules.configuration import read_budget
from trajmeter.metrics.rules.grade import abstain, fraction, grade, within_budget
from trajmeter.metrics.rules.judge import ask
from trajmeter.metrics.rules.result import (
    BudgetCheck,
    CostScore,
    JudgeCheck,
    JudgeScore,
    LatencyScore,
    RuleScore,
)
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from trajmeter.metrics.rules.attempt import Attempt
    from trajmeter.metrics.rules.judge import AssertionJudge
    from trajmeter.records import Task

__all__ = ["cost_budget", "fail", "latency", "llm_judge"]

_ScoreT = TypeVar("_ScoreT", bound=RuleScore)


def fail(model: type[_ScoreT], error: CannotScoreError) -> _ScoreT:
    """Score of a rule that raised: 0, by the framework's rule for failed metrics."""
    return model(
        outcome=Outcome.ASSIGNED,
        cause=Cause.METRIC_ERROR,
        score=0.0,
        passed=False,
        reason=error.reason,
    )


def latency(task: Task, attempt: Attempt) -> LatencyScore:
    """Score the duration of a run against the budget ``max_latency_ms``.

    Raises:
        CannotScoreError: There is a budget, and the duration is no number.
    """
    budget = read_budget(task.metadata.get("max_latency_ms"))
    if budget is None:
        return NO_TIME_BUDGET
    duration = duration_ms(attempt)
    if duration is None:
        error = attempt.absence("duration_seconds", Cause.MISSING_USAGE, "no duration was recorded")
        if error.cause is Cause.INVALID_INPUT:
            raise error
        return abstain(LatencyScore, error.reason)
    ratio = _ratio(duration, budget)
    reason = f"the run took {duration:g} ms of {budget:g} ms"
    details = {"budget_ms": budget, "duration_ms": duration, "ratio": ratio}
    return grade(LatencyScore, within_budget(ratio), reason, details, original=True)


def cost_budget(task: Task, attempt: Attempt) -> CostScore:
    """Score the credits a run used against the budget ``max_credits``.

    Raises:
        CannotScoreError: There is a budget, and the credits are no number.
    """
    budget = read_budget(task.metadata.get("max_credits"))
    if budget is None:
        return abstain(CostScore, "the task has no budget for credits")
    usage = attempt.trajectory.usage
    used = None if usage is None else usage.credits
    if used is None or used <= 0:
        error = attempt.absence("usage.credits", Cause.MISSING_USAGE, "no credits were recorded")
        if error.cause is Cause.INVALID_INPUT:
            raise error
        return abstain(CostScore, error.reason)
    ratio = _ratio(used, budget)
    score = within_budget(ratio)
    reason = f"the run used {used:g} of {budget:g} credits"
    check = BudgetCheck(
        name="max_credits", budget=budget, used=used, ratio=ratio, score=score, reason=reason
    )
    details = {"ratio": ratio, "checks": (check,)}
    return grade(CostScore, score, reason, details, original=True)


def llm_judge(task: Task, attempt: Attempt, *, judge: AssertionJudge | None = None) -> JudgeScore:
    """Share of verdicts that pass, of all verdicts on the task's assertions of any type.

    Raises:
        CannotScoreError: There is neither a judge nor a recorded verdict, or the judge failed.
    """
    if not task.assertions:
        return abstain(JudgeScore, "the task has no assertions")
    sent = len(task.assertions)
    verdicts = ask(task, attempt.trajectory, task.assertions, judge)
    passed = sum([verdict.result == "pass" for verdict in verdicts])
    score = fraction(passed, len(verdicts) or sent)
    details = {
        "sent": sent,
        "judged": len(verdicts),
        "dropped": 0,
        "checks": tuple(
            [JudgeCheck(name=v.name, result=v.result, reason=v.reason) for v in verdicts]
        ),
    }
    reason = f"{passed} of {len(verdicts)} verdicts pass, of {sent} assertions"
    return grade(JudgeScore, score, reason, details, original=True)


def _ratio(used: float, budget: float) -> float:
    ratio = used / budget
    if math.isnan(ratio):
        # The framework's comparisons all fail on it, and leave the lowest score.
        raise CannotScoreError(Cause.INVALID_INPUT, f"the run used {used} of {budget}")
    return ratio
