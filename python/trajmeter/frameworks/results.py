"""Result files: a framework's scored answers in a scenario; one JSON document per run.

Field names are those of existing result files, so old files can be read; fields that this package
adds have defaults and come last.
"""

from __future__ import annotations

import math
import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from trajmeter import json_input
from trajmeter.arguments import paths_and_records
from trajmeter.errors import ReadError
from trajmeter.records import Cause, CodeQuality, JudgeRecord, ReadProblem
from trajmeter.records.record import FileRecord
from trajmeter.writers import write_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime

__all__ = [
    "STAMP",
    "AnswerOutcome",
    "FrameworkEvaluation",
    "NamedResult",
    "QuestionResult",
    "evaluation_file_name",
    "evaluation_stem",
    "read_evaluation",
    "read_results",
    "write_evaluation",
]

STAMP = "%Y%m%d_%H%M%S"
"""Format of the time in the names of result files."""


_DEVICE = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.IGNORECASE)
"""Names that Windows treats as devices, whatever follows the first dot."""
_QUESTION_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens", "estimated_cost_usd")
_TOTALS = ("total_tokens", "total_cost_usd")


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


class NamedResult(NamedTuple):
    """A result with a name that is unique in its comparison."""

    name: str
    """Name of the result file, or position of a result without a file."""
    evaluation: FrameworkEvaluation
    """The result."""


def evaluation_file_name(
    framework: str, scenario: str, *, at: datetime, run: int | None = None
) -> str:
    """Name of a result file.

    Args:
        framework: Name of the framework.
        scenario: Name of the scenario.
        at: When the run began, in UTC.
        run: Number of the run, from 1, if there are several; ``None`` for a single run or the
            average.

    Returns:
        ``<framework>_<scenario>_<YYYYMMDD_HHMMSS>[_runN].json``.

    Example:
        >>> from datetime import datetime
        >>> evaluation_file_name("Pydantic AI", "rag_qa", at=datetime(2026, 2, 9, 17, 43), run=2)
        'pydantic_ai_rag_qa_20260209_174300_run2.json'
    """
    suffix = "" if run is None else f"_run{run}"
    return f"{evaluation_stem(framework, scenario)}_{at:{STAMP}}{suffix}.json"


def evaluation_stem(framework: str, scenario: str) -> str:
    """The start of the names of all result files of a framework and a scenario."""
    stem = f"{_safe('_'.join(framework.lower().split()))}_{_safe(scenario)}"
    return f"_{stem}" if _DEVICE.match(stem) else stem


def write_evaluation(evaluation: FrameworkEvaluation, file: Path) -> None:
    """Write one result file atomically.

    Raises:
        ConfigurationError: The file cannot be written.
    """
    write_text(evaluation.model_dump_json(indent=2) + "\n", file)


def read_evaluation(file: str | Path) -> FrameworkEvaluation:
    """Read one result file; unknown keys are ignored, absent ones are ``None``.

    NaN and infinite numbers, which some JSON writers produce, are errors: no mean may include them.

    Raises:
        ReadError: The file cannot be read; the message names file, field and value.
    """
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        raise ReadError(f"{file}: cannot be read: {error.strerror or error}") from error
    try:
        evaluation = FrameworkEvaluation.model_validate_json(content.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        raise ReadError(f"{file}: {json_input.describe_error(error)}") from error
    _check_finite(evaluation, at=str(file))
    return evaluation


def read_results(
    results: str | Path | Iterable[str | Path | FrameworkEvaluation],
    *,
    on_problem: Callable[[ReadProblem], None] | None = None,
) -> list[NamedResult]:
    """Read results to compare or average.

    Args:
        results: Result files, or results.
        on_problem: Called with every file that cannot be read and is skipped. Without it, the first
            one raises.

    Returns:
        The results. A file is named by its name, or by its path if two files share a name; a result
        by its position.

    Raises:
        ReadError: Without ``on_problem``: a file cannot be read, or a result contains a NaN or an
            infinite number. With it: no file can be read.
    """
    sources = list(paths_and_records(results, FrameworkEvaluation, name="results"))
    names = [Path(item).name for item in sources if not isinstance(item, FrameworkEvaluation)]
    read: list[NamedResult] = []
    for position, item in enumerate(sources):
        if isinstance(item, FrameworkEvaluation):
            at = name = f"results[{position}]"
        else:
            at, name = str(item), Path(item).name
            name = name if names.count(name) == 1 else at
        try:
            read.append(NamedResult(name, _evaluation(item, at=at)))
        except ReadError as error:
            if on_problem is None:
                raise
            on_problem(ReadProblem(file=at, message=str(error).removeprefix(f"{at}: ")))
    if sources and not read:
        raise ReadError("none of the result files could be read")
    return read


def _evaluation(item: str | Path | FrameworkEvaluation, *, at: str) -> FrameworkEvaluation:
    if not isinstance(item, FrameworkEvaluation):
        return read_evaluation(item)
    _check_finite(item, at=at)
    return item


def _check_finite(evaluation: FrameworkEvaluation, *, at: str) -> None:
    for place, number in _not_finite(evaluation.model_dump(), ""):
        raise ReadError(f"{at}: {place}: expected a finite number, got {number}")


def _not_finite(value: object, place: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float) and not math.isfinite(value):
        yield place, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _not_finite(item, f"{place}.{key}" if place else str(key))
    elif isinstance(value, (list, tuple)):
        for position, item in enumerate(value):
            yield from _not_finite(item, f"{place}[{position}]")


def _negative(fields: object, names: Sequence[str]) -> dict[str, float]:
    """Negative counts and costs, which are invalid."""
    if not isinstance(fields, dict):
        return {}
    found = {name: fields.get(name) for name in names}
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, (int, float)) and value < 0
    }


def _safe(name: str) -> str:
    """The name without characters that are invalid or change the folder in a file name."""
    return "".join("-" if character in '/\\:*?"<>|\0' else character for character in name)
