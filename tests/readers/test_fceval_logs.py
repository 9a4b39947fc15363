"""Logs and recordings beside an fc-eval result: length, tokens and cost, by default and profile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from tests.metrics.speedup.runs import own, write_run

if TYPE_CHECKING:
    from pathlib import Path

KEY = "fixer:large"
HEADER = b'{"version": 2, "width": 80, "height": 24}\n'


def usage(prompt: object, completion: object) -> dict[str, Any]:
    tokens = {"prompt_tokens": prompt, "completion_tokens": completion}
    return {"llm_metrics": {"accumulated_token_usage": tokens}}


def score(
    folder: Path, log: object = None, recording: bytes | None = None, **metrics: object
) -> list[dict[str, Any]]:
    """The row of an agent, by default and under the profile."""
    run = write_run(folder / "r", {KEY: {**own(KEY, f=(2.0, 1.0)), **metrics}})
    (result,) = run.rglob("results.json")
    if log is not None:
        (result.parent / "agent-logs").mkdir()
        text = log if isinstance(log, str) else json.dumps(log)
        (result.parent / "agent-logs" / "log.json").write_text(text)
    if recording is not None:
        (result.parent / "sessions").mkdir()
        (result.parent / "sessions" / "agent.cast").write_bytes(recording)
    return [
        trajmeter.score(run, metrics=["speedup"], profiles=profiles).rows[0]
        for profiles in ([], ["fc-eval"])
    ]


def figures(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[f"speedup.{name}"] for name in names) for row in rows]


@pytest.mark.parametrize(
    ("log", "default", "fceval"),
    [
        # Accumulated, so the last entry that tells any has all; each entry is an interaction.
        ([usage(9, 1), usage(70, 30), usage(0, 0), {}], (4, 70, 30), (4, 70, 30)),
        # A bad entry ends fc-eval's walk; here it is passed over.
        ([usage(70, 30), "cut"], (2, 70, 30), (2, 0, 0)),
        ([usage(70, 30), usage("x", 1)], (2, 70, 30), (2, 0, 0)),
        ([], (None, None, None), (0, 0, 0)),
        ({"messages": [1]}, (None, None, None), (0, 0, 0)),
        ("[1,", (None, None, None), (0, 0, 0)),
    ],
)
def test_json_logs(
    tmp_path: Path, log: object, default: tuple[Any, ...], fceval: tuple[Any, ...]
) -> None:
    rows = score(tmp_path, log)
    assert figures(rows, "trajectory_length", "input_tokens", "output_tokens") == [default, fceval]


def test_a_log_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    (warning,) = score(tmp_path, "[1,")[0]["speedup.warnings"]
    assert "log.json: no valid JSON" in warning


@pytest.mark.parametrize(
    ("recording", "default", "fceval"),
    [
        (HEADER + b'[1, "o", "x"]\n[2, "i", "y"]\n\ncut\n[3, "m", "z"]\n[4, "i"]\n', 1, 3),
        (HEADER + b'[1, "o", "x"]\n', None, 1),
        # Only an object is a header; fc-eval drops the first line unseen.
        (b'[0, "i", "x"]\n[1, "i", "y"]\n', 2, 1),
        (HEADER + b'[1, "i", "\xff"]\n', 1, 0),
        (b"", None, 0),
    ],
)
def test_recordings(tmp_path: Path, recording: bytes, default: int | None, fceval: int) -> None:
    rows = score(tmp_path, [], recording)
    names = ("trajectory_length", "trajectory_length_source")
    assert figures(rows, *names) == [(default, "cast"), (fceval, "cast")]


def test_a_recorded_length_and_cost_stand_though_they_are_0(tmp_path: Path) -> None:
    rows = score(tmp_path, [usage(70, 30)], None, trajectory_length=0, task_cost_usd=0)
    names = ("trajectory_length", "trajectory_length_source", "task_cost_usd", "cost_source")
    assert figures(rows, *names) == [(0, "recorded", 0.0, "recorded")] * 2


def test_an_unknown_model_costs_nothing_and_is_marked(tmp_path: Path) -> None:
    rows = score(tmp_path, [usage(70, 30)])
    assert figures(rows, "task_cost_usd", "cost_source", "priced")[0] == (0.0, "tokens", False)
