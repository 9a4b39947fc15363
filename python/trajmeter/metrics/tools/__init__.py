"""Tool-call matching: an agent's calls compared with those of a reference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.lazy import lazy_getattr

if TYPE_CHECKING:
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

_MODULES = {
    "PROFILES": "profile",
    "ArgumentPolicies": "policies",
    "Fold": "policies",
    "MatchGrades": "result",
    "Mismatch": "result",
    "Tolerance": "policies",
    "ToolsMetric": "score",
    "ToolsResult": "result",
    "create": "score",
    "match_calls": "score",
    "match_steps": "score",
}
"""The module of each name, loaded on first use: other families only read calls."""

__getattr__ = lazy_getattr(__name__, _MODULES)
