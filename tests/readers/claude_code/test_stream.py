"""Streams of Claude Code."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.claude_code.lines import call, used
from tests.readers.logs import read, read_one, seen, turns_of, write_lines
from trajmeter.records import Failure, Usage

if TYPE_CHECKING:
    from pathlib import Path


def init(session: str = "s1") -> dict[str, Any]:
    about = {"model": "m-1", "cwd": "/repo", "claude_code_version": "2.1.330"}
    return {"type": "system", "subtype": "init", "session_id": session, **about}


def said(identity: str, *blocks: Any, session: str = "s1", **fields: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    message = {"id": identity, "model": "m-1", "content": content, "usage": used(9, 1)}
    return {"type": "assistant", "session_id": session, "message": message, **fields}


def got(identity: str, text: Any, **fields: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": identity, "content": text}
    return {"type": "user", "session_id": "s1", "message": {"content": [block]}, **fields}


def ended(subtype: str = "success", session: str = "s1", **fields: Any) -> dict[str, Any]:
    return {
        "type": "result",
        "subtype": subtype,
        "session_id": session,
        "is_error": subtype != "success",
        "num_turns": 15,
        "duration_ms": 3500,
        **fields,
    }


def test_the_result_has_answer_cost_and_usage(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "out.jsonl",
        init(),
        said("m1", "I look.", call("t1", "Read", file_path="/repo/a.py")),
        got("t1", "1\tx\n2\ty\n3\t"),
        said("m2", "Done."),
        ended(result="It is done.", total_cost_usd=0.25, usage=used(100, 30, 50, 20)),
    )
    attempt = read_one(path)
    assert (attempt.task_id, attempt.model) == ("s1", "m-1")
    assert attempt.final_output == "It is done."
    assert attempt.duration_seconds == 3.5
    assert attempt.usage == Usage(
        input_tokens=170,  # 100 + 50 + 20
        output_tokens=30,
        cached_input_tokens=50,
        cache_write_tokens=20,
        cost_usd=0.25,
    )
    assert attempt.failure is None
    assert attempt.metadata == {"exit_status": "success", "version": "2.1.330"}
    first, second = turns_of(attempt)
    assert seen(first) == [("a.py", 1, 2)]
    # Events have the usage of a reply's beginning, and no times in older versions.
    assert first.usage is second.usage is None
    assert first.duration_seconds is None


@pytest.mark.parametrize(
    ("subtype", "fields", "failure"),
    [
        (
            "error_max_turns",
            {"errors": ["Reached maximum number of turns (6)"]},
            Failure(reason="max_turns_exceeded", message="Reached maximum number of turns (6)"),
        ),
        ("error_max_budget_usd", {}, Failure(reason="budget_exhausted")),
        ("error_max_turns", {"is_error": False}, Failure(reason="max_turns_exceeded")),
        ("error_during_execution", {}, Failure(reason="error_during_execution")),
        (
            "success",
            {"is_error": True, "result": "API Error: 500"},
            Failure(reason="api_error", message="API Error: 500"),
        ),
        (
            "success",
            {"is_error": True, "result": "Prompt is too long"},
            Failure(reason="budget_exhausted", message="Prompt is too long"),
        ),
        ("success", {}, None),
    ],
)
def test_subtype_or_mark_says_that_a_run_failed(
    tmp_path: Path, subtype: str, fields: dict[str, Any], failure: Failure | None
) -> None:
    attempt = read_one(
        write_lines(tmp_path / "o.jsonl", init(), said("m1", "Hi."), ended(subtype, **fields))
    )
    assert attempt.failure == failure
    assert attempt.metadata["exit_status"] == subtype


def test_a_stream_that_was_cut_has_no_end(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "o.jsonl", init(), said("m1", "Hi.")))
    assert attempt.failure is None
    assert attempt.usage is None
    assert attempt.final_output == "Hi."
    assert "exit_status" not in attempt.metadata


def test_a_stream_that_was_cut_after_an_error_failed(tmp_path: Path) -> None:
    error = said("m2", "API Error: 529 overloaded")
    error["message"]["model"] = "<synthetic>"
    path = write_lines(tmp_path / "o.jsonl", init(), said("m1", "Hi."), error)
    assert read_one(path).failure == Failure(
        reason="api_error", message="API Error: 529 overloaded"
    )


def test_results_without_a_call_are_reported_with_their_line(tmp_path: Path) -> None:
    nameless = {"type": "tool_use", "id": "t1", "input": {}}
    attempt = read_one(
        write_lines(tmp_path / "o.jsonl", init(), said("m1", "Hi.", nameless), got("t9", "x"))
    )
    assert attempt.unusable == {
        "line 2": "a call without a name",
        "line 3": "a result without a call",
    }
    assert attempt.dropped_calls == 2
    assert turns_of(attempt)[0].tool_calls == ()


def test_a_file_of_several_streams(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "o.jsonl",
        init("s1"),
        said("m1", "one"),
        ended(result="one", usage=used(1, 1)),
        init("s2"),
        said("m1", "two", session="s2"),
        ended(session="s2", result="two", usage=used(2, 2)),
        init("s2"),
        said("m2", "two, resumed", session="s2"),
    )
    attempts, problems = read(path)
    assert problems == []
    assert [(a.task_id, a.final_output) for a in attempts] == [
        ("s1", "one"),
        ("s2", "two"),
        ("s2", "two, resumed"),
    ]
    assert [a.source.line for a in attempts if a.source] == [1, 4, 7]


def test_sub_agents_are_named_after_their_type(tmp_path: Path) -> None:
    task = call("task", "Task", subagent_type="Plan")
    path = write_lines(
        tmp_path / "o.jsonl",
        init(),
        said("m1", task),
        said("s1", "I plan.", parent_tool_use_id="task"),
        got("task", "A plan."),
        said("m2", "Done."),
    )
    turns = turns_of(read_one(path))
    assert [turn.agent for turn in turns] == [None, "Plan", None]


def test_reasoning_and_pictures_are_omitted_and_writes_show_nothing(tmp_path: Path) -> None:
    hidden = {"type": "redacted_thinking", "data": "c2VjcmV0"}
    picture = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    edits = call("t1", "MultiEdit", file_path="/repo/a.py", edits=[])
    cells = call("t2", "NotebookEdit", notebook_path="/repo/a.ipynb", new_source="x")
    path = write_lines(
        tmp_path / "out.jsonl",
        init(),
        said("m1", hidden, "I write.", edits, cells),
        got("t1", [{"type": "text", "text": "ok"}, picture]),
        got("t2", "ok"),
        ended(result="Done.", permission_denials=[{"tool_name": "Bash"}]),
    )
    attempt = read_one(path)
    (turn,) = turns_of(attempt)
    assert turn.text == "I write."
    assert [each.result for each in turn.tool_calls] == [
        [{"type": "text", "text": "ok"}, {"type": "image"}],
        "ok",
    ]
    assert seen(turn) == []
    assert attempt.metadata["permission_denials"] == 1


def test_a_list_of_events_and_a_result_alone(tmp_path: Path) -> None:
    events = [init(), said("m1", "Hi."), ended(result="Hi.", usage=used(1, 2))]
    (tmp_path / "list.json").write_text(json.dumps(events))
    attempt = read_one(tmp_path / "list.json")
    assert [turn.text for turn in turns_of(attempt)] == ["Hi."]
    alone = ended(structured_output={"a": 1}, modelUsage={"m-9": {}}, usage=used(1, 2))
    (tmp_path / "result.json").write_text(json.dumps(alone, indent=1))
    attempt = read_one(tmp_path / "result.json")
    assert attempt.turns is None
    assert (attempt.model, attempt.final_output) == ("m-9", '{"a": 1}')


def test_the_folder_of_the_shell_is_followed_through_what_it_says(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "o.jsonl",
        init(),
        said("m1", call("a", "Bash", command="cd src && cat a.py")),
        got("a", "x = 1"),
        said("m2", call("b", "Bash", command="cat b.py")),
        got("b", "y = 1"),
        said("m3", call("c", "Bash", command="cd /tmp && ls")),
        got("c", "x\nShell cwd was reset to /repo"),
        said("m4", call("d", "Bash", command="cat c.py")),
        got("d", "z = 1"),
    )
    turns = turns_of(read_one(path))
    assert [[v.path for v in turn.views or ()] for turn in turns] == [
        ["src/a.py"],
        ["src/b.py"],
        [],
        ["c.py"],
    ]


@pytest.mark.parametrize("count", [1, 19])
@pytest.mark.parametrize("time", ["12:00:", "2026-01-"])
def test_lines_before_a_stream_are_reported_and_the_stream_read(
    time: str, count: int, tmp_path: Path
) -> None:
    printed = [f"[{time}{at:02}] starting" for at in range(count)]
    path = write_lines(tmp_path / "out.txt", *printed, init(), said("m1", "Done."), ended())
    attempts, problems = read(path)
    assert [len(attempt.turns or ()) for attempt in attempts] == [1]
    assert [problem.line for problem in problems] == [*range(1, count + 1)]
    assert f"it begins '[{time}00] starting'" in problems[0].message


def test_a_text_that_holds_a_stream_far_below_its_beginning_is_not_one(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "notes.txt", *["Notes."] * 30, init(), said("m1", "Done."))
    attempts, problems = read(path)
    assert (attempts, len(problems)) == ([], 1)
