"""Sessions of Claude Code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.readers.both_ways import as_batches, as_records
from tests.readers.claude_code.lines import (
    SESSION,
    asked,
    call,
    line,
    read_file,
    result,
    said,
    used,
)
from tests.readers.logs import read, read_one, seen, turns_of, write_lines
from trajmeter.records import Extent, Failure, ToolCall, Turn, Usage, View

if TYPE_CHECKING:
    from pathlib import Path


def test_a_reply_on_several_lines_is_one_turn(tmp_path: Path) -> None:
    text = "    10→def f():\n    11→    return 1"
    path = write_lines(
        tmp_path / f"{SESSION}.jsonl",
        {"type": "queue-operation", "operation": "enqueue", "sessionId": SESSION},
        asked(0, "Fix it."),
        said(2, "msg_1", {"type": "thinking", "thinking": "Hm."}, usage=used(4, 1, 12, 9)),
        said(2.1, "msg_1", "I look.", usage=used(4, 1, 12, 9)),
        said(
            2.5,
            "msg_1",
            call("t1", "Read", file_path="/repo/a.py", offset=10, limit=2),
            usage=used(4, 50, 12, 9),
        ),
        result(3, "t1", text, toolUseResult=read_file(10, "def f():\n    return 1", 80)),
        {"type": "api-request-blob", "sessionId": SESSION, "message": {"role": "user"}},
        said(4, "msg_2", "Done.", usage=used(7, 5, 25)),
    )
    attempt = read_one(path)
    assert attempt.task_id == SESSION
    assert (attempt.agent, attempt.model, attempt.attempt) == ("claude-code", "m-1", None)
    assert attempt.final_output == "Done."
    assert attempt.failure is None
    assert attempt.usage is None  # no line has totals; turns add up to them
    assert attempt.duration_seconds == 4.0
    assert attempt.metadata == {"version": "2.1.330", "started_at": "2026-03-01T10:00:00.000Z"}
    first, second = turns_of(attempt)
    assert first == Turn(
        number=1,
        success=True,
        text="I look.",
        tool_calls=(
            ToolCall(
                name="Read",
                id="t1",
                arguments={"file_path": "/repo/a.py", "offset": 10, "limit": 2},
                result=text,
                success=True,
            ),
        ),
        views=(View(path="a.py", extent=Extent.LINES, start=10, end=11),),
        # Once for the reply, and cached tokens are added to the input: 4 + 12 + 9.
        usage=Usage(
            input_tokens=25, output_tokens=50, cached_input_tokens=12, cache_write_tokens=9
        ),
        duration_seconds=3.0,  # from the prompt at 0 to the result at 3
    )
    assert second.usage is not None
    assert second.usage.input_tokens == 32
    assert second.duration_seconds == 1.0  # from the result at 3


def test_results_in_another_order_and_how_calls_fail(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "s.jsonl",
        asked(0, "Fix it."),
        said(1, "m1", call("a", "Bash", command="cat absent.py"), call("b", "Glob", pattern="*")),
        result(2, "b", "<tool_use_error>No such tool</tool_use_error>", is_error=True),
        result(
            3,
            "a",
            "Exit code 1\ncat: absent.py: No such file or directory",
            is_error=True,
            toolUseResult="Error: Exit code 1\ncat: absent.py: No such file or directory",
        ),
        result(4, "zz", "of no call"),
        said(5, "m2", call("c", "Read", file_path="/repo/never.py")),
    )
    first, second = turns_of(read_one(path))
    assert first.program == "cat absent.py"
    assert [(c.id, c.success) for c in first.tool_calls] == [("a", False), ("b", False)]
    assert first.error == Failure(
        reason="exit_code", message="Exit code 1\ncat: absent.py: No such file or directory"
    )
    # The run looked, and saw nothing; what was never answered showed nothing either.
    assert first.views == ()
    # The session was cut off before the result.
    assert second.tool_calls[0].success is None
    assert second.tool_calls[0].result is None
    assert second.success is None
    assert second.views is None


@pytest.mark.parametrize(
    ("copy", "text", "arguments", "expected"),
    [
        # The last number is of the empty line behind the file's newline.
        (read_file(1, "x\ny\n", 3), "1\tx\n2\ty\n3\t", {}, (1, 2)),
        # A blank line within the file is one of its lines.
        (read_file(1, "x\n", 9), "1\tx\n2\t", {"limit": 2}, (1, 2)),
        (None, "1\tx\n2\ty\n3\t", {}, (1, 2)),
        (None, "     7→x\n     8→", {"offset": 7, "limit": 2}, (7, 8)),
        (None, "     7→x\n     8→y\n\n<system-reminder>", {"offset": 7}, (7, 8)),
        ({"type": "file_unchanged", "file": {"filePath": "/repo/a.py"}}, "Unchanged.", {}, None),
        (read_file(1, "", 1), "<system-reminder>empty</system-reminder>", {}, None),
        (None, "an image", {}, None),
    ],
)
def test_the_lines_that_read_showed(
    tmp_path: Path,
    copy: object,
    text: str,
    arguments: dict[str, int],
    expected: tuple[int, int] | None,
) -> None:
    path = write_lines(
        tmp_path / "s.jsonl",
        said(1, "m1", call("a", "Read", file_path="/repo/a.py", **arguments)),
        result(2, "a", text, **({} if copy is None else {"toolUseResult": copy})),
    )
    (turn,) = turns_of(read_one(path))
    assert seen(turn) == ([] if expected is None else [("a.py", *expected)])


def test_reading_the_solution_is_a_leak(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "s.jsonl",
        said(1, "m1", call("a", "Read", file_path="/repo/a.py")),
        result(2, "a", "1\tx"),
        said(3, "m2", call("b", "Read", file_path="/home/fix.patch")),
        result(4, "b", "1\tx"),
        said(5, "m3", call("c", "Bash", command="cat /home/test.patch")),
        result(6, "c", "x"),
    )
    assert [(leak.kind, leak.turn) for leak in read_one(path).leaks or ()] == [
        ("gold_patch", 2),
        ("test_patch", 3),
    ]


def test_results_that_are_lists_or_null(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    path = write_lines(
        tmp_path / "s.jsonl",
        said(1, "m1", call("a", "Look"), call("b", "Look"), call("c", "Look")),
        result(2, "a", [{"type": "text", "text": "x"}, {"type": "text", "text": "y"}]),
        result(2, "b", [{"type": "text", "text": "x"}, image]),
        result(2, "c", None),
    )
    (turn,) = turns_of(read_one(path))
    assert [c.result for c in turn.tool_calls] == [
        "x\ny",
        [{"type": "text", "text": "x"}, {"type": "image"}],  # without its bytes
        None,
    ]
    assert turn.success is True


def test_the_last_line_has_the_totals_over_all_models(tmp_path: Path) -> None:
    model = {
        "inputTokens": 100,
        "outputTokens": 10,
        "cacheReadInputTokens": 20,
        "cacheCreationInputTokens": 3,
    }
    path = write_lines(
        tmp_path / "s.jsonl",
        said(1, "m1", "Done.", usage=used(100, 10, 20, 3)),
        line(
            "cost-state", 2, totalCostUSD=0.5, modelUsage={"m-1": model, "m-2": {**model, "n": 1}}
        ),
    )
    assert read_one(path).usage == Usage(
        input_tokens=246,  # 2 x (100 + 20 + 3)
        output_tokens=20,
        cached_input_tokens=40,
        cache_write_tokens=6,
        cost_usd=0.5,
    )


def test_the_cost_of_a_reply_in_old_sessions(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", said(1, "m1", "Hi.", usage=used(1, 2), costUSD=0.25))
    (turn,) = turns_of(read_one(path))
    assert turn.usage == Usage(
        input_tokens=1,
        output_tokens=2,
        cached_input_tokens=0,
        cache_write_tokens=0,
        cost_usd=0.25,
    )


def test_the_limit_of_turns_and_what_comes_after_it(tmp_path: Path) -> None:
    limit = line("attachment", 2, attachment={"type": "max_turns_reached", "maxTurns": 6})
    stopped = [said(1, "m1", "And then"), limit]
    attempt = read_one(write_lines(tmp_path / "s.jsonl", *stopped))
    assert attempt.failure == Failure(
        reason="max_turns_exceeded", message="reached the limit of 6 turns"
    )
    assert attempt.metadata["exit_status"] == "max_turns_reached"
    resumed = [*stopped, asked(3, "Go on."), said(4, "m2", "Done.")]
    attempt = read_one(write_lines(tmp_path / "s.jsonl", *resumed))
    assert attempt.failure is None
    assert "exit_status" not in attempt.metadata


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("API Error: 500", "api_error"),
        ("Prompt is too long", "budget_exhausted"),
        ("Credit balance is too low", "api_error"),
    ],
)
def test_synthetic_messages_of_claude_code_are_not_turns(
    tmp_path: Path, text: str, reason: str
) -> None:
    message = {"model": "<synthetic>", "content": [{"type": "text", "text": text}]}
    instead = line("assistant", 2, message=message, isApiErrorMessage=True)
    attempt = read_one(write_lines(tmp_path / "s.jsonl", said(1, "m1", "Hi."), instead))
    assert len(turns_of(attempt)) == 1
    assert attempt.failure == Failure(reason=reason, message=text)


def test_a_placeholder_reply_is_not_an_error(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "No response requested."}]
    instead = line("assistant", 2, message={"model": "<synthetic>", "content": content})
    attempt = read_one(write_lines(tmp_path / "s.jsonl", said(1, "m1", "Hi."), instead))
    assert len(turns_of(attempt)) == 1
    assert attempt.failure is None


def test_a_run_that_the_user_interrupted(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "s.jsonl", said(1, "m1", "Hi."), asked(2, "[Request interrupted by user]")
    )
    failure = read_one(path).failure
    assert failure is not None
    assert failure.reason == "interrupted"


def test_a_resumed_session_begins_with_a_copy_and_compaction_goes_on(tmp_path: Path) -> None:
    first = said(1, "m1", "Hi.", usage=used(5, 5), sessionId="old")
    path = write_lines(
        tmp_path / "s.jsonl",
        {"type": "summary", "summary": "A fix", "leafUuid": "u"},
        first,
        first,
        line("system", 2, subtype="compact_boundary", compactMetadata={"trigger": "auto"}),
        said(3, "m2", "Done.", usage=used(6, 6), parentUuid="boundary"),
    )
    attempt = read_one(path)
    assert attempt.task_id == SESSION
    assert [turn.text for turn in turns_of(attempt)] == ["Hi.", "Done."]
    assert attempt.metadata["compactions"] == 1


def test_sub_agents_in_the_session_and_in_separate_files(tmp_path: Path) -> None:
    task = call("task", "Task", prompt="Look.", subagent_type="Explore")
    own = {"isSidechain": True, "agentId": "a7"}
    path = write_lines(
        tmp_path / f"{SESSION}.jsonl",
        asked(0, "Fix it."),
        said(1, "m1", task),
        said(2.5, "m2", "old style", isSidechain=True),
        result(
            5, "task", "It is in a.py.", toolUseResult={"agentId": "a7", "totalDurationMs": 4000}
        ),
        said(6, "m3", "Done."),
    )
    write_lines(
        tmp_path / SESSION / "subagents" / "agent-a7.jsonl",
        asked(1.5, "Look.", **own),
        said(2, "s1", call("r", "Read", file_path="/repo/a.py"), usage=used(3, 4), **own),
        result(3, "r", "1\tx\n2\ty", **own),
    )
    write_lines(
        tmp_path / "agent-b1.jsonl",
        said(4, "s2", "I too.", isSidechain=True, agentId="b1"),
    )
    write_lines(
        tmp_path / "agent-b2.jsonl",
        said(4, "s3", "of another session", isSidechain=True, agentId="b2", sessionId="other"),
    )
    attempt = read_one(path)
    assert [(turn.agent, turn.text) for turn in turns_of(attempt)] == [
        (None, None),
        ("Explore", None),
        ("sidechain", "old style"),
        ("b1", "I too."),
        (None, "Done."),
    ]
    assert seen(turns_of(attempt)[1]) == [("a.py", 1, 2)]
    assert turns_of(attempt)[0].tool_calls[0].duration_seconds == 4.0
    assert attempt.final_output == "Done."
    # Read with the session, they are no attempts of their own; without it they are.
    assert read(tmp_path / "agent-b1.jsonl") == ([], [])
    assert read(tmp_path / SESSION / "subagents" / "agent-a7.jsonl") == ([], [])
    alone = read_one(tmp_path / "agent-b2.jsonl")
    assert (alone.task_id, alone.attempt, alone.final_output) == (
        "other",
        "b2",
        "of another session",
    )


def test_lines_that_cannot_be_used_are_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    write_lines(
        path,
        said(1, "m1", "Hi.", usage={"input_tokens": 1, "output_tokens": "many"}),
        "[1]",
        "",
        said(2, "m2", "Done.", usage=used(1, 1)),
    )
    with path.open("ab") as file:
        file.write(b'\xef\xbb\xbf{"type": "assistant", "messa')
    attempts, problems = read(path)
    (attempt,) = attempts
    assert [turn.usage is None for turn in turns_of(attempt)] == [True, False]
    assert [(p.line, p.message.partition(":")[0]) for p in problems] == [
        (1, "usage.output_tokens"),
        (2, "expected an object, got a list"),
        (5, "invalid JSON"),
    ]


def test_a_session_that_begins_with_a_long_message(tmp_path: Path) -> None:
    first = asked(0, "x" * 100_000)
    first["sessionId"] = first.pop("sessionId")  # behind the message, as newer versions write it
    path = write_lines(tmp_path / "s.jsonl", first, said(1, "m1", "Hi."))
    assert read_one(path).task_id == SESSION


def test_a_session_is_read_the_same_as_columns(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "s.jsonl",
        asked(0, "Fix it."),
        said(1, "m1", call("a", "Read", file_path="/repo/a.py"), usage=used(1, 2)),
        "{",
        result(2, "a", "1\tx"),
    )
    columns, _ = as_batches(path)
    assert columns == as_records(path)
    assert (len(columns.rows), len(columns.problems)) == (1, 1)


def test_a_file_without_messages_has_no_attempt(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "s.jsonl", line("system", 1, subtype="informational"))
    assert read(path) == ([], [])
