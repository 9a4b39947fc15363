"""A framework's scored answers in a scenario, as in its result file: one JSON document per run.

Field names are those of existing result files, so old files can be read; fields that this package
adds have defaults and come last.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from trajmeter.records import Cause, CodeQuality, JudgeRecord
from trajmeter.records.record import FileRecord

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["SCORES", "AnswerOutcome", "FrameworkEvaluation", "QuestionResult"]

SCORES = ("correctness", "completeness", "faithfulness")
"""What a judge scores in each answer, 1 to 5."""

_QUESTION_USAGE = (
    "latency_seconds",
    "prompt_tokens",
    "completion_tokens",
    "total_tokens",
    "estimated_cost_usd",
    "reported_latency_seconds",
)
_TOTALS = ("avg_latency", "total_tokens", "total_cost_usd")


class AnswerOutcome(str, Enum):
    """Outcome of asking a question."""

    ANSWERED = "answered"
    """The framework answered."""
    TIMED_OUT = "timed_out"
    """The framework did not answer in time; its scores are 0 by rule."""
    FAILED = "failed"
    """The framework raised; its scores are 0 by rule."""


class QuestionResult(FileRecord):
    """One question's answer and scores."""

    question_id: str
    """Id of the question."""
    question_text: str
    """The question."""
    expected_answer: str | None = None
    """Reference answer."""
    actual_answer: str | None = None
    """The framework's answer."""
    sources_expected: tuple[str, ...] = ()
    """Documents that hold the answer."""
    sources_retrieved: tuple[str, ...] = ()
    """Documents named by the framework, in its order, including duplicates."""
    latency_seconds: float | None = None
    """Seconds from question to answer."""
    prompt_tokens: int | None = None
    """Prompt tokens, as reported by the framework."""
    completion_tokens: int | None = None
    """Completion tokens, as reported by the framework."""
    total_tokens: int | None = None
    """Prompt and completion tokens."""
    estimated_cost_usd: float | None = None
    """Cost in US dollars by the price table; 0 for an unknown model."""
    model_name: str | None = None
    """Model that answered."""
    correctness_score: float | None = None
    """Judge's correctness, 1-5; 0 for a question without an answer; ``None`` if not judged."""
    completeness_score: float | None = None
    """Judge's completeness, on the same scale."""
    faithfulness_score: float | None = None
    """Judge's faithfulness to the sources, on the same scale."""
    judge_reasoning: str | None = None
    """The judge's reasons."""
    retrieval_precision: float | None = None
    """Relevant retrieved sources / retrieved sources, 0-1."""
    retrieval_recall: float | None = None
    """Relevant retrieved sources / expected sources, 0-1."""
    extra_metrics: dict[str, Any] = Field(default_factory=dict)
    """The scenario profile's figures for this question."""
    outcome: AnswerOutcome | None = None
    """Answered, timed out or failed; ``None`` in files that do not record it."""
    error: str | None = None
    """The error of a failed question."""
    run_outcomes: dict[AnswerOutcome, int] | None = None
    """In an average of several runs: number of runs that answered, timed out or failed."""
    run_judge_causes: dict[Cause, int] | None = None
    """In an average of several runs: number of answers that the judge did not score, by cause."""
    reported_latency_seconds: float | None = None
    """Latency as reported by the framework itself."""
    priced: bool | None = None
    """Whether the model's price is known; ``None`` in files that do not record it."""
    question_metadata: dict[str, Any] = Field(default_factory=dict)
    """The question's metadata, as in the scenario."""
    answer_metadata: dict[str, Any] = Field(default_factory=dict)
    """The answer's metadata, as returned by the framework."""
    answer_problems: tuple[str, ...] = ()
    """What the framework returned, except the text, that could not be read and counts as absent."""
    judge: JudgeRecord | None = None
    """Usage for judging."""
    extra_metrics_error: str | None = None
    """Why the scenario profile has no figures for this question."""

    @model_validator(mode="before")
    @classmethod
    def _without_negative_figures(cls, fields: Any) -> Any:  # noqa: ANN401 - whatever the file holds
        negative = _negative(fields, _QUESTION_USAGE)
        if not negative:
            return fields
        problems = [f"{name} is {value}, expected 0 or more" for name, value in negative.items()]
        kept = {key: value for key, value in fields.items() if key not in negative}
        return kept | {"answer_problems": (*(fields.get("answer_problems") or ()), *problems)}


class FrameworkEvaluation(FileRecord):
    """One framework's run of a scenario, or the average of several runs."""

    framework_name: str
    """Name of the framework."""
    scenario_name: str
    """Name of the scenario."""
    scenario_type: str | None = None
    """Kind of scenario."""
    evaluation_mode: str | None = None
    """Mode in which the scenario was run."""
    evaluation_profile: str | None = None
    """Scenario profile."""
    questions: tuple[QuestionResult, ...] = ()
    """Every question, in the scenario's order."""
    avg_latency: float | None = None
    """Mean latency in seconds."""
    total_tokens: int | None = None
    """Sum of tokens."""
    total_cost_usd: float | None = None
    """Sum of costs in US dollars."""
    avg_correctness: float | None = None
    """Mean correctness."""
    avg_completeness: float | None = None
    """Mean completeness."""
    avg_faithfulness: float | None = None
    """Mean faithfulness."""
    avg_retrieval_precision: float | None = None
    """Mean retrieval precision."""
    avg_retrieval_recall: float | None = None
    """Mean retrieval recall."""
    extra_aggregates: dict[str, Any] = Field(default_factory=dict)
    """Means of the profile's figures, the profile's own aggregates, deviations over runs."""
    code_quality: CodeQuality | None = None
    """Quality of the implementation."""
    run_id: int = 0
    """0-based number of the run; -1 for the average of several."""
    run_count: int = Field(default=1, ge=1)
    """Runs that this file averages."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Versions of this package, of Python and of the price table."""
    started_at: str | None = None
    """UTC time at which the run began, ISO 8601."""
    finished_at: str | None = None
    """UTC time at which the run ended, ISO 8601."""
    extra_aggregates_error: str | None = None
    """Why the scenario profile has no aggregates of its own."""

    @model_validator(mode="before")
    @classmethod
    def _without_negative_totals(cls, fields: Any) -> Any:  # noqa: ANN401 - whatever the file holds
        negative = _negative(fields, _TOTALS)
        return {key: fields[key] for key in fields if key not in negative} if negative else fields

    @field_validator("questions")
    @classmethod
    def _unique_ids(cls, questions: tuple[QuestionResult, ...]) -> tuple[QuestionResult, ...]:
        first: dict[str, int] = {}
        repeated = [
            InitErrorDetails(
                type=PydanticCustomError(
                    "repeated_question_id",
                    "also the id of questions[{first}]; ids join answers and must be unique",
                    {"first": first[question.question_id]},
                ),
                loc=(i, "question_id"),
                input=question.question_id,
            )
            for i, question in enumerate(questions)
            if first.setdefault(question.question_id, i) != i
        ]
        if repeated:
            raise ValidationError.from_exception_data(cls.__name__, repeated)
        return questions


def _negative(fields: object, names: Sequence[str]) -> dict[str, float]:
    """Negative times, counts and costs, which are invalid."""
    if not isinstance(fields, dict):
        return {}
    found = {name: fields.get(name) for name in names}
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, (int, float)) and value < 0
    }
