"""Extracts command output from a screen that shows several commands, as terminus-2 records it.

::

    New Terminal Output:
    root@sandbox:/testbed# cd /testbed && ls
    docs  gauge  tests
    root@sandbox:/testbed# head -n 1 gauge/report.py
    ...
    root@sandbox:/testbed#

A command follows the prompt, and its output continues to the next line that begins like the prompt.
A screen that has scrolled or was cleared may show only some commands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["printed_by", "typed"]

_HOST = re.compile(r"[^\s@]+@[^\s:]+:")
_ENDS_PROMPT = ("#", "$", "%", ">")
_ENTER = ("\n", "\r")
_KEY = re.compile(r"(?:[CM]-.|Enter|Escape|Tab|Up|Down)")


def typed(keystrokes: str) -> str | None:
    """The command in keystrokes; ``None`` if they do not complete one, or are keys such as C-c."""
    command = keystrokes.strip()
    is_ended = keystrokes.endswith(_ENTER)
    return command if is_ended and command and not _KEY.fullmatch(command) else None


def printed_by(commands: Sequence[str], screen: str) -> list[str | None]:
    """The output of each command; ``None`` if the screen does not show all of it.

    Args:
        commands: The typed commands, in order.
        screen: The text of the screen.
    """
    lines = screen.split("\n")
    found: list[str | None] = []
    at = 0
    for command in commands:
        first, *others = command.split("\n")
        place = _find(first, lines, at)
        if place is not None and others:
            # Each of its other lines has its own prompt, such as "> ".
            last = next(
                (n for n in range(place[1], len(lines)) if lines[n].endswith(others[-1])), None
            )
            place = None if last is None else (place[0], last + 1)
        if place is None:
            found.append(None)
            continue
        begin, at = place
        end = next((n for n in range(at, len(lines)) if lines[n].startswith(begin)), None)
        # Without a prompt below it, the command was still running.
        found.append(None if end is None else "".join(f"{line}\n" for line in lines[at:end]))
    return found


def _find(command: str, lines: Sequence[str], start: int) -> tuple[str, int] | None:
    """The beginning of the prompt before a command, and the line below the command."""
    for at in range(start, len(lines)):
        prompt, end = _prompt_before(command, lines, at)
        if prompt is not None:
            host = _HOST.match(prompt)
            return host[0] if host else prompt, end
    return None


def _prompt_before(command: str, lines: Sequence[str], at: int) -> tuple[str | None, int]:
    """The prompt of the line where a command was typed, and the line below the command."""
    for mark in _ENDS_PROMPT:
        prompt, is_marked, rest = lines[at].partition(f"{mark} ")
        if not is_marked:
            continue
        end = at + 1
        # A long command wraps at the width of the screen.
        while rest.rstrip() != command and command.startswith(rest) and rest and end < len(lines):
            rest, end = rest + lines[end], end + 1
        if rest.rstrip() == command:
            return prompt + mark, end
    return None, at
