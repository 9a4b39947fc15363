"""Answers to a scenario's questions: retrieval quality and the scenario profiles."""

from __future__ import annotations

from trajmeter.metrics.answers.coverage import Retrieval, retrieval
from trajmeter.metrics.answers.figures import (
    Aggregates,
    AnswerView,
    Figures,
    ScenarioProfile,
    generic_aggregates,
)
from trajmeter.metrics.answers.profile import FRAMEWORK_COMPARISON, PROFILES, AnswersProfile
from trajmeter.metrics.answers.result import AnswersResult
from trajmeter.metrics.answers.scenario_profiles import (
    compute_aggregates,
    compute_figures,
    register_profile,
    scenario_profile,
    scenario_profiles,
)
from trajmeter.metrics.answers.score import AnswersMetric, create

__all__ = [
    "FRAMEWORK_COMPARISON",
    "PROFILES",
    "Aggregates",
    "AnswerView",
    "AnswersMetric",
    "AnswersProfile",
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
