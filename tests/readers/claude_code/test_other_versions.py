"""What other versions of Claude Code write into their sessions and streams."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.claude_code.lines import SESSION, asked, call, result, said, used
from tests.readers.logs import read, read_one, turns_of, write_lines
from trajmeter.records import Failure

if TYPE_CHECKING:
    from pathlib import Path

INIT = {"type": "system", "subtype": "init", "session_id": "s1", "model": "m-1", "cwd": "/repo"}


def ended(**fields: Any) -> dict[str, Any]:
    about = {"type": "result", "subtype": "success", "is_error": False, "session_id": "s1"}
    return {**about, "num_turns": 1, "duration_ms": 10, "result": "Done.", **fields}


@pytest.mark.parametrize(
    "first",
    [
        {"type": "last-prompt", "lastPrompt": "Fix it.", "sessionId": SESSION},
        {"type": "permission-mode", "permissionMode": "default", "sessionId": SESSION},
        {"type": "custom-title", "customTitle": "A", "sessionId": SESSION},
        {"type": "summary", "summary": "A", "leafUuid": "u", "timestamp": "2026-03-01T10:00:00Z"},
        {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}},
    ],
    ids=lambda line: line["type"],
)
def test_a_session_may_begin_with_lines_of_any_type(tmp_path: Path, first: Any) -> None:
    path = write_lines(
        tmp_path / f"{SESSION}.jsonl", first, asked(0, "Fix it."), said(1, "m1", "A")
    )
    attempt = read_one(path)
    assert (attempt.task_id, attempt.final_output) == (SESSION, "A")


@pytest.mark.parametrize(
    "first", [{"type": "summary", "leafUuid": "u"}, {"type": "note", "text": "no session"}]
)
def test_lines_without_a_session_are_none_of_claude_codes(tmp_path: Path, first: Any) -> None:
    attempts, problems = read(write_lines(tmp_path / "s.jsonl", first))
    assert attempts == []
    assert "no format recognises" in str(problems[0])


@pytest.mark.parametrize("text", ["half\n<error>Command was aborted</error>", ""])
def test_a_command_that_was_interrupted_failed(tmp_path: Path, text: str) -> None:
    copy = {"stdout": "half", "stderr": "", "interrupted": True, "isImage": False}
    path = write_lines(
        tmp_path / "s.jsonl",
        asked(0, "Fix it."),
        said(1, "m1", call("t1", "Bash", command="make")),
        result(2, "t1", text, toolUseResult=copy),
    )
    (turn,) = turns_of(read_one(path))
    assert turn.success is False
    assert turn.error == Failure(reason="interrupted", message=text or "interrupted")
    assert turn.tool_calls[0].result == text


@pytest.mark.parametrize(
    ("text", "copy"),
    [("Error: Exit code 2\nboom", None), ("boom", "Error: Exit code 2\nboom")],
)
def test_an_exit_code_in_another_place(tmp_path: Path, text: str, copy: str | None) -> None:
    path = write_lines(
        tmp_path / "s.jsonl",
        asked(0, "Fix it."),
        said(1, "m1", call("t1", "Bash", command="make")),
        result(2, "t1", text, is_error=True, toolUseResult=copy),
    )
    (turn,) = turns_of(read_one(path))
    assert turn.error == Failure(reason="exit_code", message=text)


def test_a_call_on_two_lines_is_one_call(tmp_path: Path) -> None:
    block = call("t1", "Bash", command="ls")
    path = write_lines(
        tmp_path / "s.jsonl",
        asked(0, "Fix it."),
        said(1, "m1", block),
        said(1.1, "m1", block),
        result(2, "t1", "a.py"),
        # Some providers number their calls anew in each reply.
        said(3, "m2", block),
        result(4, "t1", "b.py"),
    )
    first, second = turns_of(read_one(path))
    assert [each.result for each in first.tool_calls] == ["a.py"]
    assert [each.result for each in second.tool_calls] == ["b.py"]


def test_a_stream_may_begin_with_events_of_other_types(tmp_path: Path) -> None:
    event = {"type": "rate_limit_event", "session_id": "s1", "rate_limit_info": {}}
    attempt = read_one(write_lines(tmp_path / "out.jsonl", event, INIT, ended()))
    assert (attempt.task_id, attempt.model, attempt.final_output) == ("s1", "m-1", "Done.")


def test_an_early_result_alone(tmp_path: Path) -> None:
    said_last = {**ended(), "cost_usd": 0.5, "usage": used(1, 2)}
    del said_last["num_turns"]
    path = tmp_path / "out.json"
    path.write_text(json.dumps(said_last, indent=2))
    attempt = read_one(path)
    assert attempt.usage is not None
    assert (attempt.usage.cost_usd, attempt.final_output) == (0.5, "Done.")


@pytest.mark.parametrize("answer", [None, ""])
def test_an_answer_that_is_structured(tmp_path: Path, answer: str | None) -> None:
    last = ended(result=answer, structured_output={"fixed": True})
    attempt = read_one(write_lines(tmp_path / "out.jsonl", INIT, last))
    assert attempt.final_output == '{"fixed": true}'


@pytest.mark.parametrize(
    ("arguments", "text", "copy"),
    [
        ({"run_in_background": True}, "Command running in background with ID: b1", None),
        ({}, "Command running in background with ID: b1", {"backgroundTaskId": "b1"}),
        ({}, "(Bash completed with no output)", {"stdout": ""}),
        ({}, "<system>Tool ran without output or errors</system>", None),
    ],
)
def test_messages_about_a_command_are_not_its_output(
    tmp_path: Path, arguments: dict[str, Any], text: str, copy: Any
) -> None:
    path = write_lines(
        tmp_path / "s.jsonl",
        asked(0, "Fix it."),
        said(1, "m1", call("t1", "Bash", command="sed -n '900,910p' a.py", **arguments)),
        result(2, "t1", text, toolUseResult=copy),
    )
    (turn,) = turns_of(read_one(path))
    assert turn.views == ()
    assert turn.success is True
    assert turn.tool_calls[0].result == text
