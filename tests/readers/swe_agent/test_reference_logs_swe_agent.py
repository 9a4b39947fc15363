"""Real runs of SWE-agent, with what is known of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.readers.reference_logs import expected_runs, unlike_calls, unlike_views
from trajmeter.metrics.turns.result import BUDGET_REASONS
from trajmeter.readers import read_trajectories

_DATA = os.environ.get("TRAJMETER_REFERENCE_DATA")
pytestmark = pytest.mark.skipif(_DATA is None, reason="TRAJMETER_REFERENCE_DATA is not set")
_FOLDER = Path(_DATA or ".") / "logs" / "swe-agent"


@pytest.mark.parametrize(
    "expected", expected_runs(_FOLDER) if _DATA else [], ids=lambda run: run["run"]
)
def test_run(expected: dict[str, Any]) -> None:
    (read,) = read_trajectories(_FOLDER / expected["file"])
    assert (read.task_id, read.model) == (expected["task_id"], expected["model"])
    assert read.metadata["exit_status"] == expected["exit_status"]
    assert read.final_patch == expected["final_patch"]
    exhausted = read.failure is not None and read.failure.reason in BUDGET_REASONS
    assert (read.failure is not None) is expected["failure"]
    assert exhausted is expected.get("budget_exhausted", False)
    assert read.turns is not None
    assert len(read.turns) == expected["model_calls"]
    assert not [
        *unlike_views(read, expected, unknown=lambda command: command.startswith("tail -n 6"))
    ]
    for turn, known in zip(read.turns, expected["turns"], strict=True):
        if not turn.tool_calls:  # of an answer that was not used, nothing but its text is kept
            assert turn.success is False
            continue
        assert (turn.text or "") == (known["text"] or "")
        # Whether a call succeeded is only told by its text.
        calls = [{**call, "success": None, "error_ends": None} for call in known["calls"]]
        assert not [*unlike_calls(turn.tool_calls, calls)]
