"""What becomes of a file or record that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.records import ReadProblem

if TYPE_CHECKING:
    from trajmeter.records import Source

__all__ = ["problem_at", "refuse"]


def problem_at(source: Source, message: str) -> ReadProblem:
    """What is wrong, with the place of the record."""
    return ReadProblem(file=source.file, line=source.line, record=source.record, message=message)


def refuse(problem: ReadProblem) -> None:
    """Raise it, where nobody asked to be called with problems.

    Raises:
        ReadError: Always.
    """
    raise ReadError(str(problem))
