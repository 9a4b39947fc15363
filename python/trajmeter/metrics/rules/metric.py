"""The rules as a metric of the registry."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

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
from trajmeter.records import Cause, Outcome, Task
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pydantic import JsonValue

    from trajmeter.metrics.registry import Resources
    from trajmeter.metrics.rules.judge import AssertionJudge
    from trajmeter.records import Trajectory

__all__ = ["PROFILE", "RulesMetric", "create"]

_Rule: TypeAlias = "Callable[[Task, Attempt], RuleScore]"

_MODELS: dict[str, type[RuleScore]] = {
    "assertion_pass_rate": AssertionScore,
    "tool_usage": ToolUsageScore,
    "error_handling": ErrorScore,
    "completeness": CompletenessScore,
    "latency": LatencyScore,
    "cost_budget": CostScore,
    "llm_judge": JudgeScore,
}
"""Models of the rules' scores."""

_NO_TASK = Task(id="")
"""Asks for nothing, as an unknown task does."""

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
        self._rules = _original_rules(judge) if profile else _rules(judge)

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile, and whether a judge takes part."""
        return {"profile": self._profile, "judge": self._judge is not None}

    def score(self, task: Task | None, trajectory: Trajectory) -> RulesResult:
        """Apply every rule; without a task only ``error_handling`` has something to look for."""
        task, attempt = task or _NO_TASK, Attempt(trajectory)
        scores: dict[str, RuleScore] = {}
        for name, rule in self._rules.items():
            try:
                scores[name] = rule(task, attempt)
            except CannotScoreError as error:
                scores[name] = self._unscored(name, error)
        return frozen(RulesResult, scores)

    def aggregator(self) -> RulesAggregator:
        """Begin the summary of attempts."""
        return RulesAggregator()

    def _unscored(self, name: str, error: CannotScoreError) -> RuleScore:
        model = _MODELS[name]
        if self._is_original and error.cause is not Cause.MISSING_VERDICTS:
            return transform_gym.fail(model, error)
        return model(outcome=Outcome.NOT_SCORED, cause=error.cause, reason=error.reason)


def create(resources: Resources) -> RulesMetric:
    """Make the metric for the registry."""
    return RulesMetric(judge=resources.judge, profile=resources.profile)


def _rules(judge: AssertionJudge | None) -> dict[str, _Rule]:
    """Every rule by the field of its score, in their order."""
    return {
        "assertion_pass_rate": assertion_pass_rate,
        "tool_usage": tool_usage,
        "error_handling": error_handling,
        "completeness": completeness,
        "latency": budgets.latency,
        "cost_budget": budgets.cost_budget,
        "llm_judge": partial(llm_judge, judge=judge),
    }


def _original_rules(judge: AssertionJudge | None) -> dict[str, _Rule]:
    """The same in the profile."""
    return {
        "assertion_pass_rate": partial(assertion_pass_rate, original=True),
        "tool_usage": partial(tool_usage, original=True),
        "error_handling": error_handling,
        "completeness": partial(completeness, original=True),
        "latency": transform_gym.latency,
        "cost_budget": transform_gym.cost_budget,
        "llm_judge": partial(transform_gym.llm_judge, judge=judge),
    }
