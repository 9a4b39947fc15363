"""Scenario profile ``multi_agent_coordination``: did the right specialists work together?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.metrics.answers.branching import (
    easy_and_traced,
    hop_figures,
    tool_coverage,
    with_hops,
    with_tools,
)
from trajmeter.metrics.answers.profiles import means
from trajmeter.metrics.answers.traces import names, objects_only_trace, tool_trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.metrics.answers.profiles import Aggregates, AnswerView, Figures
    from trajmeter.records import Question

__all__ = ["MultiAgentCoordination"]

_COORDINATION = ("coordination", "hard_coordination")
_HOPS_FOR_SUCCESS = 0.8


class MultiAgentCoordination:
    """Agent, hop and tool coverage; success is every required agent and hop coverage of 0.8."""

    name = "multi_agent_coordination"

    def question_figures(
        self, question: Question, answer: AnswerView, *, original: bool = False
    ) -> Figures:
        """Agent, hop and tool figures of one question."""
        difficulty = question.difficulty or "easy"
        coordination = difficulty in _COORDINATION
        trace = objects_only_trace(answer.metadata) if original else tool_trace(answer.metadata)
        wanted = names(question.required_agents)
        agents = len(wanted & trace.agents) / len(wanted) if wanted else None
        hops = hop_figures(question, answer, original=original)
        required = names(question.required_tools)
        return {
            "difficulty": difficulty,
            "is_coordination": coordination,
            "is_easy": not coordination,
            "coordination_points": question.coordination_points,
            "required_agents": len(question.required_agents),
            "actual_agents": len(trace.agents),
            "agent_coverage": 0.0 if original and agents is None else agents,
            **hops,
            "coordination_success": _success(
                agents, hops["hop_coverage"], coordination=coordination, original=original
            ),
            "required_tools_count": len(required),
            **tool_coverage(required, trace, original=original),
        }

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, original: bool = False
    ) -> Aggregates:
        """Counts, means over coordination questions and over easy ones, and the trace rate."""
        joint = [figures for figures in questions if figures.get("is_coordination")]
        staffed = [figures for figures in joint if original or figures.get("required_agents")]
        return {
            "coordination_questions": float(len(joint)),
            "easy_questions": float(sum(bool(f.get("is_easy")) for f in questions)),
            **means(staffed, coordination_avg_agent_coverage="agent_coverage"),
            **means(
                with_hops(joint, original=original),
                coordination_avg_hop_coverage="hop_coverage",
                coordination_avg_grounded_hop_coverage="grounded_hop_coverage",
            ),
            **means(
                with_hops(staffed, original=original),
                coordination_success_rate="coordination_success",
            ),
            **means(
                with_tools(joint, "required_tools_count", original=original),
                coordination_avg_tool_coverage="tool_coverage",
            ),
            **easy_and_traced(questions, original=original),
        }


def _success(
    agents: float | None, hops: float | str | None, *, coordination: bool, original: bool
) -> bool | None:
    if not coordination:
        return False
    if agents is None or not isinstance(hops, float):
        return False if original else None
    return agents == 1.0 and hops >= _HOPS_FOR_SUCCESS
