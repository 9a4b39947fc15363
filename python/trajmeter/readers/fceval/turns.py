"""Turns of a trial, from files next to its result, which has none.

The first available source is used:

1. ``agent-logs/episode-<n>/``: ``response.txt`` is a reply of terminus-2, ``response.json`` one of
   terminus-1, and the prompt of the next episode shows the screen after its commands;
2. the agent's terminal recording, ``sessions/agent.cast`` or the only other one;
3. ``commands.txt``: each time keys were sent, a line with the keys as a Python literal, without
   output.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.problems import problem_with
from trajmeter.readers._logs.replies import Call, Reply, turns_of
from trajmeter.readers._logs.shown import Viewer
from trajmeter.readers._logs.values import as_list, as_object, as_text
from trajmeter.readers.asciinema.casts import replies_of
from trajmeter.readers.atif.terminal import printed_by, typed
from trajmeter.records import Failure, ReadProblem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trajmeter.records import Turn

__all__ = ["turns_in"]

_EPISODE = re.compile(r"episode-(\d+)")
_RECORDING, _COMMANDS = "agent.cast", "commands.txt"
_TESTS = "tests.cast"
_TOOL = "terminal"
_WHOLE = "response.json"
"""Terminus-1's reply, whose next prompt is the whole screen."""
_WAIT = "; tmux wait -S done"
"""What terminus-1 appends to a command for whose end it waits."""
_IN_BACKGROUND = ("EOF", "&")
"""Ends of commands for which it does not wait."""
_UNPARSED = "Previous response had parsing errors"
_KEYS = {"Enter": "\r", "C-m": "\r"}


def turns_in(folder: Path) -> tuple[tuple[Turn, ...] | None, tuple[str, ...]]:
    """The turns of a trial.

    Args:
        folder: Folder of the trial, or of one of its agents.

    Returns:
        The turns, ``None`` if there is no source; and what could not be read, each with its place.
        Lines of a recording are left to :func:`~trajmeter.readers.fceval.logs.read_logs`.
    """
    problems: list[ReadProblem] = []
    replies = _episodes(folder / "agent-logs", problems.append)
    recording = _recording(folder / "sessions")
    if replies is None and recording is not None:
        replies, _ = replies_of(recording, lambda _: None)
    if replies is None:
        replies = _sent(folder / _COMMANDS, problems.append)
    return None if replies is None else turns_of(replies), tuple(map(str, problems))


def _recording(folder: Path) -> Path | None:
    if (folder / _RECORDING).is_file():
        return folder / _RECORDING
    others = [file for file in sorted(folder.glob("*.cast")) if file.name != _TESTS]
    return others[0] if len(others) == 1 else None


def _episodes(folder: Path, report: Callable[[ReadProblem], None]) -> list[Reply] | None:
    numbered = sorted(
        (int(match[1]), path)
        for path in folder.glob("episode-*")
        if (match := _EPISODE.fullmatch(path.name))
    )
    paths = [path for _, path in numbered]
    episodes = [_reply(path, report) for path in paths]
    viewer = Viewer()
    for at, (reply, shown_as) in enumerate(episodes[:-1]):
        screen = _text(paths[at + 1] / "prompt.txt", report) or ""
        if screen.startswith(_UNPARSED):
            reply.error = Failure(reason="parse_error", message=screen)
        is_whole = (paths[at] / _WHOLE).is_file()
        printed = iter((_last_printed_by if is_whole else printed_by)(shown_as, screen))
        for call in reply.calls:
            shown = next(printed) if call.command is not None else None
            if shown is not None:
                call.result = shown
                viewer.look(call, shown, is_kept=True)
    return [reply for reply, _ in episodes] or None


def _last_printed_by(commands: list[str], screen: str) -> list[str | None]:
    """The output of each command on a screen that also shows earlier ones."""
    lines = screen.split("\n")
    for start in reversed(range(len(lines))):
        printed = printed_by(commands, "\n".join(lines[start:]))
        if None not in printed:
            return printed
    return [None] * len(commands)


def _reply(episode: Path, report: Callable[[ReadProblem], None]) -> tuple[Reply, list[str]]:
    """The reply of an episode, and its commands as they are on the screen."""
    is_first = (episode / _WHOLE).is_file()
    text = _text(episode / (_WHOLE if is_first else "response.txt"), report)
    reply = Reply(texts=[text] if text else [])
    shown_as: list[str] = []
    start, end = (text or "").find("{"), (text or "").rfind("}")
    try:
        said = as_object(json_input.parse((text or "")[start : end + 1].encode(errors="replace")))
    except ReadError:
        return reply, shown_as
    for each in as_list((said or {}).get("commands")):
        about = as_object(each) or {}
        keystrokes = as_text(about.get("keystrokes"))
        if keystrokes is None:
            continue
        call = _call(keystrokes)
        reply.calls.append(call)
        if call.command is not None:
            ends = call.command.endswith(_IN_BACKGROUND)
            waits = is_first and about.get("is_blocking") is True and not ends
            shown_as.append(call.command + _WAIT if waits else call.command)
    return reply, shown_as


def _call(keystrokes: str) -> Call:
    call = Call(_TOOL, {"keystrokes": keystrokes})
    call.command = typed(keystrokes)
    return call


def _sent(path: Path, report: Callable[[ReadProblem], None]) -> list[Reply] | None:
    """One turn for each time that keys were sent."""
    text = _text(path, report) if path.is_file() else None
    if text is None:
        return None
    replies = []
    viewer = Viewer()
    for number, line in enumerate(text.splitlines(), start=1):
        keys = _literal(line)
        if keys is None:
            message = f"expected keys as a Python literal, got {line[:40]!r}"
            report(ReadProblem(file=str(path), line=number, message=message))
            continue
        call = _call("".join(_KEYS.get(key, key) for key in keys))
        if call.command is not None:
            viewer.look(call, None, is_kept=True)
        replies.append(Reply(calls=[call]))
    return replies


def _literal(line: str) -> list[str] | None:
    try:
        value: Any = ast.literal_eval(line)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    keys = [value] if isinstance(value, str) else value
    is_list = isinstance(keys, list) and all(isinstance(key, str) for key in keys)
    return keys if is_list else None


def _text(path: Path, report: Callable[[ReadProblem], None]) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        report(problem_with(path, error))
        return None
