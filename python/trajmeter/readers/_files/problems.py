"""Reports files and records that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Source

__all__ = ["problem_at", "problem_with", "refuse"]


def problem_at(source: Source, message: str) -> ReadProblem:
    """Describe an error together with the position of its record."""
    return ReadProblem(file=source.file, line=source.line, record=source.record, message=message)


def problem_with(path: Path, error: OSError | ReadError) -> ReadProblem:
    """Describe an error about a whole file or folder."""
    message = getattr(error, "strerror", None) or str(error)
    return ReadProblem(file=str(path), message=message)


def refuse(problem: ReadProblem) -> None:
    """Raise a problem; used if the caller passed no problem handler.

    Raises:
        ReadError: Always.
    """
    raise ReadError(str(problem))
