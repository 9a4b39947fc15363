"""Tool-call matching: what an agent called, against what a reference calls."""

from __future__ import annotations

from trajmeter.metrics.tools.policies import ArgumentPolicies, Fold, Tolerance
from trajmeter.metrics.tools.profile import PROFILES
from trajmeter.metrics.tools.result import MatchGrades, Mismatch, ToolsResult
from trajmeter.metrics.tools.score import ToolsMetric, create, match_calls, match_steps

__all__ = [
    "PROFILES",
    "ArgumentPolicies",
    "Fold",
    "MatchGrades",
    "Mismatch",
    "Tolerance",
    "ToolsMetric",
    "ToolsResult",
    "create",
    "match_calls",
    "match_steps",
]
