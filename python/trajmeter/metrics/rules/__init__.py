"""Rule metrics: checks of an attempt that a task's metadata and assertions configure."""

from __future__ import annotations

from trajmeter.metrics.rules.configuration import read_budget, read_texts
from trajmeter.metrics.rules.judge import AssertionJudge
from trajmeter.metrics.rules.metric import PROFILE, RulesMetric, create
from trajmeter.metrics.rules.result import RuleScore, RulesResult
from trajmeter.metrics.rules.summary import RulesAggregator, RulesSummary, RuleSummary

__all__ = [
    "PROFILE",
    "AssertionJudge",
    "RuleScore",
    "RuleSummary",
    "RulesAggregator",
    "RulesMetric",
    "RulesResult",
    "RulesSummary",
    "create",
    "read_budget",
    "read_texts",
]
