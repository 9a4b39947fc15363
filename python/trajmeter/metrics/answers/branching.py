"""Scenario profile ``tool_branching_qa``: are the right tools chosen where there is a choice?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.metrics.answers.hops import hop_coverage
from trajmeter.metrics.answers.profiles import mean_of, means_over, written
from trajmeter.metrics.answers.traces import names, tool_trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.metrics.answers.profiles import Aggregates, AnswerView, Figures
    from trajmeter.metrics.answers.traces import ToolTrace
    from trajmeter.records import Question

__all__ = ["ToolBranchingQA", "hop_figures", "tool_coverage"]


class ToolBranchingQA:
    """Hop and tool coverage, easy questions apart from those where the agent has to choose."""

    name = "tool_branching_qa"

    def question_figures(
        self, question: Question, answer: AnswerView, *, original: bool = False
    ) -> Figures:
        """Hop figures, tool figures, and whether a branching question found all its hops."""
        branching = (
            question.branching or question.branching_points > 0 or len(question.required_hops) > 1
        )
        hops = hop_figures(question, answer, original=original)
        coverage = hops["hop_coverage"]
        complete = None if coverage is None else coverage == 1.0
        trace = tool_trace(answer.metadata, original=original)
        required = names(question.required_tools)
        return {
            "is_branching": branching,
            "is_easy": not branching,
            **hops,
            "branching_success": complete if branching else False,
            "required_tools": len(required),
            **tool_coverage(required, trace, original=original),
        }

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, original: bool = False
    ) -> Aggregates:
        """Counts, means over branching questions and over easy ones, and the trace rate."""
        del original
        return (
            {
                "branching_questions": float(sum(bool(f.get("is_branching")) for f in questions)),
                "easy_questions": float(sum(bool(f.get("is_easy")) for f in questions)),
            }
            | means_over(
                questions,
                lambda f: bool(f.get("is_branching")),
                {
                    "branching_avg_hop_coverage": "hop_coverage",
                    "branching_avg_grounded_hop_coverage": "grounded_hop_coverage",
                    "branching_success_rate": "branching_success",
                },
            )
            | means_over(
                questions,
                lambda f: bool(f.get("is_branching")) and bool(f.get("required_tools")),
                {"branching_avg_tool_coverage": "tool_coverage"},
            )
            | easy_and_traced(questions)
        )


def hop_figures(question: Question, answer: AnswerView, *, original: bool) -> Figures:
    """Hop counts and coverages; without hops they abstain (0.0 in the original)."""
    hops = hop_coverage(question.required_hops, answer=answer.text, sources=answer.sources)
    nothing = 0.0 if original else None
    return {
        "required_hops": hops.required,
        "matched_hops": hops.matched,
        "hop_coverage": hops.coverage if hops.required else nothing,
        "grounded_hop_coverage": hops.grounded_coverage if hops.required else nothing,
    }


def tool_coverage(required: frozenset[str], trace: ToolTrace, *, original: bool) -> Figures:
    """Tool figures; coverage abstains without required tools or without a trace."""
    matched = len(required & trace.tools)
    coverage: float | None = None
    if required and (trace.reported or original):
        coverage = matched / len(required)
    elif original:
        coverage = 0.0
    return {
        "matched_tools": matched,
        "tool_coverage": coverage,
        "has_tool_trace": trace.reported,
        "tool_calls_reported": trace.calls,
    }


def easy_and_traced(questions: Sequence[Mapping[str, Any]]) -> Aggregates:
    """Hop coverage of the easy questions, and the share of questions that reported a trace."""
    return means_over(
        questions, lambda f: bool(f.get("is_easy")), {"easy_avg_hop_coverage": "hop_coverage"}
    ) | written({"tool_trace_rate": mean_of(f.get("has_tool_trace") for f in questions)})
