"""Captured output of tests: blocks, and what their absence means."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.metrics.speedup.runs import FAST, score, table
from trajmeter.readers import Evidence, FileFormat, format_named, read_trajectories
from trajmeter.records import Cause, Outcome, Trajectory

if TYPE_CHECKING:
    from pathlib import Path

BLOCK_BYTES = 1 << 18
COUNTS = {"passed": 8, "failed": 0, "error": 0, "skipped": 2, "total": 10}
SNAPSHOT = {"total": 68, "passed": 49, "failed": 6, "skipped": 13, "pass-to-fail": 0}
RESULT = {
    "last_agent": FAST,
    "per_benchmark_speedups": table(f=(4.0, 2.0)),
    "per_benchmark_speedups_by_agent": {FAST: table(f=(4.0, 2.0))},
}


def block(name: str, value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f"$ make\nFORMULACODE_{name}_START\n{text}\nFORMULACODE_{name}_END\nnoise {{\n"


def write(path: Path, **blocks: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    given = {"TESTS": COUNTS, "RESULT": RESULT, "SNAPSHOT": SNAPSHOT, **blocks}
    path.write_text("".join(block(n, v) for n, v in given.items() if v is not None))
    return path


def read(path: Path) -> Trajectory:
    (attempt,) = read_trajectories(path)
    return attempt


def problems(attempt: Trajectory) -> str:
    return "\n".join(attempt.run_log.problems if attempt.run_log else ())


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_three_blocks(tmp_path: Path, line_end: bytes) -> None:
    path = write(tmp_path / "pane.txt")
    path.write_bytes(path.read_bytes().replace(b"\n", line_end))
    attempt = read(path)
    assert (attempt.task_id, attempt.agent, attempt.model) == ("pane", "fixer", "large")
    assert problems(attempt) == ""
    result = score(path)[0][FAST]
    assert (result.task_speedup, result.success, result.outcome) == (4.0, True, "scored")
    assert (result.pytest_summary.passed, result.snapshot_summary.failed) == (8, 6)


def test_a_pane_in_a_run_is_of_the_trials_task(tmp_path: Path) -> None:
    pane = tmp_path / "t" / "t.x.1-of-1.r" / "panes" / "post-test.txt"
    assert read(write(pane)).task_id == "t.x"
    assert read(write(pane.parent.parent / "logs" / "last.txt")).task_id == "last"


@pytest.mark.parametrize(
    ("tests", "failed"),
    [
        ({"results": {"summary": COUNTS, "exit_code": 0}}, False),
        ({**COUNTS, "failed": 1}, True),
        ({"results": {"summary": {**COUNTS, "error": 2}}}, True),
        ({"total": 0, "passed": 0, "failed": 0, "error": 0, "skipped": 0}, False),
        (None, True),
        ("{cut", True),
        ([1], True),
        ({"results": 5}, True),
        ({"other": 1}, True),
    ],
)
def test_tests_fail_where_one_does_or_none_can_be_read(
    tmp_path: Path, tests: object, failed: bool
) -> None:
    path = write(tmp_path / "pane.txt", TESTS=tests)
    for profile in (None, "fc-eval"):
        result = score(path, profile=profile)[0][FAST]
        assert (result.pytest_failed, result.fallback_to_baseline) == (failed, failed)
        assert result.task_speedup == (1.0 if failed else 4.0)


def test_tests_that_were_not_run_fail_in_fceval_only(tmp_path: Path) -> None:
    path = write(tmp_path / "pane.txt", TESTS={"results": {"exit_code": 0, "details": "off"}})
    result = score(path)[0][FAST]
    assert (result.tests_not_run, result.pytest_failed, result.task_speedup) == (True, False, 4.0)
    result = score(path, profile="fc-eval")[0][FAST]
    assert (result.pytest_failed, result.task_speedup) == (True, 1.0)


def test_one_error_fails_and_fceval_loses_the_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "pane.txt", TESTS={**COUNTS, "error": 1})
    ours, theirs = score(path)[0][FAST], score(path, profile="fc-eval")[0][FAST]
    assert (ours.pytest_failed, ours.pytest_summary.error) == (True, 1)
    assert ours.pytest_summary.status == "failed"
    assert (theirs.pytest_failed, theirs.pytest_summary.error) == (True, 0)


@pytest.mark.parametrize(
    ("snapshot", "failed"),
    [
        ({**SNAPSHOT, "failed": 60}, False),  # they failed before, too
        ({**SNAPSHOT, "pass-to-fail": 1}, True),
        ({"total": 1, "pass_to_fail": 2}, True),
        ({**SNAPSHOT, "error": "no baseline"}, True),
        ({}, False),
        (None, True),
        ("nothing", True),
        ([SNAPSHOT], True),
    ],
)
def test_a_snapshot_fails_if_a_test_went_from_pass_to_fail(
    tmp_path: Path, snapshot: object, failed: bool
) -> None:
    path = write(tmp_path / "pane.txt", SNAPSHOT=snapshot)
    for profile in (None, "fc-eval"):
        assert score(path, profile=profile)[0][FAST].snapshot_failed == failed


@pytest.mark.parametrize("result", [None, "{cut", [1.5]])
def test_without_a_result_the_agent_is_unknown(tmp_path: Path, result: object) -> None:
    path = write(tmp_path / "pane.txt", RESULT=result)
    attempt = read(path)
    assert (attempt.agent, attempt.model, attempt.measurements) == (None, None, None)
    assert "RESULT" in problems(attempt)
    found = score(path)[0][""]
    assert (found.key, found.outcome) == ("", Outcome.NOT_SCORED)
    assert found.cause is Cause.MISSING_MEASUREMENTS


def test_the_only_agent_of_a_result_is_its_agent(tmp_path: Path) -> None:
    result = {"per_benchmark_speedups_by_agent": {FAST: table(f=(4.0, 2.0))}}
    assert read(write(tmp_path / "pane.txt", RESULT=result)).model == "large"
    both = {**result["per_benchmark_speedups_by_agent"], "other:m": {}}
    unknown = read(write(tmp_path / "pane.txt", RESULT={"per_benchmark_speedups_by_agent": both}))
    assert unknown.agent is None


def test_lines_that_the_terminal_broke_are_joined(tmp_path: Path) -> None:
    text = json.dumps(RESULT)
    wrapped = "\r\n".join(text[begin : begin + 40] for begin in range(0, len(text), 40))
    assert score(write(tmp_path / "pane.txt", RESULT=wrapped))[0][FAST].task_speedup == 4.0


@pytest.mark.parametrize("start", ["[notice] up to date", "{ make", "  [", "\x1b[1m$", "benchmark"])
def test_output_may_begin_like_other_formats(tmp_path: Path, start: str) -> None:
    path = write(tmp_path / "pane.txt")
    path.write_text(f"{start}\n{path.read_text()}")
    assert score(path)[0][FAST].task_speedup == 4.0


def test_json_that_quotes_a_marker_is_not_captured_output(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps({"task_id": "a", "final_output": "FORMULACODE_TESTS_START\n"}))
    assert read(path).final_output == "FORMULACODE_TESTS_START\n"
    path.write_text(json.dumps({"task_id": "a", "final_output": "FORMULACODE_"}, indent=1))
    assert read(path).final_output == "FORMULACODE_"


@pytest.mark.parametrize("start", [b"{ make\n", b"benchmark\n"])
@pytest.mark.parametrize("place", [-13, -12, -11, -6, -1, 0, 1])
def test_a_marker_is_found_wherever_it_is(tmp_path: Path, start: bytes, place: int) -> None:
    """The file is read in blocks, and one may end within the marker."""
    known = format_named("fc-eval-captured-output", Trajectory)
    assert isinstance(known, FileFormat)
    path = tmp_path / "pane.txt"
    before = start.ljust(2 * BLOCK_BYTES + place - 1, b".") + b"\n"
    for end, evidence in (
        (b"FORMULACODE_TESTS_START\n", Evidence.POSSIBLE),
        (b"FORMULACODE_", Evidence.POSSIBLE),
        (b"FORMULACODE", None),
    ):
        path.write_bytes(before + end)
        assert known.recognises(path, before[: 1 << 16]) == evidence


def test_the_last_of_several_blocks_counts(tmp_path: Path) -> None:
    path = write(tmp_path / "pane.txt")
    path.write_text("FORMULACODE_TESTS_START\n{cut\n" + block("TESTS", "{cut") + path.read_text())
    assert score(path)[0][FAST].pytest_failed is False


def test_an_end_without_a_start_ends_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "pane.txt")
    path.write_text("FORMULACODE_TESTS_END\n" + path.read_text() + "FORMULACODE_TESTS_END\n")
    assert score(path)[0][FAST].pytest_failed is False


def test_notes_of_the_tool_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "pane.txt"
    path.write_text("FORMULACODE_NO_BENCHMARKS: the suite is empty\nexit 78\n")
    assert "FORMULACODE_NO_BENCHMARKS: the suite is empty" in problems(read(path))
