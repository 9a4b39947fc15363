"""A killed run leaves whole parts, and the next one gives the bytes of a run that was not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import trajmeter
from tests.scoring.attempts import contents, score_units, write_attempts
from tests.scoring.runs.killed_runs import deadly_metric, random_kills

if TYPE_CHECKING:
    from trajmeter.records import ReadProblem

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="runs are killed in forks")

_PROGRAM = Path(__file__).with_name("killed_runs.py")
_ROOT = Path(__file__).parents[3]


def _kill(kind: str, scenario: str, folder: Path) -> tuple[int, list[str]]:
    """Kill runs; gives how many, and what went wrong."""
    paths = [str(Path(trajmeter.__file__ or "").parents[1]), str(_ROOT)]
    done = subprocess.run(
        [sys.executable, str(_PROGRAM), kind, scenario, str(folder)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    first, *wrong = done.stdout.splitlines()
    return int(first.removeprefix("ok ")), wrong


@pytest.mark.parametrize(
    "scenario",
    [
        "folder",
        "file",
        "shards",
        "sorted file",
        "converted folder",
        "converted file",
    ],
)
def test_a_kill_at_any_flush_or_rename_costs_nothing(scenario: str, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    kills, wrong = _kill("points", scenario, place)
    assert kills >= 40
    assert wrong == []


@pytest.mark.parametrize(
    "scenario",
    [
        "folder",
        "file",
        "shards",
        "processes",
        "sorted folder",
        "sorted shards",
        "sorted processes",
        "converted folder",
        "converted file",
        "converted shards",
        "converted processes",
    ],
)
def test_kills_at_random_cost_nothing(scenario: str, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    assert _kill("random", scenario, place) == (random_kills(scenario), [])


def test_the_unit_of_a_worker_that_dies_is_tried_again(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl", broken=7)  # one of them before the death
    metric = deadly_metric(tmp_path, once=True)
    problems: list[ReadProblem] = []
    done = score_units(runs, tmp_path / "scores", metrics=(metric,), workers=2, problems=problems)
    assert not (tmp_path / "armed").exists()
    assert (done.failed, done.is_complete, done.rows) == ((), True, 200)
    assert len({problem.line for problem in problems}) == len(problems) == done.problems == 7
    score_units(runs, tmp_path / "expected", metrics=(metric,))
    assert contents(tmp_path / "scores") == contents(tmp_path / "expected")


def test_a_unit_whose_workers_die_each_time_is_set_aside(tmp_path: Path) -> None:
    runs = write_attempts(tmp_path / "runs.jsonl")
    metric = deadly_metric(tmp_path, once=False)
    output = tmp_path / "scores"
    done = score_units(runs, output, metrics=(metric,), workers=2)
    (message,) = done.failed
    assert "runs.jsonl, lines " in message
    hint = "if memory ran out, use fewer --workers or a smaller --batch-size"
    assert f"was ended by SIGKILL; {hint}" in message
    assert not done.is_complete
    assert not (output / "manifest.json").exists()
    assert not [*output.rglob("*.part")]
    (tmp_path / "armed").unlink()
    again = score_units(runs, output, metrics=(metric,), workers=2)
    assert (again.resumed, again.is_complete) == (len(again.parts) - 1, True)
    assert json.loads((output / "manifest.json").read_text())["rows"] == 200
