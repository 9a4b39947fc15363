"""The plug-in of pytest: what pytest itself reports of tests with claims about scores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from pathlib import Path

TASKS = [
    {
        "id": "t",
        "expected_tool_calls": [{"name": "read", "arguments": {"path": "a"}}],
        "metadata": {"timeout": 60},
    }
]
TESTS = """
import pytest

CALL = {"id": "c", "function": {"name": "read", "arguments": '{"path": "b"}'}}
ATTEMPT = [{"role": "assistant", "tool_calls": [CALL]}]
RIGHT = [{"role": "assistant", "tool_calls": [
    {"id": "c", "function": {"name": "read", "arguments": '{"path": "a"}'}}]}]

pytestmark = pytest.mark.trajmeter(tasks="gold.jsonl")

def test_holds(assert_scores):
    assert_scores(RIGHT, "tools.f1 >= 0.8", "tools.exact", "turns.turn_count == 1", task="t")

def test_fails(assert_scores):
    assert_scores(ATTEMPT, "turns.turn_count < 5", "tools.f1 >= 0.8", "tools.exact",
                  "context.line.coverage >= 0.5", "rules.latency >= 7", task="t")

@pytest.mark.trajmeter(unscored="skip")
def test_skipped(assert_scores):
    assert_scores(RIGHT, "tools.f1 == 1", "context.line.coverage >= 0.5", task="t")

@pytest.mark.trajmeter(profiles="transform-gym")
def test_assigned(assert_scores):
    mute = [{"role": "assistant", "content": ""}]
    assert_scores(mute, "rules.error_handling == 0", task="t")

def test_misspelt(assert_scores):
    assert_scores(RIGHT, "tools.f2 >= 1", task="t")

def test_not_a_claim(assert_scores):
    assert_scores(RIGHT, "tools.f1 >=", task="t")

def test_without_a_bound(assert_scores):
    assert_scores(RIGHT, "tools.f1", task="t")

@pytest.mark.trajmeter(task="gold.jsonl")
def test_wrong_option(assert_scores):
    pass

@pytest.mark.trajmeter("gold.jsonl")
def test_nameless_option(assert_scores):
    pass
"""


def _run(folder: Path, *options: str, plugins: tuple[str, ...] = ()) -> str:
    (folder / "test_agent.py").write_text(TESTS)
    (folder / "gold.jsonl").write_text("".join(f"{json.dumps(task)}\n" for task in TASKS))
    (folder / "pytest.ini").write_text("[pytest]\n")
    loaded = [f"-p{name}" for name in ("trajmeter.hosts.pytest_plugin", *plugins)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *loaded, *options],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_what_pytest_reports(tmp_path: Path) -> None:
    output = _run(tmp_path, "--junitxml=junit.xml", "--trajmeter-report=figures.jsonl", "-rs")
    assert "2 passed, 1 skipped, 2 errors" in output.replace("4 failed, ", "")
    assert (
        "attempt at 't':\n"
        "tools.f1 >= 0.8: is 0.0\n"
        "    arguments read['path']: expected 'a', got 'b'\n"
    ) in "".join(line.removeprefix("E").lstrip() + "\n" for line in output.splitlines()).replace(
        "\narguments", "\n    arguments"
    ).replace("AssertionError: ", "")
    assert "tools.exact: is False" in output
    assert "context.line.coverage >= 0.5: not scored, missing_gold" in output
    assert "rules.latency >= 7: abstained: the task has no time budget" in output
    assert "turns.turn_count < 5: is" not in output  # it holds
    assert "UnknownNameError: no figure 'tools.f2'" in output
    assert "ConfigurationError: the claim 'tools.f1 >=' cannot be read" in output
    assert "ConfigurationError: the claim 'tools.f1' compares nothing" in output
    assert "ConfigurationError: the marker trajmeter has no option 'task'" in output
    assert "ConfigurationError: the marker trajmeter got 'gold.jsonl' without a name" in output
    assert "tools.f1: 0.667, 3 of 3 scored" in output
    assert "context.line.coverage: -, 0 of 2 scored" in output
    properties = {
        case.attrib["name"]: {p.attrib["name"]: p.attrib["value"] for p in case.iter("property")}
        for case in ET.parse(tmp_path / "junit.xml").iter("testcase")  # noqa: S314 - made above
    }
    assert properties["test_fails"]["trajmeter.tools.f1"] == "0.0"
    assert properties["test_fails"]["trajmeter.context.line.coverage"] == "missing_gold"
    assert properties["test_fails"]["trajmeter.rules.latency"] == "abstained"
    lines = [json.loads(line) for line in (tmp_path / "figures.jsonl").read_text().splitlines()]
    assert {line["outcome"] for line in lines} == {"passed", "failed", "skipped"}
    assert [line["unscored"] for line in lines if line["figure"] == "context.line.coverage"] == [
        "missing_gold",
        "missing_gold",
    ]


def test_figures_come_over_xdist(tmp_path: Path) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    output = _run(tmp_path, "-n2", "--trajmeter-report=figures.jsonl", plugins=("xdist",))
    assert "tools.f1: 0.667, 3 of 3 scored" in output
    assert len((tmp_path / "figures.jsonl").read_text().splitlines()) == 11


def test_the_folder_of_the_figures_is_made(tmp_path: Path) -> None:
    _run(tmp_path, "--trajmeter-report=no/such/figures.jsonl", "-k", "test_holds")
    assert len((tmp_path / "no" / "such" / "figures.jsonl").read_text().splitlines()) == 3


def test_figures_that_cannot_be_written_are_reported_before_the_tests(tmp_path: Path) -> None:
    output = _run(tmp_path, "--trajmeter-report=gold.jsonl/figures.jsonl")
    assert "--trajmeter-report: gold.jsonl/figures.jsonl: cannot be written" in output
    assert "INTERNALERROR" not in output
    assert "passed" not in output


def test_a_session_that_does_not_use_it_loads_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text(
        "import sys\n"
        "def test_nothing():\n"
        "    assert 'numpy' not in sys.modules and 'trajmeter.metrics' not in sys.modules\n"
    )
    assert "1 passed" in _run(tmp_path, "test_nothing.py")


AGAIN = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):  # as plug-ins that run failed tests again
    for _ in range(2):
        for report in runtestprotocol(item, log=False, nextitem=nextitem):
            item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
SUBTESTS = """
def test_parts(subtests, assert_scores):
    for name in ("first", "second"):
        with subtests.test(name):
            assert_scores(RIGHT, "tools.f1 == 1", task="t")
"""


def test_figures_of_subtests_and_of_repeated_tests_count_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules[__name__], "TESTS", TESTS + SUBTESTS)
    (tmp_path / "conftest.py").write_text(AGAIN)
    output = _run(tmp_path, "--trajmeter-report=figures.jsonl", "-k", "parts or fails")
    lines = [json.loads(line) for line in (tmp_path / "figures.jsonl").read_text().splitlines()]
    values = [
        (line["test"].partition("::")[2], line["value"])
        for line in lines
        if line["figure"] == "tools.f1"
    ]
    assert values == [("test_fails", 0.0)] * 2 + [("test_parts", 1.0)] * 4, output
