"""The interface of scenario profiles: extra figures of a question, and their aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from trajmeter.metrics.answers.profile import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trajmeter.metrics.answers.profile import AnswersProfile
    from trajmeter.records import Question

__all__ = [
    "Aggregates",
    "AnswerView",
    "Figures",
    "ScenarioProfile",
    "generic_aggregates",
    "means",
]

Figures: TypeAlias = "dict[str, float | bool | str | None]"
Aggregates: TypeAlias = "dict[str, float]"


class AnswerView(Protocol):
    """What a profile reads from an answer."""

    @property
    def text(self) -> str:
        """The answer."""

    @property
    def sources(self) -> Sequence[str]:
        """Sources it names."""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The agent's metadata about it."""


class ScenarioProfile(Protocol):
    """A named set of figures for one kind of scenario."""

    @property
    def name(self) -> str:
        """Name used in ``spec.yaml``."""

    def question_figures(
        self, question: Question, answer: AnswerView, *, profile: AnswersProfile = DEFAULT
    ) -> Figures:
        """Figures of one answer; ``None`` means that the figure abstains."""

    def aggregates(
        self, questions: Sequence[Mapping[str, Any]], *, profile: AnswersProfile = DEFAULT
    ) -> Aggregates:
        """Aggregates over the figures of all questions; a mean of no values is omitted."""


def generic_aggregates(questions: Sequence[Mapping[str, Any]]) -> Aggregates:
    """``<key>_avg`` of every figure that is a number or boolean in some question."""
    keys = dict.fromkeys(key for figures in questions for key in figures)
    return means(questions, **{f"{key}_avg": key for key in keys})


def means(questions: Iterable[Mapping[str, Any]], **keys: str) -> Aggregates:
    """Mean of a figure over some questions, for each ``name=key``.

    Booleans count as 0 and 1; texts and absent values do not count, and a mean of no values is
    omitted.
    """
    rows = list(questions)
    values = {
        name: [float(row[key]) for row in rows if isinstance(row.get(key), (bool, int, float))]
        for name, key in keys.items()
    }
    return {name: sum(numbers) / len(numbers) for name, numbers in values.items() if numbers}
