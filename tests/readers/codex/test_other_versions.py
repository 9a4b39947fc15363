"""What other versions of Codex write into rollouts and streams, and how their sessions go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.codex.test_exec_stream import START, done, ran
from tests.readers.codex.test_rollout import META, asked, called, event, said, sent
from tests.readers.logs import read_one, turns_of, write_lines
from trajmeter.records import Failure

if TYPE_CHECKING:
    from pathlib import Path

RAN = (
    called(1, "c1", command=["ls"]),
    sent(2, "c1", '{"output": "a", "metadata": {"exit_code": 0}}'),
)
LOST = "stream disconnected before completion"


@pytest.mark.parametrize(
    "stop",
    [event(3, "turn_aborted", reason="interrupted"), event(3, "error", message=LOST)],
    ids=["aborted", "error"],
)
def test_a_session_that_goes_on_has_not_failed(tmp_path: Path, stop: Any) -> None:
    # Versions before 0.50 do not write where a task begins.
    path = tmp_path / "rollout-1.jsonl"
    assert read_one(write_lines(path, META, *RAN, stop)).failure is not None
    attempt = read_one(write_lines(path, META, *RAN, stop, asked(4, "Go on."), said(5, "Done.")))
    assert attempt.failure is None
    assert "exit_status" not in attempt.metadata
    assert attempt.final_output == "Done."


@pytest.mark.parametrize(
    ("answer", "expected"),
    [(None, Failure(reason="error", message=LOST)), ("Done.", None)],
)
def test_an_error_before_the_end_of_a_task(
    tmp_path: Path, answer: str | None, expected: Failure | None
) -> None:
    path = write_lines(
        tmp_path / "rollout-1.jsonl",
        META,
        *RAN,
        event(3, "error", message=LOST, codex_error_info="other"),
        event(4, "task_complete", last_agent_message=answer),
    )
    assert read_one(path).failure == expected


def test_an_error_reports_a_prompt_that_was_too_long(tmp_path: Path) -> None:
    said_last = "Your input exceeds the context window of this model."
    path = write_lines(tmp_path / "r.jsonl", META, *RAN, event(3, "error", message=said_last))
    assert read_one(path).failure == Failure(reason="budget_exhausted", message=said_last)


@pytest.mark.parametrize("text", ["aborted", "aborted by user after 3.2s"])
def test_a_call_that_was_aborted_failed(tmp_path: Path, text: str) -> None:
    path = write_lines(
        tmp_path / "r.jsonl", META, called(1, "c1", command=["make"]), sent(2, "c1", text)
    )
    (turn,) = turns_of(read_one(path))
    assert turn.error == Failure(reason="tool_error", message=text)


def test_output_about_aborting_is_not_a_failure(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "r.jsonl",
        META,
        called(1, "c1", command=["make"]),
        sent(2, "c1", "aborted 0 jobs"),
    )
    (turn,) = turns_of(read_one(path))
    assert turn.success is None


def test_items_without_times_have_no_durations(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "rollout-1.jsonl",
        {"id": "old-1", "timestamp": "2025-06-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        *(line["payload"] for line in (asked(0, "Fix it."), *RAN, said(3, "Done."))),
    )
    attempt = read_one(path)
    assert [turn.duration_seconds for turn in turns_of(attempt)] == [None, None]
    assert attempt.task_id == "old-1"


def test_a_thread_that_is_resumed_numbers_its_items_anew(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "e.jsonl",
        START,
        {"type": "turn.started"},
        ran("item_0", "ls", "a.py", 0),
        done("item_1", "agent_message", text="One."),
        START,
        {"type": "turn.started"},
        ran("item_0", "cat b.py", "no", 1),
        done("item_1", "agent_message", text="Two."),
    )
    turns = turns_of(read_one(path))
    assert [(turn.program, turn.success, turn.text) for turn in turns] == [
        ("ls", True, None),
        (None, None, "One."),
        ("cat b.py", False, None),
        (None, None, "Two."),
    ]


@pytest.mark.parametrize("status", ["declined", "failed"])
def test_a_command_that_was_not_carried_out_shows_nothing(tmp_path: Path, status: str) -> None:
    item = {**ran("item_0", "cat a.py", "", 0)["item"], "exit_code": None, "status": status}
    path = write_lines(tmp_path / "e.jsonl", START, {"type": "item.completed", "item": item})
    (turn,) = turns_of(read_one(path))
    assert (turn.success, turn.views) == (False, ())
