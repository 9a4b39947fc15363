"""Metrics of an installed distribution, found by its entry points."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = """
import trajmeter

@trajmeter.metric(name="shout", version="2", higher_is_better=True)
def loud(task, trajectory):
    "Share of capital letters."
    text = trajectory.final_output
    return sum(letter.isupper() for letter in text) / len(text) if text else None
"""
ENTRY_POINTS = """
[trajmeter.metrics]
shout = acme_metrics:loud
broken = acme_metrics.absent:create
"""


@pytest.fixture
def installed(folder: Path) -> dict[str, str]:
    """An environment in which a distribution with two metrics is installed, one of them broken."""
    site = folder / "site"
    about = site / "acme_metrics-1.0.dist-info"
    about.mkdir(parents=True)
    (site / "acme_metrics.py").write_text(PLUGIN)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-metrics\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    paths = [str(site), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def _run(environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from trajmeter.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        check=False,
        text=True,
        env=environment,
    )


def test_a_plug_in_scores_by_its_name(installed: dict[str, str]) -> None:
    done = _run(installed, "score", "preds.jsonl", "-m", "shout,turns", "-f", "jsonl")
    assert (done.returncode, done.stderr) == (0, "")
    first = json.loads(done.stdout.splitlines()[0])
    assert (first["shout.value"], first["shout.version"]) == (0.0, "2")


def test_a_broken_plug_in_warns_and_is_listed(installed: dict[str, str]) -> None:
    done = _run(installed, "metrics", "list")
    assert done.returncode == 0
    assert done.stderr.startswith("trajmeter: warning: the plug-in metric 'broken' (acme_metrics.")
    lines = {line.split()[0]: " ".join(line.split()) for line in done.stdout.splitlines()}
    assert lines["shout"] == "shout 2 acme-metrics Share of capital letters."
    assert "broken: the plug-in metric 'broken'" in lines["broken"]
    assert "turns" in lines


def test_a_broken_plug_in_that_is_asked_for_is_an_error_of_the_call(
    installed: dict[str, str],
) -> None:
    done = _run(installed, "score", "preds.jsonl", "-m", "broken")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("trajmeter: error: the plug-in metric 'broken'")
    assert "cannot be imported: ModuleNotFoundError" in line
