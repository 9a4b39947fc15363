"""Parses the output that programs return for a command, which has one of several layouts.

- JSON: ``{"output": …, "metadata": {"exit_code": 0, "duration_seconds": 0.1}}`` (Codex), or
  ``{"returncode": 0, "output": …}`` (mini-swe-agent)
- tags: ``<returncode>0</returncode>``, then ``<output>`` (mini-swe-agent's first version)
- a header of lines such as ``Exit code: 0``, ``Wall time: 0.1 seconds``, ``Process exited with code
  0`` or ``Process running with session ID 7``, then ``Output:``, then the text (Codex)
- plain text, from a tool that runs nothing, or for a call that was not executed
"""

from __future__ import annotations

import re
import shlex
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._logs.values import as_int, as_list, as_object, as_text
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["Output", "output_of", "script_of"]

_HEADER = re.compile(
    r"""
    Exit\ code:\ (?P<code>-?\d+) | Process\ exited\ with\ code\ (?P<exited>-?\d+)
    | Wall\ time:\ (?P<seconds>\d+(?:\.\d+)?)\ seconds? | Process\ running\ with\ session\ ID\ .*
    | Chunk\ ID:\ .* | Original\ token\ count:\ \d+ | Total\ output\ lines:\ \d+ | Command:\ .*
    """,
    re.VERBOSE,
)
_BODY = "Output:"
# Codex's message that it did not execute a call.
_REFUSALS = (
    "failed to parse function arguments",
    "unsupported call",
    "unsupported custom tool call",
    "execution error",
    "exec command rejected",
    "exec_command failed",
    "write_stdin failed",
    "apply_patch verification failed",
    "patch rejected",
    "rejected by user",
)
_SHELLS = frozenset(("bash", "dash", "sh", "zsh"))
_RUN = re.compile(r"-[a-z]*c")


_TAG = re.compile(r"<returncode>(-?[0-9]{1,18})</returncode>\s*")
_TAGGED = re.compile(r"<output>\n?(.*)</output>\s*", re.DOTALL)
_ABORTED = re.compile(r"aborted(?: by user.*)?", re.DOTALL)


class Output(NamedTuple):
    """The output of a command, parsed."""

    text: str
    """The text that the tool printed, without a header."""
    exit_code: int | None = None
    """The exit code, if recorded."""
    seconds: float | None = None
    """The duration, if recorded."""
    is_refusal: bool = False
    """Whether it says that the call was not executed."""
    is_cut: bool = False
    """Whether some of the text was omitted."""


def output_of(text: str) -> Output:
    """Parse the text that was returned."""
    return _of_json(text) or _of_tags(text) or _with_header(text) or _alone(text)


def _alone(text: str) -> Output:
    is_refusal = text.startswith(_REFUSALS) or _ABORTED.fullmatch(text) is not None
    return Output(text, is_refusal=is_refusal)


def _of_json(text: str) -> Output | None:
    if not text.startswith("{"):
        return None
    try:
        value = as_object(json_input.parse(text.encode(errors="replace"))) or {}
    except ReadError:
        return None
    metadata, printed = as_object(value.get("metadata")), value.get("output")
    if metadata is not None and isinstance(printed, str):
        code, seconds = metadata.get("exit_code"), metadata.get("duration_seconds")
        return Output(printed, as_int(code), finite(seconds))
    if "returncode" not in value:
        return None
    # Long output is shortened in the middle, and has another key.
    exception = as_text(value.get("exception_info"))
    shown = printed if isinstance(printed, str) else as_text(value.get("output_head")) or ""
    return Output(
        exception or shown, as_int(value["returncode"]), is_cut=not isinstance(printed, str)
    )


def _of_tags(text: str) -> Output | None:
    code = _TAG.match(text)
    if code is None:
        return None
    shown = text[code.end() :]
    whole = _TAGGED.fullmatch(shown)
    # Long output is shortened in the middle, and has other tags.
    return Output(shown if whole is None else whole[1], as_int(code[1]), is_cut=whole is None)


def _with_header(text: str) -> Output | None:
    if text.startswith(_BODY):
        return None
    code: int | None = None
    seconds: float | None = None
    rest = text
    while rest:
        line, newline, rest = rest.partition("\n")
        if line == _BODY:
            return Output(rest, code, seconds)
        found = _HEADER.fullmatch(line)
        if found is None or not newline:
            return None
        exited = found["code"] or found["exited"]
        code = as_int(exited) if exited else code
        seconds = float(found["seconds"]) if found["seconds"] else seconds
    return None


def script_of(command: JsonValue) -> str | None:
    """The command passed to a shell, without the shell itself.

    Example:
        >>> script_of(["bash", "-lc", "cat a.py | head"]), script_of("/bin/zsh -lc 'ls -a'")
        ('cat a.py | head', 'ls -a')
        >>> script_of(["git", "log", "-n 1"])
        "git log '-n 1'"
    """
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError:
            return command
        return _script(words) or command
    words = [word for word in as_list(command) if isinstance(word, str)]
    return _script(words) or (shlex.join(words) if words else None)


def _script(words: list[str]) -> str | None:
    match words:
        case [shell, option, script, *_] if PurePosixPath(shell).name in _SHELLS and _RUN.fullmatch(
            option
        ):
            return script
    return None
