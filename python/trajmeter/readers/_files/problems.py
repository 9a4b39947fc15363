"""Reports files and records that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from trajmeter.records import Source

__all__ = ["problem_at", "refuse"]


def problem_at(source: Source, message: str) -> ReadProblem:
    """Describe an error together with the position of its record."""
    return ReadProblem(file=source.file, line=source.line, record=source.record, message=message)


def refuse(problem: ReadProblem) -> None:
    """Raise a problem; used if the caller passed no problem handler.

    Raises:
        ReadError: Always.
    """
    raise ReadError(str(problem))
