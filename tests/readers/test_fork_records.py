"""Run records of a ContextBench fork, with their raw responses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.both_ways import as_batches, as_records
from tests.readers.logs import read, read_one, turns_of, write_lines
from trajmeter.records import Extent, Failure, Usage, View

if TYPE_CHECKING:
    from pathlib import Path

CODEX = {
    "agent": "codex",
    "response_format": "jsonl-events",
    "events": [
        {"type": "thread.started", "thread_id": "t1"},
        {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": "Hi."}},
        {"type": "turn.completed", "usage": {"input_tokens": 9, "output_tokens": 1}},
    ],
    "final_message": "Done.",
}
CLAUDE = {
    "agent": "claude",
    "response_format": "json",
    "response": [
        {"type": "system", "subtype": "init", "session_id": "s1", "model": "m-1"},
        "odd",
        {
            "type": "assistant",
            "session_id": "s1",
            "message": {"id": "1", "model": "m-1", "content": "Hi."},
        },
    ],
}


def write(folder: Path, raw: Any = None, **fields: Any) -> Path:
    record = {
        "agent": "codex",
        "bench": "verified",
        "instance_id": "acme__fix-1",
        "commit": "abc",
        "started_at": "2026-03-01T10:00:00Z",
        "duration_ms": 1500,
        "timeout": False,
        "exit_code": 0,
        "ok": True,
        "status": "completed",
        "final_output": {
            "final_answer": "It is in a.py.",
            "retrieved_context_files": ["a.py"],
            "retrieved_context_spans": {"a.py": [{"start": 3, "end": 9}, [1, 2], "odd"]},
            "retrieved_context_symbols": {"a.py": ["f", 3]},
        },
        "token_usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7},
        "raw_response_path": "raw/1.json",
        "model_patch": "diff …",
        **fields,
    }
    if raw is not None:
        (folder / "raw").mkdir()
        (folder / "raw" / "1.json").write_text(json.dumps(raw))
    path = folder / "1.codex-record.json"
    path.write_text(json.dumps(record, indent=1))
    return path


def test_a_record_with_its_raw_response(tmp_path: Path) -> None:
    attempt = read_one(write(tmp_path, CODEX))
    assert (attempt.task_id, attempt.agent) == ("acme__fix-1", "codex")
    assert [turn.text for turn in turns_of(attempt)] == ["Hi."]
    assert attempt.usage == Usage(input_tokens=9, output_tokens=1)
    assert attempt.final_output == "It is in a.py."
    assert attempt.final_patch == "diff …"
    assert attempt.duration_seconds == 1.5
    assert attempt.failure is None
    assert attempt.metadata == {
        "exit_status": "completed",
        "exit_code": 0,
        "started_at": "2026-03-01T10:00:00Z",
        "commit": "abc",
    }
    assert attempt.final_views == (
        View(path="a.py"),
        View(path="a.py", extent=Extent.LINES, start=3, end=9),
        View(path="a.py", extent=Extent.LINES, start=1, end=2),
        View(path="a.py", symbols=("f",)),
    )


@pytest.mark.parametrize("raw", ["../1.json", "/raw/1.json", "absent.json", None])
def test_a_raw_response_elsewhere_is_not_read(tmp_path: Path, raw: str | None) -> None:
    (tmp_path / "1.json").write_text(json.dumps(CODEX))
    (tmp_path / "records").mkdir()
    attempt = read_one(write(tmp_path / "records", raw_response_path=raw))
    assert attempt.turns is None
    assert attempt.usage == Usage(input_tokens=5, output_tokens=2, total_tokens=7)


def test_a_raw_response_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    attempt = read_one(write(tmp_path, {"a": 1}))
    assert attempt.turns is None
    assert list(attempt.unusable) == ["raw_response_path"]
    assert attempt.unusable["raw_response_path"].endswith(
        "1.json: expected a raw response of Claude or Codex"
    )


@pytest.mark.parametrize(
    ("fields", "failure"),
    [
        ({"status": "timeout"}, Failure(reason="budget_exhausted", message="timeout")),
        ({"timeout": True}, Failure(reason="budget_exhausted", message="timeout")),
        ({"status": "blocked"}, Failure(reason="blocked")),
        ({"status": None, "ok": False}, Failure(reason="failed")),
        ({"status": None}, None),
    ],
)
def test_how_a_run_ended(tmp_path: Path, fields: dict[str, Any], failure: Failure | None) -> None:
    assert read_one(write(tmp_path, **fields)).failure == failure


def test_the_input_of_claude_is_without_cached_tokens_and_left_out(tmp_path: Path) -> None:
    attempt = read_one(write(tmp_path, agent="claude-code"))
    assert attempt.usage == Usage(output_tokens=2)


def test_counts_that_are_not_numbers_are_reported(tmp_path: Path) -> None:
    attempt = read_one(write(tmp_path, token_usage={"input_tokens": "many"}))
    assert attempt.usage is None
    assert attempt.unusable == {
        "token_usage": 'token_usage.input_tokens: expected an integer, got "many"'
    }


def test_lines_of_records_are_read_the_same_as_columns(tmp_path: Path) -> None:
    record = json.loads(write(tmp_path).read_text())
    path = write_lines(tmp_path / "records.jsonl", record, record)
    columns, _ = as_batches(path)
    assert columns == as_records(path)
    assert len(columns.rows) == 2
    assert all("It is in a.py." in row for row in columns.rows)


def test_raw_responses_by_themselves(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps(CODEX))
    attempt = read_one(tmp_path / "c.json")
    assert (attempt.task_id, attempt.agent, attempt.final_output) == ("t1", "codex", "Done.")
    (tmp_path / "d.json").write_text(json.dumps(CLAUDE))
    attempt = read_one(tmp_path / "d.json")
    assert (attempt.task_id, attempt.model, attempt.final_output) == ("s1", "m-1", "Hi.")
    assert attempt.unusable == {"response[1]": "expected an object, got text"}
    (tmp_path / "e.json").write_text(json.dumps({**CLAUDE, "response": []}))
    attempts, problems = read(tmp_path / "e.json")
    assert attempts == []
    assert problems[0].message == "response: expected events, got none"


def test_a_run_that_failed_before_its_final_output(tmp_path: Path) -> None:
    path = write(tmp_path, None, final_output=None, ok=False, status="failed", exit_code=1)
    attempt = read_one(path)
    assert (attempt.agent, attempt.final_output, attempt.final_views) == ("codex", None, None)
    assert attempt.failure == Failure(reason="failed")
    assert attempt.duration_seconds == 1.5


def test_a_declared_context_of_lists(tmp_path: Path) -> None:
    declared = {
        "retrieved_context_files": ["a.py"],
        "retrieved_context_spans": [
            {"file": "a.py", "start": 3, "end": 9},
            {"file": "b.py", "start_line": 1, "end_line": 2},
            {"start": 1, "end": 2},
            "odd",
        ],
        "retrieved_context_symbols": [{"file": "a.py", "name": "f"}, {"file": "a.py"}],
    }
    path = write(tmp_path, final_output=declared)
    assert read_one(path).final_views == (
        View(path="a.py"),
        View(path="a.py", extent=Extent.LINES, start=3, end=9),
        View(path="b.py", extent=Extent.LINES, start=1, end=2, listed=False),
        View(path="a.py", symbols=("f",)),
    )
