"""Rule ``error_handling``: no error of the framework surfaced in the transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.rules.configuration import read_texts
from trajmeter.metrics.rules.grade import FULL, grade
from trajmeter.metrics.rules.result import ErrorScore

if TYPE_CHECKING:
    from trajmeter.metrics.rules.attempt import Attempt
    from trajmeter.records import Task

__all__ = ["DEFAULT_MARKERS", "error_handling"]

DEFAULT_MARKERS = ("ERROR:",)
"""What is looked for unless the task says otherwise: what the framework itself writes."""


def error_handling(task: Task, attempt: Attempt) -> ErrorScore:
    """Look for error markers: 0 if any is found, else 10. Always active.

    Args:
        task: ``error_markers`` in its metadata replaces the default; a list without any text does
            not.
        attempt: The attempt.

    Raises:
        CannotScoreError: The attempt has no transcript.
    """
    markers = read_texts(task.metadata.get("error_markers")) or DEFAULT_MARKERS
    found = tuple([marker for marker in markers if attempt.contains(marker)])
    listed = ", ".join(map(repr, found))
    reason = f"the transcript contains {listed}" if found else "no error marker was found"
    details = {"errors_found": found, "markers_checked": markers}
    return grade(ErrorScore, 0.0 if found else FULL, reason, details)
