"""Attempts in files, and runs over small units of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trajmeter.readers.pieces import MOST_ROWS
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.runs.converting import Conversion
from trajmeter.scoring.runs.job import Job
from trajmeter.scoring.runs.plan import PlanSizes
from trajmeter.scoring.runs.run import RunListener, RunOptions, run

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import ReadProblem
    from trajmeter.scoring.runs.converting import Converted
    from trajmeter.scoring.runs.run import RunResult
    from trajmeter.summaries.summary import Summary

SIZES = PlanSizes(piece_bytes=4_000, piece_rows=30, files=3)
"""Units of a few dozen lines."""


def write_attempts(file: Path, count: int = 200, *, broken: int = 0) -> Path:
    """Write attempts as JSON lines, mixed with some unreadable lines."""
    lines = []
    for number in range(count):
        turns = [
            {"success": True}
            if (number + turn) % 3
            else {"success": False, "error": {"reason": "parse_error"}}
            for turn in range(number % 5)
        ]
        attempt = {
            "task_id": f"t{number // 4}",
            "agent": f"agent {number % 3}",
            "attempt": str(number),
            "passed": number % 2 == 0,
            "turns": turns,
            "usage": {"cost_usd": number / 7},
        }
        lines.append(json.dumps(attempt))
    for number in range(broken):
        lines.insert((number + 1) * count // (broken + 1), "{broken")
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


def score_units(
    inputs: Path | list[Path],
    output: Path | None,
    *,
    metrics: tuple[Any, ...] = ("turns",),
    profiles: tuple[str, ...] = (),
    sizes: PlanSizes = SIZES,
    problems: list[ReadProblem] | None = None,
    messages: list[str] | None = None,
    tasks: tuple[Any, ...] = (),
    batch_rows: int = MOST_ROWS,
    **options: Any,
) -> RunResult[Summary]:
    """Score inputs in small units."""
    problems = [] if problems is None else problems
    messages = [] if messages is None else messages
    return run(
        Job(metrics, tasks=tasks, reading=ReadingOptions(profiles=profiles, batch_rows=batch_rows)),
        inputs if isinstance(inputs, list) else [inputs],
        output=output,
        options=RunOptions(sizes=sizes, **options),
        listener=RunListener(on_problem=problems.append, on_message=messages.append),
    )


def convert_units(
    inputs: Path | list[Path],
    output: Path,
    *,
    problems: list[ReadProblem] | None = None,
    **options: Any,
) -> RunResult[Converted]:
    """Convert inputs in small units."""
    problems = [] if problems is None else problems
    return run(
        Conversion(),
        inputs if isinstance(inputs, list) else [inputs],
        output=output,
        options=RunOptions(sizes=SIZES, **options),
        listener=RunListener(on_problem=problems.append),
    )


def contents(folder: Path) -> dict[str, bytes]:
    """Return the contents of a finished run folder, except for the lock and the states."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file() and file.parent.name != "state"
    }
