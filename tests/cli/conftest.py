"""Small inputs for the command line: two attempts at one task, scored by metrics of a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from trajmeter.cli import main
from trajmeter.records import Task, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

METRICS = """
import trajmeter
from trajmeter.errors import ReadError

@trajmeter.metric(low=0, higher_is_better=True)
def length(task, trajectory):
    "Length of the final output."
    return len(trajectory.final_output) if trajectory.final_output else None

@trajmeter.metric
def fragile(task, trajectory):
    return 1 / len(trajectory.final_output)

@trajmeter.metric
def unreadable(task, trajectory):
    raise ReadError("snapshots.jsonl:3: no valid JSON")

@trajmeter.metric
def interrupted(task, trajectory):
    if trajectory.final_output == "":
        raise KeyboardInterrupt
    return 1.0

@trajmeter.metric
def leaving(task, trajectory):
    raise SystemExit(1)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory: trajectories, tasks and metrics."""
    attempts = [
        Trajectory(task_id="one", agent="crab", final_output="abc"),
        Trajectory(task_id="one", agent="heron", final_output=""),
    ]
    (tmp_path / "preds.jsonl").write_text(
        "".join(attempt.model_dump_json(exclude_none=True) + "\n" for attempt in attempts)
    )
    (tmp_path / "gold.jsonl").write_text(Task(id="one").model_dump_json(exclude_none=True) + "\n")
    (tmp_path / "metrics.py").write_text(METRICS)
    monkeypatch.chdir(tmp_path)
    for variable in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


@pytest.fixture
def run(
    folder: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., tuple[int, str, str]]:
    """Run the command line here; return the exit code, stdout and stderr."""

    def call(*arguments: str | os.PathLike[str]) -> tuple[int, str, str]:
        code = main([os.fspath(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return call
