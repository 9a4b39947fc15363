"""Cutting what commands printed out of a screen."""

from __future__ import annotations

import pytest

from trajmeter.readers.atif.terminal import printed_by, typed

SCREEN = """New Terminal Output:
root@box:/repo# cd src && ls
a.py

b.py
root@box:/repo/src# cat a.py
x = 1

root@box:/repo/src#

"""


def test_the_output_of_a_command_ends_at_the_next_prompt() -> None:
    assert printed_by(["cd src && ls", "cat a.py"], SCREEN) == ["a.py\n\nb.py\n", "x = 1\n\n"]


def test_a_command_that_is_not_shown_or_still_runs_printed_nothing_that_is_known() -> None:
    assert printed_by(["pwd", "cat a.py"], SCREEN) == [None, "x = 1\n\n"]
    assert printed_by(["make"], "root@box:/repo# make\ncc a.c\n") == [None]
    assert printed_by(["ls"], "") == [None]


def test_the_same_command_twice_is_found_twice() -> None:
    screen = "bash-5.1$ date\n1\nbash-5.1$ date\n2\nbash-5.1$ \n"
    assert printed_by(["date", "date", "date"], screen) == ["1\n", "2\n", None]


def test_a_long_command_goes_on_where_the_screen_ends() -> None:
    screen = "root@box:/# cat a/very/lo\nng/path.py\nx\nroot@box:/#\n"
    assert printed_by(["cat a/very/long/path.py"], screen) == ["x\n"]


def test_of_a_command_over_several_lines_the_last_counts() -> None:
    screen = "root@box:/# cat <<E\n> a\n> E\na\nroot@box:/#\n"
    assert printed_by(["cat <<E\na\nE"], screen) == ["a\n"]


@pytest.mark.parametrize(
    ("keystrokes", "command"),
    [("ls\n", "ls"), ("ls", None), ("C-c\n", None), ("\n", None), ("", None), ("a\nb\r", "a\nb")],
)
def test_keystrokes_that_end_a_command(keystrokes: str, command: str | None) -> None:
    assert typed(keystrokes) == command
