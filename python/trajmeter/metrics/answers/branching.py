"""Scenario profile ``tool_branching_qa``: are the right tools chosen where there is a choice?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.metrics.answers.hops import hop_coverage
from trajmeter.metrics.answers.profiles import means
from trajmeter.metrics.answers.traces import names, tool_trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.metrics.answers.profiles import Aggregates, AnswerView, Figures
    from trajmeter.metrics.answers.traces import ToolTrace
    from trajmeter.records import Question

__all__ = [
    "ToolBranchingQA",
    "easy_and_traced",
    "hop_figures",
    "tool_coverage",
    "with_hops",
    "with_tools",
]


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
        branching = [figures for figures in questions if figures.get("is_branching")]
        return {
            "branching_questions": float(len(branching)),
            "easy_questions": float(sum(bool(f.get("is_easy")) for f in questions)),
            **means(
                with_hops(branching, original=original),
                branching_avg_hop_coverage="hop_coverage",
                branching_avg_grounded_hop_coverage="grounded_hop_coverage",
                branching_success_rate="branching_success",
            ),
            **means(
                with_tools(branching, "required_tools", original=original),
                branching_avg_tool_coverage="tool_coverage",
            ),
            **easy_and_traced(questions, original=original),
        }


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


def with_hops(questions: Iterable[Mapping[str, Any]], *, original: bool) -> list[Mapping[str, Any]]:
    """The questions that list hops; in the original, all of them."""
    return [figures for figures in questions if original or figures.get("required_hops")]


def with_tools(
    questions: Iterable[Mapping[str, Any]], required: str, *, original: bool
) -> list[Mapping[str, Any]]:
    """Questions that require tools and reported a trace; in the original, that require tools."""
    return [
        figures
        for figures in questions
        if figures.get(required) and (original or figures.get("has_tool_trace"))
    ]


def easy_and_traced(questions: Sequence[Mapping[str, Any]], *, original: bool) -> Aggregates:
    """Hop coverage of the easy questions, and the share of questions that reported a trace."""
    easy = [figures for figures in questions if figures.get("is_easy")]
    return {
        **means(with_hops(easy, original=original), easy_avg_hop_coverage="hop_coverage"),
        **means(questions, tool_trace_rate="has_tool_trace"),
    }
