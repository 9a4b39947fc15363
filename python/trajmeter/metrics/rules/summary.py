"""Means of the rules' scores over many attempts, with and without abstained scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from pydantic import ConfigDict

from trajmeter.metrics._result import Headline, Mean
from trajmeter.metrics.grouped_means import GroupedMeans, MeanInput
from trajmeter.metrics.scored_columns import Numbers
from trajmeter.records import Outcome
from trajmeter.records.record import LazyModel, frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self

    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.metrics.scored_columns import GroupedRows, ScoredColumns

__all__ = ["RuleSummary", "RulesSummary", "RulesTotals"]


class _Model(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RuleSummary(_Model):
    """Means of one rule's scores."""

    mean: Annotated[Mean, Headline()]
    """Mean score of the attempts that the rule was applied to."""
    mean_with_abstained: Mean
    """The same, including the conventional 10 of attempts where the rule abstained."""


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


class RulesTotals:
    """Running totals over the attempts of every group; no attempt is kept."""

    def __init__(self) -> None:
        self._means = GroupedMeans(2 * len(RulesSummary.model_fields))

    def add(self, columns: ScoredColumns, groups: GroupedRows) -> None:
        """Count some attempts; one whose metric raised has no scores."""
        every = np.ones(len(columns), np.bool_)
        means = []
        for name in RulesSummary.model_fields:
            scores, is_abstained = _scores(columns, f"rules.{name}")
            without = scores._replace(present=scores.present & ~is_abstained)
            means += [MeanInput(without, every), MeanInput(scores, every)]
        self._means.add(means, groups)

    def merge(self, other: Self, numbers: Int64Array) -> None:
        """Add the counts of another; its group i is group ``numbers[i]`` here."""
        self._means.merge(other._means, numbers)

    def state(self) -> dict[str, Any]:
        """The counts, for :meth:`restore`."""
        return self._means.state()

    def restore(self, state: Mapping[str, Any]) -> None:
        """Replace the counts with those of a state."""
        self._means.restore(state)

    def figures(self, group: int | None) -> RulesSummary:
        """Means of all attempts so far."""
        means = self._means.means(group)
        rules = {
            name: {"mean": means[2 * index], "mean_with_abstained": means[2 * index + 1]}
            for index, name in enumerate(RulesSummary.model_fields)
        }
        return frozen(
            RulesSummary, {name: frozen(RuleSummary, rule) for name, rule in rules.items()}
        )


def _scores(columns: ScoredColumns, rule: str) -> tuple[Numbers, BoolArray]:
    """The scores of a rule, and which rows abstained."""
    if f"{rule}.score" not in columns:
        nowhere = np.zeros(len(columns), np.bool_)
        return Numbers(np.zeros(len(columns), np.float64), nowhere, None), nowhere
    outcomes = columns.texts(f"{rule}.outcome")
    abstained = [text == Outcome.ABSTAINED.value for text in outcomes.texts]
    return columns.numbers(f"{rule}.score"), np.array(abstained, np.bool_)[outcomes.codes]
