"""Rollouts of Codex."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read, read_one, turns_of, write_lines
from trajmeter.records import Failure, ToolCall, Usage

if TYPE_CHECKING:
    from pathlib import Path


def line(second: float, kind: str, **payload: Any) -> dict[str, Any]:
    time = f"2026-03-01T10:00:{second:06.3f}Z"
    return {"timestamp": time, "type": kind, "payload": payload}


def item(second: float, kind: str, **payload: Any) -> dict[str, Any]:
    return line(second, "response_item", **{"type": kind, **payload})


def event(second: float, kind: str, **payload: Any) -> dict[str, Any]:
    return line(second, "event_msg", **{"type": kind, **payload})


def said(second: float, text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text}]
    return item(second, "message", role="assistant", content=content)


def asked(second: float, text: str) -> dict[str, Any]:
    return item(second, "message", role="user", content=[{"type": "input_text", "text": text}])


def called(second: float, identity: str, name: str = "shell", **arguments: Any) -> dict[str, Any]:
    return item(
        second, "function_call", name=name, arguments=json.dumps(arguments), call_id=identity
    )


def sent(second: float, identity: str, output: Any) -> dict[str, Any]:
    return item(second, "function_call_output", call_id=identity, output=output)


def counts(*numbers: int) -> dict[str, int]:
    keys = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_output_tokens")
    return dict(zip(keys, numbers, strict=True))


def counted(second: float, last: dict[str, int], total: dict[str, int]) -> dict[str, Any]:
    info = {"last_token_usage": last, "total_token_usage": total}
    return event(second, "token_count", info=info)


META = line(
    0, "session_meta", id="0199-a", cwd="/repo", cli_version="0.46.0", git={"commit_hash": "abc"}
)
CONTEXT = line(1, "turn_context", model="gpt-x", cwd="/repo")


def test_a_session_with_tokens_calls_and_its_end(tmp_path: Path) -> None:
    old = json.dumps({"output": "x\n", "metadata": {"exit_code": 0, "duration_seconds": 0.25}})
    path = write_lines(
        tmp_path / "rollout-2026.jsonl",
        META,
        event(0.5, "token_count", info=None),
        CONTEXT,
        asked(1, "<environment_context>…"),
        asked(2, "Fix it."),
        event(2, "user_message", message="Fix it."),
        item(3, "reasoning", summary=[], encrypted_content="gAAAA"),
        said(3.5, "I look."),
        event(3.5, "agent_message", message="I look."),
        called(3.6, "c1", command=["bash", "-lc", "cat a.py"], workdir="/repo"),
        counted(3.7, counts(5000, 4000, 40, 8), counts(5000, 4000, 40, 8)),
        counted(3.8, counts(5000, 4000, 40, 8), counts(5000, 4000, 40, 8)),
        sent(4, "c1", old),
        item(5, "custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2"),
        counted(5.1, counts(6000, 5000, 10, 0), counts(11000, 9000, 50, 8)),
        item(6, "custom_tool_call_output", call_id="c2", output="Exit code: 0\nOutput:\nSuccess."),
        said(7, "Done."),
        counted(7, counts(7000, 6000, 5, 0), counts(18000, 15000, 55, 8)),
        event(8, "task_complete", last_agent_message="Done."),
    )
    attempt = read_one(path)
    assert (attempt.task_id, attempt.agent, attempt.model) == ("0199-a", "codex", "gpt-x")
    assert attempt.final_output == "Done."
    assert attempt.failure is None
    assert attempt.duration_seconds == 8.0
    assert attempt.metadata["exit_status"] == "task_complete"
    assert attempt.metadata["commit"] == "abc"
    # The last total, not added to what single replies used.
    assert attempt.usage == Usage(
        input_tokens=18000, cached_input_tokens=15000, output_tokens=55, reasoning_tokens=8
    )
    first, second, third = turns_of(attempt)
    assert first.text == "I look."
    assert first.program == "cat a.py"
    assert first.tool_calls == (
        ToolCall(
            name="shell",
            id="c1",
            arguments={"command": ["bash", "-lc", "cat a.py"], "workdir": "/repo"},
            result=old,
            success=True,
            duration_seconds=0.25,
        ),
    )
    assert first.duration_seconds == 2.0  # from the prompt at 2 to the output at 4
    assert second.program == "*** Begin Patch"
    assert second.success is True
    used = [turn.usage for turn in (first, second, third)]
    assert [u.input_tokens for u in used if u] == [5000, 6000, 7000]


def test_parallel_calls_are_one_turn_and_replies_end_with_their_usage(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "r.jsonl",
        META,
        asked(1, "Fix it."),
        called(2, "c1", "exec_command", cmd="ls"),
        called(2, "c2", "exec_command", cmd="false"),
        line(2.1, "token_usage_record", usage=counts(10, 0, 1, 0)),
        sent(3, "c2", "Chunk ID: a\nWall time: 0.5 seconds\nProcess exited with code 1\nOutput:\n"),
        sent(3, "c1", "Wall time: 0.1 seconds\nProcess running with session ID 7\nOutput:\nx\n"),
        counted(3, counts(10, 0, 1, 0), counts(10, 0, 1, 0)),
        said(4, "one"),
        line(4.1, "token_usage_record", usage=counts(20, 0, 2, 0)),
        said(5, "two"),
    )
    first, second, third = turns_of(read_one(path))
    assert [call.success for call in first.tool_calls] == [None, False]
    assert first.tool_calls[1].error == "exit code 1"
    assert first.tool_calls[1].duration_seconds == 0.5
    assert first.error == Failure(reason="exit_code", message="exit code 1")
    assert (second.text, third.text) == ("one", "two")
    used = [turn.usage and turn.usage.input_tokens for turn in (first, second, third)]
    assert used == [10, 20, None]


def test_calls_of_other_kinds(tmp_path: Path) -> None:
    action = {"type": "exec", "command": ["bash", "-lc", "ls"], "working_directory": "/repo"}
    path = write_lines(
        tmp_path / "r.jsonl",
        META,
        item(1, "local_shell_call", action=action, status="completed", call_id="c1"),
        item(1, "web_search_call", action={"query": "tides"}, status="completed", id="w1"),
        item(1, "function_call", name="get", namespace="mcp", arguments="{", call_id="c2"),
        sent(2, "c1", "a.py"),
        sent(2, "c2", [{"type": "input_text", "text": "failed to parse function arguments: EOF"}]),
        sent(2, "none", "of no call"),
    )
    (turn,) = turns_of(read_one(path))
    shell, search, malformed = turn.tool_calls
    assert (shell.name, shell.result, shell.success) == ("local_shell", "a.py", None)
    assert turn.program == "ls"
    assert (search.name, search.arguments, search.success) == (
        "web_search",
        {"query": "tides"},
        True,
    )
    assert (malformed.name, malformed.arguments, malformed.success) == ("mcp.get", "{", False)
    assert malformed.error == "failed to parse function arguments: EOF"
    assert turn.error == Failure(reason="parse_error", message=malformed.error)


def test_events_tell_what_outputs_do_not(tmp_path: Path) -> None:
    duration = {"secs": 1, "nanos": 500_000_000}
    path = write_lines(
        tmp_path / "r.jsonl",
        META,
        called(1, "c1", "exec_command", cmd="make"),
        called(1, "c2", "patch"),
        called(1, "c3", "get"),
        event(2, "exec_command_end", call_id="c1", exit_code=2, duration=duration),
        event(2, "patch_apply_end", call_id="c2", success=False),
        event(2, "item_completed", item={"type": "McpToolCall", "id": "c3", "status": "failed"}),
        sent(3, "c1", "make: no rule"),
        sent(3, "c2", "Not applied."),
        sent(3, "c3", "No such page."),
    )
    (turn,) = turns_of(read_one(path))
    assert [call.success for call in turn.tool_calls] == [False, False, False]
    assert [call.error for call in turn.tool_calls] == [
        "make: no rule",
        "Not applied.",
        "No such page.",
    ]
    assert turn.tool_calls[0].duration_seconds == 1.5


LONG = '{"error": {"code": "context_length_exceeded"}}'


@pytest.mark.parametrize(
    ("end", "status", "failure"),
    [
        (
            event(3, "task_complete", error={"message": LONG, "codex_error_info": "other"}),
            "task_complete",
            Failure(reason="budget_exhausted", message=LONG),
        ),
        (
            event(3, "turn_complete", error={"message": "500", "codex_error_info": "server_error"}),
            "task_complete",
            Failure(reason="server_error", message="500"),
        ),
        (
            event(3, "turn_aborted", reason="interrupted"),
            "interrupted",
            Failure(reason="interrupted"),
        ),
        (
            event(3, "turn_aborted", reason="budget_limited"),
            "budget_limited",
            Failure(reason="budget_exhausted"),
        ),
        (event(3, "background_event"), None, None),
    ],
)
def test_how_a_task_ended(
    tmp_path: Path, end: dict[str, Any], status: str | None, failure: Failure | None
) -> None:
    attempt = read_one(write_lines(tmp_path / "r.jsonl", META, said(2, "And then"), end))
    assert attempt.failure == failure
    assert attempt.metadata.get("exit_status") == status
    assert attempt.final_output == "And then"


def test_a_task_that_is_begun_again_has_not_failed(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "r.jsonl",
        META,
        said(1, "one"),
        event(2, "turn_aborted", reason="interrupted"),
        line(2, "compacted", message="So far …"),
        event(3, "task_started"),
        said(4, "two"),
    )
    attempt = read_one(path)
    assert attempt.failure is None
    assert attempt.metadata["compactions"] == 1
    assert [turn.text for turn in turns_of(attempt)] == ["one", "two"]


def test_the_layout_of_the_first_versions(tmp_path: Path) -> None:
    meta = {"id": "0190-b", "timestamp": "2025-05-01T00:00:00Z", "instructions": None}
    content = [{"type": "output_text", "text": "Hi."}]
    path = write_lines(
        tmp_path / "rollout.jsonl",
        meta,
        {"record_type": "state"},
        {"type": "message", "role": "assistant", "content": content},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "x"},
    )
    attempt = read_one(path)
    assert attempt.task_id == "0190-b"
    (turn,) = turns_of(attempt)
    assert (turn.text, turn.tool_calls[0].result) == ("Hi.", "x")


def test_lines_that_cannot_be_used_are_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "r.jsonl",
        META,
        said(1, "one"),
        '{"timestamp": "2026-03-01T10:00:0',
        "null",
        event(2, "token_count", info={"last_token_usage": {"input_tokens": -1.5}}),
        said(3, "two"),
    )
    attempts, problems = read(path)
    (attempt,) = attempts
    assert [turn.text for turn in turns_of(attempt)] == ["one", "two"]
    assert [problem.line for problem in problems] == [3, 4, 5]
    assert problems[2].message.startswith("usage.input_tokens: expected an integer, got -1.5")


def recorded(second: float, response: str, *numbers: int) -> dict[str, Any]:
    usage = counts(*numbers)
    return line(second, "token_usage_record", response_id=response, usage=usage)


def test_an_empty_reply_is_a_turn_and_a_summary_is_none(tmp_path: Path) -> None:
    first, total = counts(10, 0, 1, 0), counts(30, 0, 3, 0)
    path = write_lines(
        tmp_path / "rollout.jsonl",
        META,
        called(1, "a", command=["ls"]),
        recorded(1, "r1", 10, 0, 1, 0),
        sent(2, "a", "x"),
        counted(2, first, first),
        recorded(3, "r2", 20, 0, 2, 0),
        counted(3, counts(20, 0, 2, 0), total),
        recorded(4, "r3", 30, 0, 3, 0),
        line(5, "compacted", message="So far …"),
        said(6, "End."),
        recorded(6, "r4", 40, 0, 4, 0),
    )
    used = [turn.usage and turn.usage.input_tokens for turn in turns_of(read_one(path))]
    assert used == [10, 20, 40]


def test_what_a_running_process_is_sent_and_what_is_no_part_of_the_work(tmp_path: Path) -> None:
    running = "Chunk ID: 1\nProcess running with session ID 7\nOutput:\n>>> "
    over = "Chunk ID: 2\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n"
    before = [{"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}]
    path = write_lines(
        tmp_path / "rollout-2026.jsonl",
        META,
        item(1, "ghost_snapshot", ghost_commit={"id": "abc"}),
        called(2, "c1", "exec_command", cmd="python3 -i", workdir="/repo"),
        sent(2, "c1", running),
        called(3, "c2", "write_stdin", session_id=7, chars="exit()\n"),
        sent(3, "c2", over),
        line(4, "compacted", message="So far.", replacement_history=before),
        line(4, "world_state", files=["a.py"]),
        said(5, "Done."),
    )
    attempt = read_one(path)
    calls = [call for turn in turns_of(attempt) for call in turn.tool_calls]
    assert [(call.name, call.success) for call in calls] == [
        ("exec_command", None),
        ("write_stdin", True),
    ]
    assert [turn.text for turn in turns_of(attempt)][-1] == "Done."
    assert attempt.metadata["compactions"] == 1


def test_a_result_without_a_call_is_reported_with_its_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "rollout.jsonl", META, called(1, "a"), sent(2, "b", "x"))
    attempt = read_one(path)
    assert attempt.unusable == {"line 3": "a result without a call"}
    assert attempt.dropped_calls == 1
    assert turns_of(attempt)[0].tool_calls[0].result is None


def test_a_file_of_several_sessions(tmp_path: Path) -> None:
    other = line(20, "session_meta", id="0199-b", cwd="/repo")
    used, total = counts(10, 0, 2, 0), counts(10, 0, 2, 0)
    path = write_lines(
        tmp_path / "all.jsonl",
        *(META, CONTEXT, asked(2, "Fix it."), said(3, "Fixed."), counted(4, used, total)),
        *(other, asked(21, "And that."), said(22, "Done."), META),
    )
    attempts, problems = read(path)
    assert [(each.task_id, each.final_output) for each in attempts] == [
        ("0199-a", "Fixed."),
        ("0199-b", "Done."),
        ("0199-a", None),
    ]
    assert [each.usage and each.usage.input_tokens for each in attempts] == [10, None, None]
    assert problems == []


def test_a_fork_begins_with_the_sessions_before_it(tmp_path: Path) -> None:
    parent = line(0, "session_meta", id="0199-b", cwd="/repo")
    path = write_lines(tmp_path / "s.jsonl", META, parent, asked(2, "Fix it."), said(3, "Fixed."))
    assert read_one(path).task_id == "0199-a"


def test_a_session_that_is_resumed_in_its_file_is_one(tmp_path: Path) -> None:
    lines = [META, said(3, "Fixed."), META, asked(8, "And that."), said(9, "Done.")]
    path = write_lines(tmp_path / "s.jsonl", *lines)
    assert len(turns_of(read_one(path))) == 2
