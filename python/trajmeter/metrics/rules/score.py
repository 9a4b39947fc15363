"""Applies the rules to one attempt."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from trajmeter.metrics.profile import find_profile
from trajmeter.metrics.rules.assertions import assertion_pass_rate, llm_judge
from trajmeter.metrics.rules.budgets import cost_budget, latency
from trajmeter.metrics.rules.conduct import completeness, error_handling, tool_usage
from trajmeter.metrics.rules.inputs import Attempt, CannotScoreError
from trajmeter.metrics.rules.profile import PROFILES
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
from trajmeter.records import Cause, Outcome, Task, Trajectory
from trajmeter.records.record import default_fields, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    import pyarrow as pa
    from pydantic import JsonValue

    from trajmeter.metrics._protocol import AssertionJudge
    from trajmeter.metrics.record_aggregator import RecordAggregator
    from trajmeter.metrics.registry import Resources
    from trajmeter.metrics.rules.summary import RulesSummary, RulesTotals

__all__ = ["RulesMetric", "create"]

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

_NO_TASK = frozen(Task, default_fields(Task, id=""))
"""A task without requirements, for the rule that needs none."""

_WITHOUT_TASK: dict[str, RuleScore] = {
    name: frozen(
        model,
        default_fields(
            model,
            outcome=Outcome.NOT_SCORED,
            cause=Cause.MISSING_TASK,
            reason="no task of this id is known",
        ),
    )
    for name, model in _MODELS.items()
    if name != "error_handling"
}
"""Results of the other rules for an attempt whose task is unknown."""

_UNSCORED = {
    name: default_fields(model, outcome=Outcome.NOT_SCORED) for name, model in _MODELS.items()
}
"""Fields of each rule's score when an input is missing, except cause and reason."""

_CALLS = frozenset({"tool_calls.name", "turns.tool_calls.name"})
_COLUMNS: dict[str, frozenset[str]] = {
    "assertion_pass_rate": _CALLS | {"transcript", "final_output"},
    "tool_usage": _CALLS | {"dropped_calls"},
    "error_handling": frozenset({"transcript"}),
    "completeness": frozenset({"transcript", "final_output", "turn_count", "turns.number"}),
    "latency": frozenset({"duration_seconds"}),
    "cost_budget": frozenset({"usage", "turns.usage"}),
    "llm_judge": frozenset({"verdicts"}),
}
"""Columns that each rule reads; for turns that are only counted, any column will do."""


def _columns_of(rules: Iterable[str]) -> frozenset[str]:
    return frozenset({"unusable"}).union(*(_COLUMNS[rule] for rule in rules))


class RulesMetric:
    """Scores each attempt by rules that the task's metadata and assertions configure.

    Args:
        judge: Grades the assertions that no rule can; without a judge, recorded verdicts are used.
        profile: ``transform-gym``, or ``None`` for the default.
        rules: Names of the rules to apply; all by default. Others are not reported.

    Raises:
        UnknownNameError: The family has no profile of this name.

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
    batch_columns = _columns_of(_COLUMNS)
    """Columns of a batch that the metric reads; a judge gets the whole attempt."""

    def __init__(
        self,
        *,
        judge: AssertionJudge | None = None,
        profile: str | None = None,
        rules: Collection[str] = (),
    ) -> None:
        self._judge = judge
        self._profile = chosen = find_profile(self.name, profile, PROFILES)
        all_rules: dict[str, _Rule] = {
            "assertion_pass_rate": partial(assertion_pass_rate, profile=chosen),
            "tool_usage": partial(tool_usage, profile=chosen),
            "error_handling": error_handling,
            "completeness": partial(completeness, profile=chosen),
            "latency": partial(latency, profile=chosen),
            "cost_budget": partial(cost_budget, profile=chosen),
            "llm_judge": partial(llm_judge, profile=chosen, judge=judge),
        }
        self._rules = {name: all_rules[name] for name in all_rules if name in (rules or all_rules)}
        self.batch_columns = _columns_of(self._rules)
        if judge is not None and "llm_judge" in self._rules:
            self.batch_columns = frozenset(Trajectory.model_fields)
        self._unwanted = {
            name: model(outcome=Outcome.NOT_SCORED, reason="the rule was not requested")
            for name, model in _MODELS.items()
            if name not in self._rules
        }

    @property
    def parameters(self) -> Mapping[str, JsonValue]:
        """The profile, and whether a judge takes part."""
        return {"profile": self._profile.name, "judge": self._judge is not None}

    def score(self, task: Task | None, trajectory: Trajectory) -> RulesResult:
        """Apply every rule; without a task only ``error_handling``, with its default markers."""
        attempt = Attempt(trajectory)
        scores: dict[str, RuleScore] = dict(self._unwanted)
        for name in self._rules:
            scores[name] = self._apply(name, task, attempt)
        return frozen(RulesResult, scores)

    def score_batch(
        self, tasks: Sequence[Task | None], rows: pa.RecordBatch
    ) -> Mapping[str, pa.Array[Any]]:
        """Apply every rule to the attempts of many rows without creating records."""
        from trajmeter.metrics.rules.batch import RuleSet, score_batch

        rule_set = RuleSet(
            rules=tuple(self._rules),
            unwanted=self._unwanted,
            profile=self._profile,
            has_judge=self._judge is not None,
            apply=self._apply,
            score=self.score,
        )
        return score_batch(rule_set, tasks, rows)

    def aggregator(self) -> RecordAggregator[RulesSummary]:
        """Begin the summary of attempts."""
        from trajmeter.metrics.record_aggregator import RecordAggregator

        return RecordAggregator(self, self.column_aggregator())

    def column_aggregator(self) -> RulesTotals:
        """Begin the summaries of the attempts of every group."""
        from trajmeter.metrics.rules.summary import RulesTotals

        return RulesTotals()

    def _apply(self, name: str, task: Task | None, attempt: Attempt) -> RuleScore:
        if task is None and name in _WITHOUT_TASK:
            return _WITHOUT_TASK[name]
        try:
            return self._rules[name](task or _NO_TASK, attempt)
        except CannotScoreError as error:
            return self._unscored(name, error)

    def _unscored(self, name: str, error: CannotScoreError) -> RuleScore:
        model = _MODELS[name]
        if self._profile.failed_rule_scores_zero and error.cause is not Cause.MISSING_VERDICTS:
            return model(
                outcome=Outcome.ASSIGNED,
                cause=Cause.METRIC_ERROR,
                score=0.0,
                passed=False,
                reason=error.reason,
            )
        unscored = {"cause": error.cause, "reason": error.reason}
        return frozen(model, {**_UNSCORED[name], **unscored})


def create(resources: Resources) -> RulesMetric:
    """Create the metric for the registry."""
    return RulesMetric(judge=resources.judge, profile=resources.profile, rules=resources.groups)
