"""Recordings of terminals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.readers.logs import read, read_one, seen, turns_of, write_lines
from trajmeter.readers.asciinema.screen import command_of, plain_text

if TYPE_CHECKING:
    from pathlib import Path

HEADER = {"version": 2, "width": 160, "height": 40, "timestamp": 1760000000, "title": "T"}
EVENTS = [
    [0.1, "o", "$ "],
    [0.5, "i", "cat a.pz"],
    [0.5, "o", "cat a.pz"],
    [0.6, "i", "\x7fy\r"],
    [0.7, "o", "\r\n\x1b[32mx = 1"],
    [0.9, "o", "\x1b[0m\r\n$ "],
    [2.0, "i", "l"],
    [2.1, "i", "s\r"],
    [2.2, "o", "\r\na.py\r\n$ "],
]


def test_a_command_that_was_typed_is_a_turn(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "acme.cast", HEADER, *EVENTS))
    assert (attempt.task_id, attempt.agent) == ("acme", None)
    assert attempt.duration_seconds == 2.2
    assert attempt.metadata == {"title": "T", "started_at": 1760000000.0}
    first, second = turns_of(attempt)
    assert (first.program, second.program) == ("cat a.py", "ls")
    assert first.tool_calls[0].arguments == {"keystrokes": "cat a.pz\x7fy\r"}
    assert first.tool_calls[0].result == "x = 1\n$ "
    assert first.tool_calls[0].duration_seconds == 0.3  # from Enter at 0.6 to 0.9
    assert first.success is None
    assert second.tool_calls[0].result == "a.py\n$ "


def test_markers_begin_turns_where_there_are_any(tmp_path: Path) -> None:
    events = [[0.0, "m", "turn 1"], *EVENTS, [3, "m", "turn 2"], [4, "r", "80x24"]]
    first, second = turns_of(read_one(write_lines(tmp_path / "a.cast", HEADER, *events)))
    assert [call.arguments for call in first.tool_calls] == [
        {"keystrokes": "cat a.pz\x7fy\r"},
        {"keystrokes": "ls\r"},
    ]
    assert [turn.extra for turn in (first, second)] == [{"marker": "turn 1"}, {"marker": "turn 2"}]
    assert second.tool_calls == ()


def test_without_input_nothing_is_known_of_turns(tmp_path: Path) -> None:
    attempt = read_one(write_lines(tmp_path / "a.cast", HEADER, [0.5, "o", "$ ls\r\n"]))
    assert attempt.turns is None
    assert attempt.duration_seconds == 0.5
    attempt = read_one(write_lines(tmp_path / "a.cast", HEADER))
    assert (attempt.turns, attempt.duration_seconds) == (None, None)


def test_lines_that_are_pasted_together_are_one_command(tmp_path: Path) -> None:
    events = [[1, "i", "cat <<E\rx\rE\r"], [2, "o", "x\r\n"], [3, "i", "pw"]]
    (turn,) = turns_of(read_one(write_lines(tmp_path / "a.cast", HEADER, *events)))
    assert turn.program == "cat <<E\nx\nE"
    assert turn.tool_calls[0].result == "x\n"


def test_versions_1_and_3_have_times_between_events(tmp_path: Path) -> None:
    header: dict[str, Any] = {"version": 3, "term": {"cols": 80, "rows": 24}}
    events = ["# a comment", [0.5, "i", "ls\r"], [0.5, "o", "x"], [1, "x", "0"]]
    attempt = read_one(write_lines(tmp_path / "a.cast", header, *events))
    assert attempt.duration_seconds == 2.0
    assert turns_of(attempt)[0].tool_calls[0].duration_seconds == 0.5
    old = {"version": 1, "width": 80, "height": 24, "stdout": [[0.5, "$ "], [0.5, "ls"], "x"]}
    (tmp_path / "b.json").write_text(json.dumps(old, indent=1))
    attempt = read_one(tmp_path / "b.json")
    assert (attempt.turns, attempt.duration_seconds) == (None, 1.0)


def test_lines_that_are_not_events_are_reported(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.cast", HEADER, {"a": 1}, [1, "i"], *EVENTS)
    with path.open("ab") as file:
        file.write(b'[9.0, "o", "\xff\xfe"]\n[9.5, "o", "cut')
    (attempt,), problems = read(path)
    assert len(turns_of(attempt)) == 2
    assert [problem.line for problem in problems] == [2, 3, 14]
    assert problems[0].message == "expected an event, a list of time, code and data"


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ("\x1b[1;31ma\x1b[0m\r\nb", "a\nb"),
        ("\x1b]0;title\x07a\x1b]0;t\x1b\\b", "ab"),
        ("10%\r50%\r100%\ndone", "100%\ndone"),
        ("ab\x08\x08cd", "cd"),
        ("a\x07\x00b\tc", "ab\tc"),
        ("\x1b(B\x1b[?25l\x1b=a\x1bP1$r\x1b\\b", "ab"),
        ("", ""),
    ],
)
def test_what_a_terminal_shows(output: str, shown: str) -> None:
    assert plain_text(output) == shown


@pytest.mark.parametrize(
    ("typed", "command"),
    [("ls", "ls"), ("lz\x7fs", "ls"), ("\x7f", None), ("a\t", None), ("\x03", None), ("  ", None)],
)
def test_keys_that_make_a_command(typed: str, command: str | None) -> None:
    assert command_of(typed) == command


def test_a_paste_is_typed() -> None:
    assert command_of("\x1b[200~ls\x1b[201~") == "ls"


@pytest.mark.parametrize(
    "events",
    [
        [[1, "i", "cat a.py\r"], [1.1, "o", "cat a.py\r\nx = 1\r\n$ "]],
        [
            [1, "i", "cat "],
            [1.1, "o", "cat "],
            [1.2, "i", "a.py\r"],
            [1.3, "o", "a.py\r\nx = 1\r\n$ "],
        ],
        [
            [1, "i", "cat a.py\r"],
            [1.1, "o", "c"],
            [1.2, "o", "at a.py"],
            [1.3, "o", "\r\nx = 1\r\n$ "],
        ],
    ],
)
def test_the_terminal_echo_of_a_command_is_not_output(tmp_path: Path, events: list[Any]) -> None:
    (turn,) = turns_of(read_one(write_lines(tmp_path / "a.cast", HEADER, *events)))
    assert turn.tool_calls[0].result == "x = 1\n$ "
    assert seen(turn) == [("a.py", 1, 1)]


def test_output_that_looks_like_an_echo_is_kept(tmp_path: Path) -> None:
    events = [[1, "i", "echo x"], [1.1, "o", "echo x"], [1.2, "i", "\r"], [1.3, "o", "\r\nx\r\n$ "]]
    (turn,) = turns_of(read_one(write_lines(tmp_path / "a.cast", HEADER, *events)))
    assert turn.tool_calls[0].result == "x\n$ "
