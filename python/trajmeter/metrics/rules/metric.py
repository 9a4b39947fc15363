"""The rules as a metric of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from trajmeter.errors import UnknownNameError
from trajmeter.metrics.rules import budgets, transform_gym
from trajmeter.metrics.rules.assertions import assertion_pass_rate
from trajmeter.metrics.rules.attempt import Attempt, CannotScoreError
from trajmeter.metrics.rules.completeness import completeness
from trajmeter.metrics.rules.error_handling import error_handling
from trajmeter.metrics.rules.judge import llm_judge
from trajmeter.metrics.rules.result import (
    AssertionScore,
    CompletenessScore,
    CostScore,
    ErrorScore,
    JudgeScore,
    LatencyScore,
    RuleScore,
    RulesResult,
    ToolUsageScore,
)
from trajmeter.metrics.rules.summary import RulesAggregator
from trajmeter.metrics.rules.tool_usage import tool_usage
from trajmeter.records import Cause, Outcome
from trajmeter.records.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import JsonValue

    from trajmeter.metrics.registry import Resources
    from trajmeter.metrics.rules.judge import AssertionJudge
    from trajmeter.records import Task, Trajectory

__all__ = ["PROFILE", "RulesMetric", "create"]

_ScoreT = TypeVar("_ScoreT", bound=RuleScore)

PROFILE = "transform-gym"
"""Compatibility profile of the family."""


class RulesMetric:
    """Scores each attempt by rules that the task's metadata and assertions configure.

    Args:
        judge: Grades the assertions that no rule can; without it, recorded verdicts serve.
        profile: ``transform-gym``, or ``None`` for the default.

    Raises:
        UnknownNameError: There is no such profile.

    Example:
        >>> from trajmeter.records import Task, Trajectory
        >>> task = Task(id="t", metadata={"max_latency_ms": 1000})
        >>> attempt = Trajectory(task_id="t", transcript="done", duration_seconds=2.0)
        >>> result = RulesMetric().score(task, attempt)
        >>> result.latency.score, result.error_handling.score, result.tool_usage.outcome.value
        (5.0, 10.0, 'abstained')
    """

    name = "rules"
    version = "1"
    requires: tuple[str, ...] = (
        "Task.metadata",
        "Task.assertions",
        "Trajectory.transcript",
        "Trajectory.final_output",
    )
    result_type = RulesResult

    def __init__(self, *, judge: AssertionJudge | None = None, profile: str | None = None) -> None:
        if profile not in (None, PROFILE):
            raise UnknownNameError(f"rules has no profile {profile!r}, expected {PROFILE!r}")
        self._judge = judge
        self._is_original = profile is not None
        self._profile = profile

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile, and whether a judge takes part."""
        return {"profile": self._profile, "judge": self._judge is not None}

    def score(self, task: Task | None, trajectory: Trajectory) -> RulesResult:
        """Apply every rule; without a task only ``error_handling`` has something to look for."""
        original = self._is_original
        attempt = Attempt(trajectory)
        metadata = task.metadata if task else {}
        by_profile = transform_gym if original else None
        latency = by_profile.latency if by_profile else budgets.latency
        cost = by_profile.cost_budget if by_profile else budgets.cost_budget
        judged = by_profile.llm_judge if by_profile else llm_judge
        return frozen(
            RulesResult,
            {
                "assertion_pass_rate": self._apply(
                    AssertionScore,
                    lambda: assertion_pass_rate(
                        task.assertions if task else (), attempt, original=original
                    ),
                ),
                "tool_usage": self._apply(
                    ToolUsageScore, lambda: tool_usage(metadata, attempt, original=original)
                ),
                "error_handling": self._apply(
                    ErrorScore, lambda: error_handling(metadata, attempt)
                ),
                "completeness": self._apply(
                    CompletenessScore,
                    lambda: completeness(
                        metadata, task.max_turns if task else None, attempt, original=original
                    ),
                ),
                "latency": self._apply(LatencyScore, lambda: latency(metadata, attempt)),
                "cost_budget": self._apply(CostScore, lambda: cost(metadata, attempt)),
                "llm_judge": self._apply(JudgeScore, lambda: judged(task, trajectory, self._judge)),
            },
        )

    def aggregator(self) -> RulesAggregator:
        """Begin the summary of attempts."""
        return RulesAggregator()

    def _apply(self, model: type[_ScoreT], rule: Callable[[], _ScoreT]) -> _ScoreT:
        try:
            return rule()
        except CannotScoreError as error:
            if self._is_original and error.cause is not Cause.MISSING_VERDICTS:
                return transform_gym.fail(model, error)
            return model(outcome=Outcome.NOT_SCORED, cause=error.cause, reason=error.reason)


def create(resources: Resources) -> RulesMetric:
    """Make the metric for the registry."""
    return RulesMetric(judge=resources.judge, profile=resources.profile)
