"""Real runs of OpenHands' SDK, with what is known of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reference_logs import (
    expected_runs,
    unlike_calls,
    unlike_tokens,
    unlike_views,
)
from trajmeter.metrics.turns.result import BUDGET_REASONS
from trajmeter.readers import read_trajectories

_DATA = os.environ.get("TRAJMETER_REFERENCE_DATA")
pytestmark = pytest.mark.skipif(_DATA is None, reason="TRAJMETER_REFERENCE_DATA is not set")
_FOLDER = Path(_DATA or ".") / "logs" / "openhands"
_RUNS = expected_runs(_FOLDER) if _DATA else []


@pytest.mark.parametrize("expected", _RUNS, ids=lambda run: run["run"])
@pytest.mark.parametrize("is_folder", [False, True])
def test_run(expected: dict[str, Any], *, is_folder: bool) -> None:
    folder = _FOLDER / expected["run"].rpartition("-")[2] / "conversation"
    (read,) = read_trajectories(folder if is_folder else _FOLDER / expected["file"])
    if not is_folder:
        assert read.task_id == expected["task_id"]
        assert read.final_patch == expected["final_patch"]
    assert read.model == expected["model"]
    assert read.metadata["exit_status"] == expected["exit_status"]
    exhausted = read.failure is not None and read.failure.reason in BUDGET_REASONS
    assert (read.failure is not None) is expected["failure"]
    assert exhausted is expected.get("budget_exhausted", False)
    assert read.turns is not None
    assert len(read.turns) == expected["model_calls"]
    wrong = unlike_views(
        read,
        expected,
        root="/workspace/gauge/",
        unknown=lambda command: command.startswith("tail -n 6"),
    )
    assert not [*wrong]
    for turn, known in zip(read.turns, expected["turns"], strict=True):
        assert (turn.text or "") == (known["text"] or "")
        assert not [*unlike_tokens(turn, known["tokens"])]
        assert not [*unlike_calls(turn.tool_calls, known["calls"])]


def test_completions() -> None:
    (read,) = read_trajectories(_FOLDER / "a" / "completions" / "tide__gauge-7")
    expected = _RUNS[0]
    assert (read.task_id, read.model) == (expected["task_id"], expected["model"])
    wrong = unlike_views(
        read,
        expected,
        root="/workspace/gauge/",
        unknown=lambda command: command.startswith("tail -n 6"),
    )
    assert not [*wrong]
    for turn, known in zip(read.turns or (), expected["turns"], strict=True):
        assert (turn.text or "") == (known["text"] or "")
        assert not [*unlike_tokens(turn, known["tokens"])]
