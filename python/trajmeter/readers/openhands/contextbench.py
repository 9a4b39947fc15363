"""Views of OpenHands events by the rules of ContextBench's reader.

Only ``read`` and ``run`` count, by what they request. A command that contains one of ``_WRITES``,
even within another word, shows nothing. Every match of every pattern counts, with any file name,
and output is ignored. ``start`` and ``end`` of a ``read`` are interpreted as 1-based lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.readers.contextbench.views import Span

__all__ = ["commands_show", "path_in_repository"]

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
    if len(command) > _LONGEST or any(mark in command for mark in _WRITES):
        return {}
    found: dict[str, list[Span]] = {}
    for pattern in _PATTERNS:
        for match in pattern.finditer(command):
            path = path_in_repository(match["path"])
            if path:
                numbers = match.groupdict()
                spans = found.setdefault(path, [])
                if numbers.get("last") is not None:
                    first = int(numbers.get("first") or 1)
                    spans.append({"start": first, "end": int(numbers["last"])})
    return found


def _read_range(args: Mapping[str, Any]) -> list[Span]:
    asked = args.get("view_range")
    pairs = [asked] if isinstance(asked, list) else []
    pairs.append([args.get("start"), args.get("end")])
    for pair in pairs:
        if len(pair) == 2 and all(isinstance(each, int) for each in pair) and pair[1] > 0:  # noqa: PLR2004 - the first and the last
            first = pair[0] if pair[0] or pair is asked else 1
            if first > 0:
                return [{"start": first, "end": pair[1]}]
    return []


def path_in_repository(written: str) -> str:
    """A path without quotes, the folder ``/testbed`` and leading slashes."""
    return written.strip("\"'").removeprefix("/testbed/").lstrip("/").removeprefix("./")
