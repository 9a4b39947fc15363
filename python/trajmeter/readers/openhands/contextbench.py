"""Views of OpenHands events and completions by the rules of ContextBench's readers.

Of events, only ``read`` and ``run`` count, and of completions only ``view`` and ``execute_bash``,
by what they request. A command that contains one of ``_WRITES``, even within another word, shows
nothing. Every match of every pattern counts, with any file name, and output is ignored. ``start``
and ``end`` of a ``read`` are interpreted as 1-based lines. In completions, ``cat`` needs a path
with a slash, and neither ``nl`` nor ``grep`` shows anything.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from trajmeter.escapes import whole_escapes
from trajmeter.readers._logs.values import as_int, as_list, as_mapping
from trajmeter.readers.contextbench.views import bounded, merged_spans, views_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trajmeter.readers.contextbench.views import Span
    from trajmeter.records import Turn

__all__ = ["calls_show", "commands_show", "fields_with_steps", "path_in_repository"]

_WRITES = ("sed -i", "echo ", "mkdir", "rm ", "git add", "git commit")
_RANGE = r"['\"]?(?P<first>[0-9]{1,18}),(?P<last>[0-9]{1,18})p['\"]?"
_EXTENSIONS = r"(?:py|js|java|go|rs|cpp|c|hpp|h|tsx|ts|jsx|rb|php|cs|kt|scala|swift)"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"nl\s+-\w+\s+(?P<path>[^\s|]+)\s*\|\s*sed\s+-n\s+{_RANGE}",
        rf"sed\s+-n\s+{_RANGE}\s+(?P<path>[^\s|]+)",
        r"head\s+-n\s+(?P<last>[0-9]{1,18})\s+(?P<path>[^\s|]+)",
        r"\bcat\s+(?:-n\s+)?(?P<path>[^\s|<>-][^\s|<>]*)",
        rf"\bgrep\s[^|;&]*\s(?P<path>[^\s'\"|]+\.{_EXTENSIONS})\b",
    )
)
_CALLED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"sed\s+-n\s+{_RANGE}\s+(?P<path>[^\s&|>;<]+)",
        r"\bhead\s+-n\s+(?P<last>[0-9]{1,18})\s+(?P<path>[^\s&|>]+)",
        r"\bcat\s+(?:-n\s+)?(?P<path>[^\s&|>]+)",
    )
)
_LONGEST = 20_000
"""Longer commands contain a script, and are not searched."""


def commands_show(event: Mapping[str, Any]) -> dict[str, list[Span]]:
    """The files of an event's action, each with the lines requested."""
    args = event.get("args")
    args = args if isinstance(args, dict) else {}
    if event.get("action") == "read" and isinstance(args.get("path"), str):
        path = path_in_repository(args["path"])
        return {path: _read_range(args)} if path else {}
    command = args.get("command")
    if event.get("action") != "run" or not isinstance(command, str):
        return {}
    found: dict[str, list[Span]] = {}
    for match in _matches(command, _PATTERNS):
        _add(found, path_in_repository(match["path"]), match)
    return found


def calls_show(messages: Iterable[object]) -> Iterator[dict[str, list[Span]]]:
    """The files of each call in the messages of a completion, each with the lines requested."""
    for message in map(as_mapping, messages):
        calls = as_list(message.get("tool_calls")) if message.get("role") == "assistant" else ()
        for called in (as_mapping(as_mapping(call).get("function")) for call in calls):
            try:
                arguments = as_mapping(json.loads(whole_escapes(called.get("arguments", "{}"))))
            except (TypeError, ValueError, RecursionError):
                continue
            name, command = called.get("name"), arguments.get("command")
            if name == "execute_bash" and isinstance(command, str):
                yield _command_shows(command)
            elif name == "str_replace_editor" and command == "view":
                yield _editor_shows(arguments)


def fields_with_steps(
    turns: Iterable[Turn], steps: Iterable[Mapping[str, list[Span]]]
) -> dict[str, Any]:
    """The turns, without views, before those of the steps, and the union of these."""
    found = [step for step in steps if step]
    spans: dict[str, list[tuple[int, int]]] = {}
    for step in found:
        for path, ranges in step.items():
            spans.setdefault(path, []).extend((span["start"], span["end"]) for span in ranges)
    silent = (turn.model_copy(update={"views": None}) for turn in turns)
    united = {path: merged_spans(ranges) for path, ranges in spans.items()}
    return {
        "turns": [*silent, *({"views": views_of(step, step)} for step in found)],
        "final_views": views_of(united, united),
    }


def _command_shows(command: str) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = {}
    for match in _matches(command, _CALLED):
        is_file = match.re is not _CALLED[-1] or "/" in match["path"].strip("'\"")
        _add(found, _path_in_container(match["path"]) if is_file else "", match)
    return found


def _editor_shows(arguments: Mapping[str, Any]) -> dict[str, list[Span]]:
    written = arguments.get("path")
    path = _path_in_container(written) if isinstance(written, str) else ""
    ends = [as_int(end) for end in as_list(arguments.get("view_range"))[:2]]
    match ends:
        case [int(first), int(last)] if first > 0 and last > 0:
            spans: list[Span] = [{"start": first, "end": last}]
        case _:
            spans = []
    return {path: spans} if path else {}


def _matches(command: str, patterns: Iterable[re.Pattern[str]]) -> Iterator[re.Match[str]]:
    if len(command) <= _LONGEST and not any(mark in command for mark in _WRITES):
        for pattern in patterns:
            yield from pattern.finditer(command)


def _add(found: dict[str, list[Span]], path: str, match: re.Match[str]) -> None:
    """Add what a command shows of a path, unless the path is empty."""
    if path:
        numbers = match.groupdict()
        spans = found.setdefault(path, [])
        if numbers.get("last") is not None:
            first = int(numbers.get("first") or 1)
            spans.append({"start": first, "end": int(numbers["last"])})


def _read_range(args: Mapping[str, Any]) -> list[Span]:
    view_range = args.get("view_range")
    pairs = [view_range] if isinstance(view_range, list) else []
    pairs.append([args.get("start"), args.get("end")])
    for pair in pairs:
        if len(pair) == 2 and all(isinstance(each, int) for each in pair) and pair[1] > 0:  # noqa: PLR2004 - the first and the last
            first = pair[0] if pair[0] or pair is view_range else 1
            if first > 0:
                return [{"start": bounded(first), "end": bounded(pair[1])}]
    return []


def path_in_repository(written: str) -> str:
    """A path without quotes, the folder ``/testbed`` and leading slashes."""
    return written.strip("\"'").removeprefix("/testbed/").lstrip("/").removeprefix("./")


def _path_in_container(written: str) -> str:
    """A path without quotes, the folder ``/workspace`` and leading slashes."""
    path = written.strip().strip("\"'").removeprefix("/workspace/")
    return path.lstrip("/").removeprefix("./")
