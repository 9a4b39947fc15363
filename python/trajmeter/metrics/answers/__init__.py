"""Answers to a scenario's questions: retrieval quality and the scenario profiles."""

from __future__ import annotations

from trajmeter.metrics.answers.branching import ToolBranchingQA
from trajmeter.metrics.answers.computing import compute_aggregates, compute_figures
from trajmeter.metrics.answers.coordination import MultiAgentCoordination
from trajmeter.metrics.answers.metric import AnswersMetric, create
from trajmeter.metrics.answers.multihop import MultihopChainQA
from trajmeter.metrics.answers.plain import Default
from trajmeter.metrics.answers.profiles import (
    Aggregates,
    AnswerView,
    Figures,
    ScenarioProfile,
    generic_aggregates,
    register_profile,
    scenario_profile,
    scenario_profiles,
)
from trajmeter.metrics.answers.result import AnswersResult
from trajmeter.metrics.answers.retrieval import Retrieval, retrieval

__all__ = [
    "Aggregates",
    "AnswerView",
    "AnswersMetric",
    "AnswersResult",
    "Figures",
    "Retrieval",
    "ScenarioProfile",
    "compute_aggregates",
    "compute_figures",
    "create",
    "generic_aggregates",
    "register_profile",
    "retrieval",
    "scenario_profile",
    "scenario_profiles",
]

for _profile in (Default(), MultihopChainQA(), ToolBranchingQA(), MultiAgentCoordination()):
    register_profile(_profile)
