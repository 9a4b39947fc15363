"""``trajmeter run`` ends, and can be ended, whatever its agents do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.test_main import PROGRAM
from trajmeter.cli import ExitCode

SCENARIO = Path(__file__).parents[2] / "examples" / "scenario"
AGENT = """
import asyncio, os, pathlib, re, subprocess

def asked(question):
    with open("asked.txt", "a") as file: file.write(question + "\\n")
    return "cat" not in question

async def looping(question):
    while not asked(question):
        while True: pass
    return question

async def native(question):
    if not asked(question): re.fullmatch("(a|a)*b", "a" * 60)
    return question

async def swallowing(question):
    while not asked(question):
        while True:
            try: await asyncio.sleep(600)
            except asyncio.CancelledError: pass
    return question

def leaving(question):
    subprocess.Popen(["sleep", "600"])
    if not asked(question): os._exit(3)
    return question

class Stuck:
    async def query(self, question):
        await asyncio.sleep(0 if asked(question) else 600)
        return question
    async def cleanup(self):
        pathlib.Path("cleaned.txt").touch()
"""
OPTIONS = ("--skip-judge", "--skip-code-quality", "-o", "results", "-f", "json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hostile_agents.py").write_text(AGENT)
    return tmp_path


def _call(agent: str, *options: str) -> list[str]:
    return [
        *PROGRAM,
        "run",
        str(SCENARIO),
        "--agent",
        f"hostile_agents:{agent}",
        *OPTIONS,
        *options,
    ]


@pytest.mark.parametrize("agent", ["looping", "native", "swallowing"])
def test_a_question_that_cannot_be_cancelled_times_out_and_the_others_are_answered(
    folder: Path, agent: str
) -> None:
    call = _call(agent, "--query-timeout-seconds", "2")
    done = subprocess.run(call, cwd=folder, capture_output=True, text=True, check=True)
    outcomes = json.loads(done.stdout)["results"][0]["outcomes"]
    assert outcomes == {"answered": 3, "timed_out": 1, "failed": 0}


def test_programs_that_an_agent_leaves_running_end_with_its_worker(folder: Path) -> None:
    # They hold stderr too: this ends when all have ended.
    done = subprocess.run(_call("leaving"), cwd=folder, capture_output=True, text=True, check=True)
    outcomes = json.loads(done.stdout)["results"][0]["outcomes"]
    assert outcomes == {"answered": 3, "timed_out": 0, "failed": 1}


@pytest.mark.parametrize(
    ("agent", "number", "code"),
    [
        ("looping", signal.SIGINT, ExitCode.INTERRUPTED),
        ("native", signal.SIGTERM, ExitCode.TERMINATED),
        ("swallowing", signal.SIGINT, ExitCode.INTERRUPTED),
        ("Stuck", signal.SIGINT, ExitCode.INTERRUPTED),
        ("Stuck", signal.SIGTERM, ExitCode.TERMINATED),
    ],
)
def test_a_run_can_be_ended_whatever_its_agent_does(
    folder: Path, agent: str, number: int, code: ExitCode
) -> None:
    with subprocess.Popen(
        _call(agent), cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as process:
        asked = folder / "asked.txt"
        while not (asked.exists() and "cat" in asked.read_text()):
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, number)
        # The worker holds stderr too: this ends when both have ended.
        _, err = process.communicate()
    assert process.returncode == code
    assert "run the same command again to resume" in err
    assert (folder / "cleaned.txt").exists() is (agent == "Stuck")
