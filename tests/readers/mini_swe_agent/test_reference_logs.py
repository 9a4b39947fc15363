"""Real runs of mini-swe-agent, with what is known of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.reference_logs import (
    expected_runs,
    unlike_calls,
    unlike_tokens,
    unlike_views,
)
from trajmeter.metrics.turns.result import BUDGET_REASONS
from trajmeter.readers import read_trajectories
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.records import View

_DATA = os.environ.get("TRAJMETER_REFERENCE_DATA")
pytestmark = pytest.mark.skipif(_DATA is None, reason="TRAJMETER_REFERENCE_DATA is not set")
_FOLDER = Path(_DATA or ".") / "logs" / "mini-swe-agent"
_RUNS = expected_runs(_FOLDER) if _DATA else []


@pytest.fixture(params=_RUNS, ids=lambda run: run["run"])
def run(request: pytest.FixtureRequest) -> tuple[Trajectory, dict[str, Any]]:
    expected: dict[str, Any] = request.param
    (trajectory,) = read_trajectories(_FOLDER / expected["file"])
    return trajectory, expected


def test_run(run: tuple[Trajectory, dict[str, Any]]) -> None:
    read, expected = run
    assert read.model == expected["model"]
    assert read.metadata["exit_status"] == expected["exit_status"]
    assert read.final_patch == expected["final_patch"]
    assert (read.failure is not None) is expected["failure"]
    exhausted = read.failure is not None and read.failure.reason in BUDGET_REASONS
    assert exhausted is expected.get("budget_exhausted", False)
    assert read.usage is not None
    assert read.usage.cost_usd == 0
    assert read.leaks == ()


def test_turns(run: tuple[Trajectory, dict[str, Any]]) -> None:
    read, expected = run
    assert read.turns is not None
    assert len(read.turns) == expected["model_calls"] == len(expected["turns"])
    wrong: list[str] = []
    for number, (turn, known) in enumerate(zip(read.turns, expected["turns"], strict=True), 1):
        # The text mode has no calls but those that were run.
        calls = (
            []
            if "id" not in expected["turns"][0]["calls"][0]
            and known["calls"][0]["arguments"] is None
            else known["calls"]
        )
        found = [*unlike_tokens(turn, known["tokens"]), *unlike_calls(turn.tool_calls, calls)]
        if (turn.text or "") != (known["text"] or ""):
            found.append(f"text {turn.text!r}, expected {known['text']!r}")
        wrong += [f"turn {number}: {each}" for each in found]
    assert not wrong


def test_views(run: tuple[Trajectory, dict[str, Any]]) -> None:
    read, expected = run
    # Where the last lines of a file stand is not in its output.
    assert not [
        *unlike_views(read, expected, unknown=lambda command: command.startswith("tail -n 6"))
    ]
    named = [
        view.path
        for turn in read.turns or ()
        for view in turn.views or ()
        if view.extent == "unknown"
    ]
    assert named == (["gauge/report.py"] if expected["run"] in ("mini-a", "minir-a") else [])


_CONTEXTBENCH = Path(_DATA or ".") / "minisweagent"


@pytest.mark.parametrize(
    "expected", expected_runs(_CONTEXTBENCH) if _DATA else [], ids=lambda run: run["file"][:60]
)
def test_profile_contextbench(expected: dict[str, Any]) -> None:
    (read,) = read_trajectories(_CONTEXTBENCH / expected["file"], profiles=["contextbench"])
    extracted = expected["extracted"]
    steps = [turn.views for turn in read.turns or () if turn.views is not None]
    assert [_context(views) for views in steps] == [
        (step["files"], step["spans"]) for step in extracted["pred_steps"]
    ]
    assert _context(read.final_views or ()) == (extracted["pred_files"], extracted["pred_spans"])
    assert read.metadata["exit_status"] == expected["exit_status"]


def test_profile_contextbench_through_the_command(tmp_path: Path) -> None:
    pytest.importorskip("typer", reason="trajmeter[cli] is not installed")
    from trajmeter.cli import main

    files = sorted(str(path) for path in _CONTEXTBENCH.glob("*.traj.json"))
    to = tmp_path / "all.jsonl"
    assert main(["convert", *files, "--profile", "contextbench", "-o", str(to)]) == 0
    found = {}
    for line in to.read_text(encoding="utf-8").splitlines():
        read = Trajectory.model_validate_json(line)
        assert read.source is not None
        steps = [_context(turn.views) for turn in read.turns or () if turn.views is not None]
        found[read.source.file] = (steps, _context(read.final_views or ()))
    assert found == {
        str(_CONTEXTBENCH / expected["file"]): (
            [(step["files"], step["spans"]) for step in expected["extracted"]["pred_steps"]],
            (expected["extracted"]["pred_files"], expected["extracted"]["pred_spans"]),
        )
        for expected in expected_runs(_CONTEXTBENCH)
    }
    assert len(found) == 15


def _context(views: Iterable[View]) -> tuple[list[str], dict[str, list[dict[str, Any]]]]:
    """Views as ContextBench writes them."""
    files: list[str] = []
    spans: dict[str, list[dict[str, Any]]] = {}
    for view in views:
        if view.extent == "unknown":
            files.append(view.path)
        else:
            span = {"type": "line", "start": view.start, "end": view.end}
            spans.setdefault(view.path, []).append(span)
    return files, spans


def test_default_views_of_contextbench_runs_are_lines_that_were_printed() -> None:
    for expected in expected_runs(_CONTEXTBENCH):
        file = _CONTEXTBENCH / expected["file"]
        (read,) = read_trajectories(file)
        text = json.loads(file.read_text())["messages"]
        printed = "\n".join(str(message["content"]) for message in text).count("\n")
        for turn in read.turns or ():
            for view in turn.views or ():
                if view.extent == "lines":
                    assert view.start is not None
                    assert view.end is not None
                    assert 1 <= view.start <= view.end
                    assert view.end - view.start <= printed
