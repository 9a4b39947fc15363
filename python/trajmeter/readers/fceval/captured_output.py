"""Captured output of fc-eval's tests: terminal output, with JSON between marker lines.

::

    FORMULACODE_TESTS_START
    {"results": {"summary": {"passed": 8, "failed": 0, "error": 0, "skipped": 2, "total": 10}}}
    FORMULACODE_TESTS_END

The blocks are TESTS, RESULT and SNAPSHOT. Absent or unreadable tests or snapshots are failures;
without a result the agent is unknown.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import content_name, open_content
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._logs.values import as_object, as_text, safe_int
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.fceval.config import Agent
from trajmeter.readers.fceval.results import measurements
from trajmeter.records import (
    PytestSummary,
    ReadProblem,
    RunLog,
    SnapshotSummary,
    Source,
    Trajectory,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["CAPTURED_OUTPUT"]

_MARKER = re.compile(r"FORMULACODE_(TESTS|RESULT|SNAPSHOT)_(START|END)")
_NOTES = re.compile(r"FORMULACODE_(?:NO_BENCHMARKS|DISCOVERY_FAILED):.*")
_BEGINNING = b"FORMULACODE_"
_BLOCK = 1 << 18
_PASS_TO_FAIL = ("pass-to-fail", "pass_to_fail")
_COUNTS = ("passed", "failed", "error", "skipped", "total")
_PANE = re.compile(r"(?P<task>.+)\.\d+-of-\d+\..*", re.DOTALL)


def _recognises(path: Path, head: bytes) -> Evidence | None:
    """Whether a file contains a marker; JSON, which may quote one within a line, is excluded."""
    if path.is_dir() or head.startswith((b"PAR1", b"PK\x03\x04")):
        return None
    may_be_json = False
    if json_input.first_byte(head) in (b"{", b"["):
        first, _, rest = head.lstrip().partition(b"\n")
        if not rest or _is_json(first):  # large data is not searched for markers
            return None
        may_be_json = True  # terminal output may begin with a bracket
    with open_content(path) as file:
        if not _holds_marker(file):  # nearly no file does, and its lines take ten times as long
            return None
        file.seek(0)
        marked = (line for line in file if _BEGINNING in line)
        if may_be_json:
            marked = (line for line in marked if line.lstrip().startswith(_BEGINNING))
        return Evidence.POSSIBLE if any(marked) else None


def _holds_marker(file: BinaryIO) -> bool:
    """Whether a marker may be in a file, in whatever line."""
    before = b""
    while block := file.read1(_BLOCK):  # type: ignore[attr-defined]  # of BufferedReader
        held = before + block
        if _BEGINNING in held:
            return True
        before = held[1 - len(_BEGINNING) :]
    return False


def _is_json(line: bytes) -> bool:
    try:
        json_input.parse(line)
    except ReadError:
        return False
    return True


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the one attempt of a file."""
    try:
        with open_content(path) as file:
            text = file.read().decode(errors="replace")
    except OSError as error:
        report(problem_with(path, error))
        return
    problems = [match[0].strip() for match in _NOTES.finditer(text)]
    blocks = _blocks(text)
    result = as_object(_value("RESULT", blocks, problems))
    key = _key(result)
    agent = Agent.of_key(key) if key else None
    yield Trajectory(
        task_id=_task_id(path),
        agent=agent.name if agent else None,
        model=agent.model if agent else None,
        source=Source(file=str(path)),
        measurements=None if result is None else measurements({**result, "last_agent": key}),
        pytest_summary=_tests(_value("TESTS", blocks, problems)),
        snapshot_summary=_snapshot(_value("SNAPSHOT", blocks, problems)),
        run_log=RunLog(problems=tuple(f"{path}: {problem}" for problem in problems)),
    )


def _blocks(text: str) -> dict[str, str]:
    """The text of each block; the last one counts if a name repeats."""
    blocks = {}
    begins: dict[str, int] = {}
    for marker in _MARKER.finditer(text):
        name, side = marker.groups()
        if side == "START":
            begins[name] = marker.end()
        elif name in begins:
            blocks[name] = text[begins.pop(name) : marker.start()]
    return blocks


def _value(name: str, blocks: dict[str, str], problems: list[str]) -> Any:  # noqa: ANN401 - JSON
    """Parse the JSON value of a block; a terminal may have wrapped its lines."""
    text = blocks.get(name)
    if text is None:
        problems.append(f"the block {name} is missing")
        return None
    reason = ""
    for attempt in (text, text.replace("\r", "").replace("\n", "")):
        try:
            value = json_input.parse(attempt.strip().encode())
        except ReadError as error:
            reason = str(error)
        else:
            if isinstance(value, dict):
                return value
            reason = f"expected an object, got {json_input.type_name(value)}"
    problems.append(f"the block {name} cannot be read: {reason}")
    return None


def _key(result: dict[str, Any] | None) -> str | None:
    """The agent of a result: the last one, or the only one."""
    if result is None:
        return None
    tables = as_object(result.get("per_benchmark_speedups_by_agent")) or {}
    only = next(iter(tables)) if len(tables) == 1 else None
    return as_text(result.get("last_agent")) or only


def _tests(block: dict[str, Any] | None) -> PytestSummary:
    if block is None:
        return PytestSummary(problem="unreadable", status="failed", captured=True)
    counts = block
    if "results" in block:
        results = as_object(block["results"])
        summary = as_object(results.get("summary")) if results is not None else None
        if results is not None and "summary" not in results:
            return PytestSummary(problem="not_run", captured=True)
        counts = summary or {}
    if not any(name in counts for name in _COUNTS):
        return PytestSummary(problem="unreadable", status="failed", captured=True)
    passed, failed, error, skipped, total = (safe_int(counts.get(name)) for name in _COUNTS)
    return PytestSummary(
        passed=passed,
        failed=failed,
        error=error,
        skipped=skipped,
        total=total,
        status="failed" if failed + error > 0 else "passed",
        captured=True,
    )


def _snapshot(block: dict[str, Any] | None) -> SnapshotSummary:
    if block is None:
        return SnapshotSummary(status="failed")
    changed = next((safe_int(block[key]) for key in _PASS_TO_FAIL if key in block), 0)
    return SnapshotSummary(
        passed=safe_int(block.get("passed")),
        failed=safe_int(block.get("failed")),
        skipped=safe_int(block.get("skipped")),
        total=safe_int(block.get("total")),
        pass_to_fail=changed,
        status="failed" if "error" in block or changed > 0 else "passed",
    )


def _task_id(path: Path) -> str:
    """The task, from the folder of the trial that contains a pane, else from the file name."""
    match = _PANE.fullmatch(path.resolve().parent.parent.name)
    return match["task"] if path.parent.name == "panes" and match else Path(content_name(path)).stem


CAPTURED_OUTPUT = FileFormat(
    name="fc-eval-captured-output",
    description="captured output of fc-eval's tests",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "measurements",
        "pytest_summary",
        "snapshot_summary",
        "run_log.problems",
    ),
    origin="fc-eval, output of its tests in a terminal",
    recognises=_recognises,
    records=_read,
)
