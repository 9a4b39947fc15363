"""The line of progress that each question of a run gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trajmeter.frameworks.harness import Progress
    from trajmeter.frameworks.results import QuestionResult

__all__ = ["progress_line"]

_SHOWN_CHARACTERS = 160
"""Characters of an error that a line shows; the result file has them all."""


def progress_line(progress: Progress, *, runs: int, questions: int) -> str:
    """How far a run has come, and what became of its last question.

    Args:
        progress: What was finished.
        runs: Number of runs.
        questions: Questions of a run.
    """
    result = progress.result
    run = f"run {progress.run} of {runs}, " if runs > 1 else ""
    outcome = result.outcome.value.replace("_", " ") if result.outcome else ""
    return (
        f"{run}{progress.finished}/{questions} {result.question_id} {outcome} "
        f"{result.latency_seconds or 0.0:.2f} s{_trouble(result)}"
    )


def _trouble(result: QuestionResult) -> str:
    """Why a question failed, was not judged, or has no figures of the scenario profile."""
    if result.error is not None:
        return f": {result.error[:_SHOWN_CHARACTERS]}"
    if result.judge is not None and result.judge.cause is not None:
        message = (result.judge.message or "")[:_SHOWN_CHARACTERS]
        return f", not judged: {result.judge.cause.value}: {message}"
    if result.extra_metrics_error is not None:
        return f", no figures of the profile: {result.extra_metrics_error[:_SHOWN_CHARACTERS]}"
    return ""
