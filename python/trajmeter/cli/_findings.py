"""Messages about a run other than its figures, one line each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from trajmeter.cli._process import print_message

if TYPE_CHECKING:
    from trajmeter.summaries.summary import Summary

__all__ = [
    "report_missing_definitions",
    "report_missing_tasks",
    "report_unjudged",
    "warn_of_slow_kernels",
]


def warn_of_slow_kernels() -> None:
    """Warn that the Python kernels are used, unless they were chosen."""
    from trajmeter.kernels import backend

    if backend() == "python" and os.environ.get("TRAJMETER_BACKEND") != "python":
        print_message(
            "trajmeter: the Rust extension is not installed; "
            "using the slower pure-Python kernels (same results)"
        )


def report_unjudged(summary: Summary) -> int:
    """Report and return the number of attempts without a verdict from the judge."""
    from trajmeter.records import Cause

    causes = (Cause.JUDGE_ERROR, Cause.JUDGE_TIMEOUT, Cause.JUDGE_UNPARSEABLE, Cause.JUDGE_REFUSED)
    attempts, cause = max(
        (
            (figure.not_scored.get(each.value, 0), each.value)
            for figure in summary.overall.figures.values()
            for each in causes
        ),
        default=(0, ""),
    )
    if attempts:
        print_message(
            f"trajmeter: {attempts:,} of {summary.overall.attempts:,} attempts were not judged "
            f"({cause}): the rows give the reasons; fix the causes and score again"
        )
    return attempts


def report_missing_tasks(summary: Summary) -> None:
    """Report how many attempts have no task, and what to do."""
    missing = summary.missing_tasks
    if missing is None:
        return
    share = f"{missing.attempts:,} of {summary.overall.attempts:,} attempts found no task"
    if not missing.known:
        print_message(f"trajmeter: {share}; pass the tasks with --tasks FILE")
        return
    ids = ", ".join(
        repr(task_id) + (f" (did you mean {near!r}?)" if near else "")
        for task_id, near in missing.nearest.items()
    )
    print_message(f"trajmeter: {share}, such as {ids}")


def report_missing_definitions(summary: Summary) -> None:
    """Report how many attempts lack symbol scores for missing definitions, and what to do."""
    from trajmeter.records import Cause

    cause = Cause.MISSING_DEFINITIONS.value
    attempts = max(
        (figure.not_scored.get(cause, 0) for figure in summary.overall.figures.values()), default=0
    )
    if attempts:
        print_message(
            f"trajmeter: {attempts:,} of {summary.overall.attempts:,} attempts have no symbol "
            "scores, because their snapshots lack definitions (folders have none); "
            "take snapshots that have them with trajmeter snapshot, or pass git repositories with "
            "--repos DIR"
        )
