"""Captured output of fc-eval's tests: which blocks fail an agent."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter

if TYPE_CHECKING:
    from pathlib import Path

SUMMARY = {"passed": 8, "failed": 0, "error": 0, "skipped": 2, "total": 10}
TESTS = {"results": {"summary": SUMMARY, "exit_code": 0}}
RESULT = {"last_agent": "a:m", "per_benchmark_speedups": {"m.f": {"agent/nop": 2, "oracle/nop": 4}}}
# Outputs that failed before the change too are no fault of the agent.
SNAPSHOT = {"total": 9, "passed": 6, "failed": 3, "skipped": 0}


def pane(tests: object = TESTS, result: object = RESULT, snapshot: object = SNAPSHOT) -> str:
    text = "collected 10 items\n"
    for name, block in (("TESTS", tests), ("RESULT", result), ("SNAPSHOT", snapshot)):
        if block is not None:
            value = block if isinstance(block, str) else json.dumps(block)
            text += f"FORMULACODE_{name}_START\n{value}\nFORMULACODE_{name}_END\n"
    return text


def score(folder: Path, text: str, *profiles: str) -> dict[str, Any]:
    file = folder / "t.txt"
    file.write_text(text, newline="")
    (row,) = trajmeter.score(file, metrics=["speedup"], profiles=profiles).rows
    return row


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_pane_that_passes(tmp_path: Path, line_end: str) -> None:
    row = score(tmp_path, pane().replace("\n", line_end))
    assert (row["task_id"], row["speedup.key"]) == ("t", "a:m")
    assert (row["speedup.task_speedup"], row["speedup.agent_advantage"]) == (2.0, -2.0)
    assert (row["speedup.success"], row["speedup.pytest_summary.passed"]) == (True, 8)


@pytest.mark.parametrize(
    ("text", "failed", "failed_as_fceval"),
    [
        (pane({"results": {"summary": {**SUMMARY, "failed": 1}}}), True, True),
        (pane({"results": {"summary": {**SUMMARY, "error": 1}}}), True, True),
        (pane({"results": {"exit_code": 0, "details": "off"}}), False, True),
        (pane({"total": 0, "passed": 0, "failed": 0, "error": 0, "skipped": 0}), False, False),
        (pane({"results": {"summary": None}}), True, True),
        (pane("{cut"), True, True),
        (pane(None), True, True),
    ],
)
def test_which_tests_fail(tmp_path: Path, text: str, failed: bool, failed_as_fceval: bool) -> None:
    assert score(tmp_path, text)["speedup.pytest_failed"] is failed
    assert score(tmp_path, text, "fc-eval")["speedup.pytest_failed"] is failed_as_fceval


def test_one_error_is_lost_from_the_counts_of_fceval(tmp_path: Path) -> None:
    text = pane({"results": {"summary": {**SUMMARY, "error": 1}}})
    assert score(tmp_path, text)["speedup.pytest_summary.error"] == 1
    assert score(tmp_path, text, "fc-eval")["speedup.pytest_summary.error"] == 0


def test_tests_that_were_not_run_are_marked(tmp_path: Path) -> None:
    text = pane({"results": {"exit_code": 0, "details": "off"}})
    assert score(tmp_path, text)["speedup.tests_not_run"] is True


@pytest.mark.parametrize(
    ("snapshot", "failed"),
    [
        (SNAPSHOT, False),
        ({**SNAPSHOT, "pass-to-fail": 1}, True),
        ({**SNAPSHOT, "pass_to_fail": 1}, True),
        ({**SNAPSHOT, "pass-to-fail": 0}, False),
        ({"error": "no baseline"}, True),
        ("{cut", True),
        (None, True),
    ],
)
def test_which_snapshots_fail(tmp_path: Path, snapshot: object, failed: bool) -> None:
    row = score(tmp_path, pane(snapshot=snapshot))
    assert row["speedup.snapshot_failed"] is failed
    # Reverted, 1 - 4 is left of the advantage.
    assert row["speedup.agent_advantage"] == (-3.0 if failed else -2.0)


def test_without_a_result_nothing_is_known_of_the_agent(tmp_path: Path) -> None:
    row = score(tmp_path, pane(result=None))
    assert (row["speedup.key"], row["speedup.cause"]) == ("", "missing_measurements")
    assert any("no block RESULT" in warning for warning in row["speedup.warnings"])
