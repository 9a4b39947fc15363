"""Scenario profile ``default``: no extra figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.metrics.answers.profiles import Aggregates, AnswerView, Figures
    from trajmeter.records import Question

__all__ = ["Default"]


class Default:
    """Questions that need nothing beyond retrieval and the judge."""

    name = "default"

    def question_figures(
        self, question: Question, answer: AnswerView, *, original: bool = False
    ) -> Figures:
        """No figures."""
        del question, answer, original
        return {}

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, original: bool = False
    ) -> Aggregates:
        """No aggregates."""
        del questions, original
        return {}
