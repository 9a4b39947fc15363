"""Scenario profile ``multihop_chain_qa``: does an answer hold every link of the chain?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.metrics.answers.hops import hop_coverage
from trajmeter.metrics.answers.profiles import means

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.metrics.answers.profiles import Aggregates, AnswerView, Figures
    from trajmeter.records import Question

__all__ = ["MultihopChainQA"]


class MultihopChainQA:
    """Hop coverage of questions that chain several documents.

    A question is multi-hop by its flag, or by requiring more than one hop. Without hops only that
    is written.
    """

    name = "multihop_chain_qa"

    def question_figures(
        self, question: Question, answer: AnswerView, *, original: bool = False
    ) -> Figures:
        """``is_multi_hop`` and, with hops, their coverage and whether the chain is complete."""
        del original
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
        self, questions: Sequence[Mapping[str, Any]], *, original: bool = False
    ) -> Aggregates:
        """Counts, and means over the multi-hop questions that list their hops."""
        del original
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
