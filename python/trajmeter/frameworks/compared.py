"""Several frameworks' results of one scenario, side by side: what every report shows."""

from __future__ import annotations

from typing import Any

from trajmeter.frameworks.scorecard import Scorecard
from trajmeter.records import AnswerOutcome, CodeQuality, JudgeRecord, QuestionResult, Record

__all__ = [
    "ComparedFigure",
    "ComparedQuestion",
    "ComparedResult",
    "Comparison",
    "Latency",
    "excerpt",
]

_EXCERPT_CHARACTERS = 300


class ComparedFigure(Record):
    """A summary figure with what it rests on."""

    value: float | None
    """The figure; ``None`` where nothing has it."""
    n: int
    """Questions that have it."""
    of: int
    """Questions there are."""
    run_stddev: float | None = None
    """Sample standard deviation over runs, for judge scores of repeated runs."""


class Latency(Record):
    """Distribution of the latency over questions, in seconds."""

    p50: float | None
    """Median, by linear interpolation."""
    p95: float | None
    """95th percentile, by linear interpolation."""
    n: int
    """Questions that have a latency; time-outs count at their limit, failures do not."""


class ComparedQuestion(QuestionResult):
    """One question's result, with an excerpt of the answer."""

    excerpt: str
    """The answer's first 300 characters, with an ellipsis if there are more."""

    def shown(self) -> str:
        """What a report shows as the answer: the error of a failed question, else the excerpt."""
        return excerpt(self.error) if self.error else self.excerpt


class ComparedResult(Record):
    """One framework's result."""

    file: str
    """Result file it was read from."""
    framework: str
    """Name of the framework."""
    run_count: int
    """Runs that the file averages."""
    outcomes: dict[AnswerOutcome, int]
    """Questions answered, timed out and failed, over all runs."""
    summary: dict[str, ComparedFigure]
    """Means, and sums of tokens and cost, by the name of the result file's field."""
    tokens_per_run: float | None
    """Mean tokens of a run, which compares files of different numbers of runs."""
    cost_usd_per_run: float | None
    """Mean cost of a run, likewise."""
    judging: JudgeRecord | None
    """Tokens, cost and calls of the judge over all runs, apart from the agent's; ``None`` where
    nothing was judged, or the file does not say."""
    latency: Latency
    """Percentiles of the latency."""
    scorecard: Scorecard
    """Capability, efficiency and developer experience beside the others."""
    extra_aggregates: dict[str, Any]
    """The scenario profile's figures."""
    extra_aggregates_error: str | None
    """Why the scenario profile gave no aggregates of its own."""
    code_quality: CodeQuality | None
    """Quality of the implementation."""
    questions: dict[str, ComparedQuestion]
    """Every question, by id."""


class Comparison(Record):
    """Results of one scenario side by side."""

    scenario: str
    """Name of the scenario."""
    scenario_type: str | None
    """Kind of scenario."""
    mode: str | None
    """Mode it was run in."""
    scenario_profile: str
    """Scenario profile."""
    results: tuple[ComparedResult, ...]
    """One per result file, in the order given."""

    def question_texts(self) -> dict[str, str]:
        """Text of every question that some result has, by id, in order of first appearance."""
        texts: dict[str, str] = {}
        for result in self.results:
            for question_id, question in result.questions.items():
                texts.setdefault(question_id, question.question_text)
        return texts


def excerpt(answer: str) -> str:
    """The beginning of an answer, with an ellipsis if there is more."""
    if len(answer) <= _EXCERPT_CHARACTERS:
        return answer
    return answer[:_EXCERPT_CHARACTERS] + "…"
