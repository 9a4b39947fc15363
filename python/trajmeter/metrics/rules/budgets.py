"""Rules ``latency`` and ``cost_budget``: the usage of a run against its budgets."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.metrics.rules.grade import abstain, grade, within_budget
from trajmeter.metrics.rules.inputs import CannotScoreError, read_budget
from trajmeter.metrics.rules.profile import DEFAULT
from trajmeter.metrics.rules.result import BudgetCheck, CostScore, LatencyScore
from trajmeter.metrics.usage import NO_AMOUNT, Amount, is_usable, unusable_reason
from trajmeter.records import Cause, Outcome
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from trajmeter.metrics.rules.inputs import Attempt, Budgeted
    from trajmeter.metrics.rules.profile import RulesProfile
    from trajmeter.records import Task

__all__ = ["KINDS", "Kind", "cost_budget", "latency", "time_reason", "use_reason"]


def latency(task: Task, attempt: Attempt, profile: RulesProfile = DEFAULT) -> LatencyScore:
    """Score the duration of a run against the budget ``max_latency_ms``.

    Args:
        task: Its metadata contains the budget.
        attempt: The attempt.
        profile: What counts as recorded, and how to treat an unrecorded duration.

    Raises:
        CannotScoreError: There is a budget, but the duration was not recorded.
    """
    budget = read_budget(task.metadata.get("max_latency_ms"))
    if budget is None:
        return _NO_TIME_BUDGET
    duration = _duration_ms(attempt)
    if duration is None or not (profile.unrecorded_abstains or is_usable(duration)):
        reason = "no duration was recorded"
        if not profile.unrecorded_abstains:
            unusable = unusable_reason(attempt.duration_seconds, "duration_seconds")
            reason = _without("time", unusable)
        error = attempt.absence("duration_seconds", Cause.MISSING_USAGE, reason)
        if _abstains(error, profile):
            return abstain(LatencyScore, error.reason)
        raise error
    ratio = _ratio(duration, budget)
    reason = time_reason(duration, budget)
    details = {"budget_ms": budget, "duration_ms": duration, "ratio": ratio}
    return grade(LatencyScore, within_budget(ratio), reason, details, profile=profile)


_NO_TIME_BUDGET = abstain(LatencyScore, "the task has no time budget")


def _duration_ms(attempt: Attempt) -> float | None:
    """Duration of the run in milliseconds."""
    seconds = attempt.duration_seconds
    # Dividing by 1,000 and multiplying again would turn 1001 into 1000.9999999999999.
    return None if seconds is None else round(seconds * 1000, 6)


def cost_budget(task: Task, attempt: Attempt, profile: RulesProfile = DEFAULT) -> CostScore:
    """Score the credits, US dollars and tokens that a run used against the task's budgets.

    The lowest score counts. If one of the figures was not recorded, the run is not scored, and the
    checks list the others.

    Args:
        task: Its metadata contains ``max_credits``, ``max_cost_usd`` and ``max_tokens``.
        attempt: The attempt.
        profile: Which budgets count, and how to treat an unrecorded figure.

    Raises:
        CannotScoreError: A figure is not a number, under a profile that abstains.
    """
    checks: list[BudgetCheck] = []
    missing: CannotScoreError | None = None
    worst: BudgetCheck | None = None
    for kind in KINDS:
        budget = read_budget(task.metadata.get(kind.key)) if kind.key in profile.budgets else None
        if budget is None:
            continue
        check = _check(kind, budget, _used(kind, attempt, profile), profile)
        checks.append(check)
        if check.ratio is None:
            missing = missing or attempt.absence(
                f"usage.{kind.field}", Cause.MISSING_USAGE, check.reason
            )
        elif worst is None or worst.ratio is None or check.ratio > worst.ratio:
            worst = check
    if missing is not None:
        return _without_figure(missing, checks, profile)
    if worst is None or worst.score is None:
        return _no_budget(profile.budgets)
    details = {"ratio": worst.ratio, "source": worst.source, "checks": tuple(checks)}
    return grade(CostScore, worst.score, worst.reason, details, profile=profile)


class Kind(NamedTuple):
    """A budget and what it limits."""

    key: str
    """Key of the budget in the metadata."""
    field: Budgeted
    """Field of the usage that it limits."""
    noun: str
    """What is used, in words."""


KINDS = (
    Kind("max_credits", "credits", "credits"),
    Kind("max_cost_usd", "cost_usd", "US dollars"),
    Kind("max_tokens", "total_tokens", "tokens"),
)


@cache
def _no_budget(keys: tuple[str, ...]) -> CostScore:
    *nouns, last = [kind.noun for kind in KINDS if kind.key in keys]
    listed = f"{', '.join(nouns)} or {last}" if nouns else last
    return abstain(CostScore, f"the task has no budget for {listed}")


def _without_figure(
    missing: CannotScoreError, checks: list[BudgetCheck], profile: RulesProfile
) -> CostScore:
    if _abstains(missing, profile):
        return abstain(CostScore, missing.reason)
    if profile.unrecorded_abstains:
        raise missing
    return CostScore(
        outcome=Outcome.NOT_SCORED,
        cause=missing.cause,
        reason=missing.reason,
        checks=tuple(checks),
    )


def _abstains(error: CannotScoreError, profile: RulesProfile) -> bool:
    """Whether a rule abstains; a value that was recorded but is unusable is an error instead."""
    return profile.unrecorded_abstains and error.cause is not Cause.INVALID_INPUT


def _used(kind: Kind, attempt: Attempt, profile: RulesProfile) -> Amount:
    """The figure, if one counts."""
    if profile.unrecorded_abstains:
        used = attempt.recorded(kind.field)
        return NO_AMOUNT if used is None or used <= 0 else Amount(used, "run", None)
    return attempt.used(kind.field)


def _check(kind: Kind, budget: float, used: Amount, profile: RulesProfile) -> BudgetCheck:
    if used.value is None:
        reason = _without(kind.noun, used.reason)
        if profile.unrecorded_abstains:
            reason = f"no {kind.noun} were recorded"
        return BudgetCheck(
            name=kind.key, budget=budget, used=None, ratio=None, score=None, reason=reason
        )
    ratio = _ratio(used.value, budget)
    return frozen(
        BudgetCheck,
        {
            "name": kind.key,
            "budget": budget,
            "used": float(used.value),
            "source": used.source,
            "ratio": ratio,
            "score": within_budget(ratio),
            "reason": use_reason(kind, used.value, budget, used.source),
        },
    )


def time_reason(duration: float, budget: float) -> str:
    """State how much of its time budget a run used, both in milliseconds."""
    return f"the run took {duration:g} ms of {budget:g} ms"


def use_reason(kind: Kind, used: float, budget: float, source: str | None) -> str:
    """State how much of a budget a run used, and whether its turns were summed."""
    added = " (added up from its turns)" if source != "run" else ""
    return f"the run used {used:g} of {budget:g} {kind.noun}{added}"


def _ratio(used: float, budget: float) -> float:
    ratio = used / budget
    if math.isnan(ratio):  # for an infinite figure or budget
        raise CannotScoreError(Cause.INVALID_INPUT, f"the run used {used} of {budget}")
    return ratio


def _without(noun: str, unusable: str | None) -> str:
    """Why no figure counts against a budget: what was recorded, if anything, and is unusable."""
    if unusable is not None:
        return f"the task has a budget for {noun}; {unusable}"
    return f"the task has a budget for {noun}, and the run recorded no figure of 0 or more"
