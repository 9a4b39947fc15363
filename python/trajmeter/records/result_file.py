"""Parts of a framework's result file that come from elsewhere: judge usage and code quality."""

from __future__ import annotations

from trajmeter.records.outcomes import Cause
from trajmeter.records.record import FileRecord

__all__ = ["CodeQuality", "CodeReview", "JudgeRecord", "StaticMetrics"]


class JudgeRecord(FileRecord):
    """Usage for judging one answer or reviewing one source file, separate from the agent's."""

    model: str | None = None
    """Model that judged."""
    cause: Cause | None = None
    """Why the answer was not scored; ``None`` if it was."""
    message: str | None = None
    """The cause in words."""
    prompt_tokens: int = 0
    """Prompt tokens of all attempts."""
    completion_tokens: int = 0
    """Completion tokens of all attempts."""
    cost_usd: float | None = None
    """Cost in US dollars; ``None`` if the model has no known price."""
    attempts: int = 0
    """Calls made, retries included."""
    replayed: bool = False
    """Whether the replies came from a recording."""


class StaticMetrics(FileRecord):
    """Static measures of one source file; ``None`` if a figure is missing."""

    loc: int | None = None
    """Lines."""
    sloc: int | None = None
    """Source lines, excluding blank lines, comments and docstrings."""
    comments: int | None = None
    """Comment tokens, including those after code."""
    blank: int | None = None
    """Blank lines."""
    comment_ratio: float | None = None
    """Comments / sloc; may exceed 1."""
    avg_cyclomatic_complexity: float | None = None
    """Mean complexity of functions and methods; ``None`` without any."""
    max_cyclomatic_complexity: int | None = None
    """Maximum complexity of functions and methods."""
    complexity_grade: str | None = None
    """A (5 or less) to F (over 40), of the mean."""
    maintainability_index: float | None = None
    """0-100, docstrings counted as comments; higher is easier to maintain."""
    maintainability_grade: str | None = None
    """A (20 or more), B (10 or more) or C."""
    halstead_volume: float | None = None
    """Size of the code in bits."""
    halstead_difficulty: float | None = None
    """How hard the code is to write or understand."""
    halstead_effort: float | None = None
    """Volume times difficulty."""
    halstead_bugs: float | None = None
    """Estimated number of bugs, volume / 3000."""
    num_imports: int | None = None
    """Import statements."""
    num_framework_imports: int | None = None
    """Import statements for the framework's packages."""
    num_classes: int | None = None
    """Class definitions."""
    num_functions: int | None = None
    """Function and method definitions."""
    type_annotation_ratio: float | None = None
    """Functions with a return annotation / functions; ``None`` without any."""


class CodeReview(FileRecord):
    """A judge's review of one source file, seven criteria of 1-5."""

    readability: float | None = None
    """Naming, formatting, flow."""
    idiomatic_usage: float | None = None
    """Use of the framework's interfaces and of the language."""
    error_handling: float | None = None
    """Edge cases, exceptions, invalid states."""
    extensibility: float | None = None
    """Ease of adding features."""
    testability: float | None = None
    """Isolation of components."""
    documentation: float | None = None
    """Docstrings, comments, telling names."""
    abstraction: float | None = None
    """Neither over-engineered nor flat."""
    avg_score: float | None = None
    """Mean of the seven."""
    reasoning: str | None = None
    """The reviewer's reasons."""


class UnreviewedCode(FileRecord):
    """Code whose review failed, kept so that it can be reviewed later."""

    scenario: str
    """What the scenario asks for."""
    source: str
    """The source code."""


class CodeQuality(FileRecord):
    """Quality of a framework's implementation."""

    source_file: str | None = None
    """File that was measured."""
    source_sloc: int | None = None
    """Its source lines."""
    static_metrics: StaticMetrics | None = None
    """Static measures; ``None`` if the file does not parse."""
    code_review: CodeReview | None = None
    """The review, if one was made."""
    error: str | None = None
    """Why the static measures are missing."""
    python_version: str | None = None
    """Python that parsed the file; measures of f-strings differ between versions."""
    judge: JudgeRecord | None = None
    """Usage of the review."""
    unreviewed: UnreviewedCode | None = None
    """What was to be reviewed, if the judge failed."""
