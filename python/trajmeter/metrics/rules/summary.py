"""What the rules say over many attempts: means without abstained scores, and with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict

from trajmeter.metrics._result import Headline, Mean, RunningMean
from trajmeter.metrics.rules.result import RuleScore, RulesResult
from trajmeter.records import Outcome
from trajmeter.records.record import LazyModel

if TYPE_CHECKING:
    from trajmeter.metrics._result import Result
    from trajmeter.records import Task, Trajectory

__all__ = ["RuleSummary", "RulesAggregator", "RulesSummary"]


class _Model(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RuleSummary(_Model):
    """Means of one rule's scores."""

    mean: Annotated[Mean, Headline()]
    """Mean score of the attempts that the rule was applied to."""
    mean_with_abstained: Mean
    """The same with the conventional 10 of those where it had nothing to act on."""


class RulesSummary(_Model):
    """Means of every rule's scores."""

    assertion_pass_rate: RuleSummary
    """Assertions about transcript, output and called tools."""
    tool_usage: RuleSummary
    """Expected and forbidden tools."""
    error_handling: RuleSummary
    """Absence of error markers."""
    completeness: RuleSummary
    """Whether runs reached their end with an output."""
    latency: RuleSummary
    """Durations against their budgets."""
    cost_budget: RuleSummary
    """Credits, US dollars and tokens against their budgets."""
    llm_judge: RuleSummary
    """Assertions that only a judge can grade."""


class RulesAggregator:
    """Running totals over attempts; keeps no attempt."""

    def __init__(self) -> None:
        self._means = {name: (RunningMean(), RunningMean()) for name in RulesSummary.model_fields}

    def add(self, task: Task | None, trajectory: Trajectory, result: Result) -> None:
        """Count one scored attempt."""
        del task, trajectory
        if isinstance(result, RulesResult):
            self.count(result)

    def count(self, result: RulesResult) -> None:
        """Count the result of one attempt."""
        for name, (mean, with_abstained) in self._means.items():
            rule: RuleScore = getattr(result, name)
            mean.add(None if rule.outcome is Outcome.ABSTAINED else rule.score)
            with_abstained.add(rule.score)

    def add_error(self, task: Task | None, trajectory: Trajectory) -> None:
        """Count one attempt that has no score of any rule."""
        del task, trajectory
        for means in self._means.values():
            for mean in means:
                mean.add(None)

    def figures(self) -> RulesSummary:
        """Means of all attempts so far."""
        return RulesSummary(
            **{
                name: RuleSummary(mean=mean.mean(), mean_with_abstained=with_abstained.mean())
                for name, (mean, with_abstained) in self._means.items()
            }
        )
