"""Streams of codex exec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.readers.logs import read, read_one, turns_of, write_lines
from trajmeter.records import Failure, ToolCall, Usage

if TYPE_CHECKING:
    from pathlib import Path

CONTENT = [{"type": "text", "text": "x"}, {"type": "image", "data": "AAAA"}]
START = {"type": "thread.started", "thread_id": "0199-a"}


def done(identity: str, kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": identity, "type": kind, **fields}}


def ran(identity: str, command: str, output: str, code: int) -> dict[str, Any]:
    return done(
        identity,
        "command_execution",
        command=command,
        aggregated_output=output,
        exit_code=code,
        status="failed" if code else "completed",
    )


def test_messages_begin_turns_and_only_finished_items_count(tmp_path: Path) -> None:
    started = {"id": "i2", "type": "command_execution", "command": "bash -lc 'ls'"}
    path = write_lines(
        tmp_path / "e.jsonl",
        START,
        {"type": "turn.started"},
        done("i0", "reasoning", text="Hm."),
        done("i1", "agent_message", text="I look."),
        {"type": "item.started", "item": {**started, "status": "in_progress"}},
        ran("i2", "bash -lc 'ls'", "a.py\n", 0),
        ran("i3", '/bin/zsh -lc "cat b.py"', "cat: b.py: No such file or directory\n", 1),
        done("i4", "agent_message", text="Then the edit."),
        done("i5", "file_change", changes=[{"path": "a.py", "kind": "update"}], status="completed"),
        done("i6", "todo_list", items=[]),
        done("i7", "agent_message", text="Done."),
        {
            "type": "turn.completed",
            "usage": {
                "input_tokens": 900,
                "cached_input_tokens": 500,
                "output_tokens": 40,
                "reasoning_output_tokens": 8,
            },
        },
    )
    attempt = read_one(path)
    assert (attempt.task_id, attempt.agent, attempt.model) == ("0199-a", "codex", None)
    assert attempt.usage == Usage(
        input_tokens=900, cached_input_tokens=500, output_tokens=40, reasoning_tokens=8
    )
    assert attempt.final_output == "Done."
    assert attempt.metadata == {"exit_status": "turn.completed"}
    first, second, third = turns_of(attempt)
    assert first.text == "I look."
    assert first.program == "ls\ncat b.py"
    assert first.tool_calls[0] == ToolCall(
        name="command_execution",
        id="i2",
        arguments={"command": "bash -lc 'ls'"},
        result="a.py\n",
        success=True,
    )
    assert first.tool_calls[1].success is False
    assert first.error == Failure(
        reason="exit_code", message="cat: b.py: No such file or directory"
    )
    assert second.tool_calls[0].arguments == {"changes": [{"path": "a.py", "kind": "update"}]}
    assert third.success is None
    assert third.usage is None


def test_a_run_that_failed_and_one_that_was_cut(tmp_path: Path) -> None:
    message = "Your input exceeds the context window of this model."
    path = write_lines(
        tmp_path / "e.jsonl",
        START,
        ran("i1", "ls", "", 0),
        {"type": "error", "message": "Reconnecting... 1/5"},
        {"type": "turn.failed", "error": {"message": message}},
        {"type": "thread.started", "thread_id": "0199-b"},
        {"type": "item.started", "item": {"id": "i1", "type": "command_execution", "command": "x"}},
    )
    (failed, cut), problems = read(path)
    assert problems == []
    assert failed.failure == Failure(reason="budget_exhausted", message=message)
    assert failed.metadata == {"exit_status": "turn.failed"}
    assert cut.task_id == "0199-b"
    assert cut.failure is None
    (call,) = turns_of(cut)[0].tool_calls
    assert (call.success, call.result) == (None, None)
    assert cut.source is not None
    assert cut.source.line == 5


def test_an_error_that_was_retried_is_not_a_failure(tmp_path: Path) -> None:
    error = {"type": "error", "message": "Reconnecting... 1/5"}
    path = write_lines(
        tmp_path / "e.jsonl", START, error, {"type": "turn.completed", "usage": None}
    )
    assert read_one(path).failure is None
    path = write_lines(tmp_path / "e.jsonl", START, error)
    assert read_one(path).failure == Failure(reason="error", message="Reconnecting... 1/5")


def test_tools_of_servers_and_searches(tmp_path: Path) -> None:
    tool = {"server": "files", "tool": "get", "arguments": {"n": 1}}
    path = write_lines(
        tmp_path / "e.jsonl",
        START,
        done("i1", "mcp_tool_call", **tool, result={"content": CONTENT}, status="completed"),
        done("i2", "mcp_tool_call", **tool, error={"message": "No."}, status="failed"),
        done("i3", "web_search", query="tides"),
        done("i4", "command_execution", command="rm -rf /", status="declined", exit_code=None),
    )
    (turn,) = turns_of(read_one(path))
    assert [(c.name, c.arguments, c.success, c.error) for c in turn.tool_calls] == [
        ("files.get", {"n": 1}, True, None),
        ("files.get", {"n": 1}, False, "No."),
        ("web_search", {"query": "tides"}, None, None),
        ("command_execution", {"command": "rm -rf /"}, False, "declined"),
    ]
    assert turn.tool_calls[0].result == [{"type": "text", "text": "x"}, {"type": "image"}]


def test_the_experimental_layout_and_a_thread_that_goes_on(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "e.jsonl",
        {"type": "session.created", "session_id": "s1"},
        {
            "type": "item.completed",
            "item": {"id": "i1", "item_type": "assistant_message", "text": "A"},
        },
        {"type": "session.created", "session_id": "s1"},
        {
            "type": "item.completed",
            "item": {"id": "i2", "item_type": "assistant_message", "text": "B"},
        },
    )
    attempt = read_one(path)
    assert [turn.text for turn in turns_of(attempt)] == ["A", "B"]


def test_lines_that_cannot_be_used_are_reported(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "e.jsonl", START, "[]", done("i1", "agent_message", text="Hi."))
    (attempt,), problems = read(path)
    assert len(turns_of(attempt)) == 1
    assert [problem.line for problem in problems] == [2]
