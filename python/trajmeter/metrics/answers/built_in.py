"""The built-in scenario profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.metrics.answers.coverage import (
    hop_coverage,
    names,
    objects_only_trace,
    tool_trace,
)
from trajmeter.metrics.answers.figures import means
from trajmeter.metrics.answers.profile import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.metrics.answers.coverage import ToolTrace
    from trajmeter.metrics.answers.figures import Aggregates, AnswerView, Figures, ScenarioProfile
    from trajmeter.metrics.answers.profile import AnswersProfile
    from trajmeter.records import Question

__all__ = ["BUILT_IN"]


class Default:
    """Questions that need only retrieval and the judge."""

    name = "default"

    def question_figures(
        self, question: Question, answer: AnswerView, *, profile: AnswersProfile = DEFAULT
    ) -> Figures:
        """No figures."""
        del question, answer, profile
        return {}

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, profile: AnswersProfile = DEFAULT
    ) -> Aggregates:
        """No aggregates."""
        del questions, profile
        return {}


class MultihopChainQA:
    """``multihop_chain_qa``: does an answer contain every link of the chain?

    Hop coverage of questions that chain several documents.

    A question is multi-hop if it is flagged or requires more than one hop. Without hops, only that
    is reported.
    """

    name = "multihop_chain_qa"

    def question_figures(
        self, question: Question, answer: AnswerView, *, profile: AnswersProfile = DEFAULT
    ) -> Figures:
        """``is_multi_hop`` and, with hops, their coverage and whether the chain is complete."""
        del profile
        hops = hop_coverage(question.required_hops, answer=answer.text, sources=answer.sources)
        figures: Figures = {"is_multi_hop": question.multi_hop or hops.required > 1}
        if hops.required:
            figures |= {
                "required_hops": hops.required,
                "matched_hops": hops.matched,
                "hop_coverage": hops.coverage,
                "grounded_hop_coverage": hops.grounded_coverage,
                "chain_success": hops.matched == hops.required,
            }
        return figures

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, profile: AnswersProfile = DEFAULT
    ) -> Aggregates:
        """Counts, and means over the multi-hop questions that list hops."""
        del profile
        annotated = [figures for figures in questions if "required_hops" in figures]
        return {
            "multi_hop_questions": float(sum(bool(f.get("is_multi_hop")) for f in questions)),
            "annotated_hop_questions": float(len(annotated)),
            **means(
                [figures for figures in annotated if figures.get("is_multi_hop")],
                multi_hop_avg_hop_coverage="hop_coverage",
                multi_hop_avg_grounded_hop_coverage="grounded_hop_coverage",
                multi_hop_chain_success_rate="chain_success",
            ),
        }


class ToolBranchingQA:
    """Hop and tool coverage, separately for easy questions and those that require a choice."""

    name = "tool_branching_qa"

    def question_figures(
        self, question: Question, answer: AnswerView, *, profile: AnswersProfile = DEFAULT
    ) -> Figures:
        """Hop figures, tool figures, and whether a branching question found all its hops."""
        branching = (
            question.branching or question.branching_points > 0 or len(question.required_hops) > 1
        )
        hops = _hop_figures(question, answer, profile=profile)
        coverage = hops["hop_coverage"]
        complete = None if coverage is None else coverage == 1.0
        trace = tool_trace(answer.metadata, profile=profile)
        required = names(question.required_tools)
        return {
            "is_branching": branching,
            "is_easy": not branching,
            **hops,
            "branching_success": complete if branching else False,
            "required_tools": len(required),
            **_tool_coverage(required, trace, profile=profile),
        }

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, profile: AnswersProfile = DEFAULT
    ) -> Aggregates:
        """Counts, means over branching questions and over easy ones, and the trace rate."""
        branching = [figures for figures in questions if figures.get("is_branching")]
        return {
            "branching_questions": float(len(branching)),
            "easy_questions": float(sum(bool(f.get("is_easy")) for f in questions)),
            **means(
                _with_hops(branching, profile=profile),
                branching_avg_hop_coverage="hop_coverage",
                branching_avg_grounded_hop_coverage="grounded_hop_coverage",
                branching_success_rate="branching_success",
            ),
            **means(
                _with_tools(branching, "required_tools", profile=profile),
                branching_avg_tool_coverage="tool_coverage",
            ),
            **_easy_and_traced(questions, profile=profile),
        }


_COORDINATION = ("coordination", "hard_coordination")
_HOPS_FOR_SUCCESS = 0.8


class MultiAgentCoordination:
    """Agent, hop and tool coverage; success is every required agent and hop coverage of 0.8."""

    name = "multi_agent_coordination"

    def question_figures(
        self, question: Question, answer: AnswerView, *, profile: AnswersProfile = DEFAULT
    ) -> Figures:
        """Agent, hop and tool figures of one question."""
        difficulty = question.difficulty or "easy"
        coordination = difficulty in _COORDINATION
        read_trace = (
            objects_only_trace if profile.coordination_trace_has_only_objects else tool_trace
        )
        trace = read_trace(answer.metadata, profile=profile)
        wanted = names(question.required_agents)
        agents = len(wanted & trace.agents) / len(wanted) if wanted else None
        hops = _hop_figures(question, answer, profile=profile)
        required = names(question.required_tools)
        return {
            "difficulty": difficulty,
            "is_coordination": coordination,
            "is_easy": not coordination,
            "coordination_points": question.coordination_points,
            "required_agents": len(question.required_agents),
            "actual_agents": len(trace.agents),
            "agent_coverage": 0.0 if agents is None and not profile.abstains else agents,
            **hops,
            "coordination_success": _success(
                agents, hops["hop_coverage"], coordination=coordination, profile=profile
            ),
            "required_tools_count": len(required),
            **_tool_coverage(required, trace, profile=profile),
        }

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, profile: AnswersProfile = DEFAULT
    ) -> Aggregates:
        """Counts, means over coordination questions and over easy ones, and the trace rate."""
        joint = [figures for figures in questions if figures.get("is_coordination")]
        staffed = [
            figures for figures in joint if not profile.abstains or figures.get("required_agents")
        ]
        return {
            "coordination_questions": float(len(joint)),
            "easy_questions": float(sum(bool(f.get("is_easy")) for f in questions)),
            **means(staffed, coordination_avg_agent_coverage="agent_coverage"),
            **means(
                _with_hops(joint, profile=profile),
                coordination_avg_hop_coverage="hop_coverage",
                coordination_avg_grounded_hop_coverage="grounded_hop_coverage",
            ),
            **means(
                _with_hops(staffed, profile=profile),
                coordination_success_rate="coordination_success",
            ),
            **means(
                _with_tools(joint, "required_tools_count", profile=profile),
                coordination_avg_tool_coverage="tool_coverage",
            ),
            **_easy_and_traced(questions, profile=profile),
        }


def _hop_figures(question: Question, answer: AnswerView, *, profile: AnswersProfile) -> Figures:
    """Hop counts and coverages; without hops they abstain, or are 0.0."""
    hops = hop_coverage(question.required_hops, answer=answer.text, sources=answer.sources)
    nothing = None if profile.abstains else 0.0
    return {
        "required_hops": hops.required,
        "matched_hops": hops.matched,
        "hop_coverage": hops.coverage if hops.required else nothing,
        "grounded_hop_coverage": hops.grounded_coverage if hops.required else nothing,
    }


def _tool_coverage(
    required: frozenset[str], trace: ToolTrace, *, profile: AnswersProfile
) -> Figures:
    """Tool figures; coverage abstains without required tools or without a trace."""
    matched = len(required & trace.tools)
    coverage: float | None = None
    if required and (trace.reported or not profile.abstains):
        coverage = matched / len(required)
    elif not profile.abstains:
        coverage = 0.0
    return {
        "matched_tools": matched,
        "tool_coverage": coverage,
        "has_tool_trace": trace.reported,
        "tool_calls_reported": trace.calls,
    }


def _with_hops(
    questions: Iterable[Mapping[str, Any]], *, profile: AnswersProfile
) -> list[Mapping[str, Any]]:
    """The questions that list hops; without abstentions, all of them."""
    return [
        figures for figures in questions if not profile.abstains or figures.get("required_hops")
    ]


def _with_tools(
    questions: Iterable[Mapping[str, Any]], required: str, *, profile: AnswersProfile
) -> list[Mapping[str, Any]]:
    """Questions that require tools and, if figures may abstain, reported a trace."""
    return [
        figures
        for figures in questions
        if figures.get(required) and (not profile.abstains or figures.get("has_tool_trace"))
    ]


def _easy_and_traced(
    questions: Sequence[Mapping[str, Any]], *, profile: AnswersProfile
) -> Aggregates:
    """Hop coverage of the easy questions, and the share of questions that reported a trace."""
    easy = [figures for figures in questions if figures.get("is_easy")]
    return {
        **means(_with_hops(easy, profile=profile), easy_avg_hop_coverage="hop_coverage"),
        **means(questions, tool_trace_rate="has_tool_trace"),
    }


def _success(
    agents: float | None, hops: float | str | None, *, coordination: bool, profile: AnswersProfile
) -> bool | None:
    if not coordination:
        return False
    if agents is None or not isinstance(hops, float):
        return None if profile.abstains else False
    return agents == 1.0 and hops >= _HOPS_FOR_SUCCESS


BUILT_IN: tuple[ScenarioProfile, ...] = (
    Default(),
    MultihopChainQA(),
    ToolBranchingQA(),
    MultiAgentCoordination(),
)
