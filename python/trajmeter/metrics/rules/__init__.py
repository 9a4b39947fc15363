"""Rule metrics: checks of an attempt, configured by a task's metadata and assertions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr
from trajmeter.metrics.rules.inputs import read_budget, read_texts
from trajmeter.metrics.rules.profile import PROFILES, RulesProfile
from trajmeter.metrics.rules.result import RuleScore, RulesResult
from trajmeter.metrics.rules.score import RulesMetric, create

if TYPE_CHECKING:
    from trajmeter.metrics.rules.summary import RulesSummary, RuleSummary

__all__ = [
    "PROFILES",
    "RuleScore",
    "RuleSummary",
    "RulesMetric",
    "RulesProfile",
    "RulesResult",
    "RulesSummary",
    "create",
    "read_budget",
    "read_texts",
]

# Scoring an attempt does not import the summary.
__getattr__ = lazy_getattr(__name__, {"RuleSummary": "summary", "RulesSummary": "summary"})
