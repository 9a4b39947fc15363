"""``trajmeter run`` with agents that do things to the process they run in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCENARIO = Path(__file__).parents[2] / "examples" / "scenario"
PROGRAM = [sys.executable, "-c", "from trajmeter.cli import program; program()"]
AGENTS = """
import asyncio, os, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from trajmeter.metrics.answers import register_profile

print("imported")

def printing(question):
    print("noise of python")
    subprocess.run([sys.executable, "-c", "print('noise of a program')"])
    return question

async def hanging(question):
    await asyncio.to_thread(time.sleep, 600)

POOL = ThreadPoolExecutor()

def pooled(question):
    return POOL.submit(time.sleep, 600).result()

class Moving:
    def query(self, question):
        os.chdir(os.environ["ELSEWHERE"])
        return question

class Lengths:
    name = "lengths"
    def question_figures(self, question, answer, *, profile=None):
        return {"length": len(answer.text)}
    def aggregates(self, questions, *, profile=None):
        return {"longest": max(figures["length"] for figures in questions)}

register_profile(Lengths())

def measured(question):
    return "abc"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "odd_agents.py").write_text(AGENTS)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


def _run(
    folder: Path, agent: str, *options: str, scenario: Path = SCENARIO
) -> subprocess.CompletedProcess[str]:
    call = ["run", str(scenario), "--agent", f"odd_agents:{agent}", "--skip-judge"]
    call += ["--skip-code-quality", "-f", "json", *options]
    return subprocess.run(
        [*PROGRAM, *call],
        cwd=folder,
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, "ELSEWHERE": str(folder / "elsewhere")},
    )


def test_what_agents_print_is_no_data(folder: Path) -> None:
    done = _run(folder, "printing")
    assert json.loads(done.stdout)["results"][0]["framework"] == "printing"
    for noise in ("imported", "noise of python", "noise of a program"):
        assert noise in done.stderr


@pytest.mark.parametrize("agent", ["hanging", "pooled"])
def test_threads_that_never_end_do_not_keep_the_program_from_ending(
    folder: Path, agent: str
) -> None:
    # If it is kept, this fails by the time limit of a test.
    done = _run(folder, agent, "--query-timeout-seconds", "0.3")
    assert json.loads(done.stdout)["results"][0]["outcomes"]["timed_out"] == 4


def test_an_agent_that_goes_elsewhere_does_not_take_the_results_with_it(folder: Path) -> None:
    _run(folder, "Moving")
    (file,) = (folder / "results").iterdir()
    assert file.name.startswith("moving_")
    assert list((folder / "elsewhere").iterdir()) == []


def test_a_scenario_profile_may_come_with_the_agent_or_from_a_plug_in(folder: Path) -> None:
    scenario = folder / "scenario"
    (scenario / "documents").mkdir(parents=True)
    (scenario / "spec.yaml").write_text("name: own\nevaluation: {profile: lengths}\n")
    (scenario / "questions.yaml").write_text("questions: [{id: q, text: why}]\n")
    done = _run(folder, "measured", scenario=scenario)
    assert json.loads(done.stdout)["results"][0]["extra_aggregates"]["longest"] == 3

    call = [*PROGRAM, "compare", *map(str, (folder / "results").iterdir()), "-f", "json"]
    alone = subprocess.run(call, capture_output=True, check=False, text=True)
    assert alone.returncode == 2
    assert "unknown scenario profile 'lengths'; available: default, " in alone.stderr

    about = folder / "site" / "acme-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    points = about / "entry_points.txt"
    points.write_text("[trajmeter.scenario_profiles]\nlengths = odd_agents:Lengths\n")
    path = [str(about.parent), str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    with_plugin = subprocess.run(call, capture_output=True, check=True, text=True, env=paths)
    assert '"longest": 3' in with_plugin.stdout

    points.write_text("[trajmeter.scenario_profiles]\nlengths = odd_agents:Absent\n")
    broken = subprocess.run(call, capture_output=True, check=False, text=True, env=paths)
    assert broken.returncode == 2
    assert "plug-in scenario profile 'lengths' (odd_agents:Absent) cannot be" in broken.stderr
    points.write_text("[trajmeter.scenario_profiles]\nlengths = odd_agents:measured\n")
    wrong = subprocess.run(call, capture_output=True, check=False, text=True, env=paths)
    assert "expected an object with question_figures and aggregates" in wrong.stderr
