"""Rules ``latency`` and ``cost_budget``: what a run used, against what it was allowed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from trajmeter.metrics.rules.configuration import read_budget
from trajmeter.metrics.rules.grade import abstain, grade, within_budget
from trajmeter.metrics.rules.result import BudgetCheck, CostScore, LatencyScore
from trajmeter.records import Cause, Outcome, Usage
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from trajmeter.metrics.rules.attempt import Attempt, CannotScoreError
    from trajmeter.records import Task

__all__ = ["NO_TIME_BUDGET", "cost_budget", "duration_ms", "latency"]


def latency(task: Task, attempt: Attempt) -> LatencyScore:
    """Score the duration of a run against the budget ``max_latency_ms``.

    Raises:
        CannotScoreError: There is a budget, and the duration was not recorded.
    """
    budget = read_budget(task.metadata.get("max_latency_ms"))
    if budget is None:
        return NO_TIME_BUDGET
    duration = duration_ms(attempt)
    if not _is_measured(duration):
        raise attempt.absence("duration_seconds", Cause.MISSING_USAGE, _missing("time"))
    ratio = duration / budget
    reason = f"the run took {duration:g} ms of {budget:g} ms"
    details = {"budget_ms": budget, "duration_ms": duration, "ratio": ratio}
    return grade(LatencyScore, within_budget(ratio), reason, details)


def duration_ms(attempt: Attempt) -> float | None:
    """Duration of the run in milliseconds."""
    seconds = attempt.trajectory.duration_seconds
    # Dividing by 1,000 and multiplying again leaves 1000.9999999999999 of 1001.
    return None if seconds is None else round(seconds * 1000, 6)


def cost_budget(task: Task, attempt: Attempt) -> CostScore:
    """Score what a run used of credits, US dollars and tokens against the budgets there are.

    The lowest score counts. Where one of the figures was not recorded there is no score, and the
    others stand in the checks.

    Args:
        task: Its metadata hold ``max_credits``, ``max_cost_usd`` and ``max_tokens``.
        attempt: The attempt.
    """
    usage = attempt.trajectory.usage or Usage()
    checks: list[BudgetCheck] = []
    missing: CannotScoreError | None = None
    worst: BudgetCheck | None = None
    for kind in _KINDS:
        budget = read_budget(task.metadata.get(kind.key))
        if budget is None:
            continue
        check = _check(kind, budget, _used(kind, usage))
        checks.append(check)
        if check.ratio is None:
            missing = missing or attempt.absence(
                f"usage.{kind.field}", Cause.MISSING_USAGE, check.reason
            )
        elif worst is None or worst.ratio is None or check.ratio > worst.ratio:
            worst = check
    if missing is not None:
        return CostScore(
            outcome=Outcome.NOT_SCORED,
            cause=missing.cause,
            reason=missing.reason,
            checks=tuple(checks),
        )
    if worst is None or worst.score is None:
        return _NO_BUDGET
    details = {"ratio": worst.ratio, "checks": tuple(checks)}
    return grade(CostScore, worst.score, worst.reason, details)


NO_TIME_BUDGET = abstain(LatencyScore, "the task has no time budget")
_NO_BUDGET = abstain(CostScore, "the task has no budget for credits, US dollars or tokens")


class _Kind(NamedTuple):
    key: str
    """Key of the budget in the metadata."""
    field: str
    """Field of the usage that it limits."""
    noun: str


_KINDS = (
    _Kind("max_credits", "credits", "credits"),
    _Kind("max_cost_usd", "cost_usd", "US dollars"),
    _Kind("max_tokens", "total_tokens", "tokens"),
)


def _used(kind: _Kind, usage: Usage) -> float | None:
    used: float | None = getattr(usage, kind.field)
    if kind.field == "total_tokens" and not _is_measured(used):
        given, written = usage.input_tokens, usage.output_tokens
        return given + written if _is_measured(given) and _is_measured(written) else None
    return used


def _check(kind: _Kind, budget: float, used: float | None) -> BudgetCheck:
    if not _is_measured(used):
        reason = _missing(kind.noun)
        return BudgetCheck(
            name=kind.key, budget=budget, used=None, ratio=None, score=None, reason=reason
        )
    ratio = used / budget
    return frozen(
        BudgetCheck,
        {
            "name": kind.key,
            "budget": budget,
            "used": float(used),
            "ratio": ratio,
            "score": within_budget(ratio),
            "reason": f"the run used {used:g} of {budget:g} {kind.noun}",
        },
    )


def _is_measured(value: float | None) -> TypeGuard[float]:
    """Whether a figure was recorded; a negative or infinite one or NaN says that it was not."""
    return value is not None and 0 <= value < math.inf


def _missing(noun: str) -> str:
    return f"the task has a budget for {noun}, and the run recorded no figure of 0 or more"
