"""Small handwritten logs, and the records read from them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trajmeter.readers import read_trajectories

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trajmeter.records import ReadProblem, Trajectory, Turn, View


def write_lines(path: Path, *values: Any) -> Path:
    """Write JSON lines; strings are written unchanged."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [value if isinstance(value, str) else json.dumps(value) for value in values]
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def read(path: Path) -> tuple[list[Trajectory], list[ReadProblem]]:
    problems: list[ReadProblem] = []
    return list(read_trajectories(path, on_problem=problems.append)), problems


def read_one(path: Path) -> Trajectory:
    """Read a log with one attempt and no problem."""
    attempts, problems = read(path)
    assert problems == []
    (attempt,) = attempts
    return attempt


def read_as_contextbench(path: Path) -> Trajectory:
    """Read a log with one attempt under the profile."""
    (attempt,) = read_trajectories(path, profiles=("contextbench",))
    return attempt


def ranges(views: Iterable[View] | None) -> list[tuple[str, int | None, int | None]]:
    """Return the path, first and last line of each view."""
    return [(view.path, view.start, view.end) for view in views or ()]


def seen(turn: Turn) -> list[tuple[str, int | None, int | None]]:
    """Return the path, first and last line of each view of a turn."""
    return ranges(turn.views)


def turns_of(attempt: Trajectory) -> tuple[Turn, ...]:
    assert attempt.turns is not None
    return attempt.turns
