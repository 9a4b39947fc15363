"""Views from shell commands, by the rules of ContextBench's reader of mini-swe-agent.

The rules are narrow and odd, and scores of recorded runs depend on them:

- A command that contains one of ``_WRITES``, even within another word, shows nothing.
- The command is cut at ``&&``, ``||`` and ``;``; each piece shows at most one file.
- Only ``nl … | sed -n``, ``sed -n``, ``head -n``, ``cat`` and ``grep`` count, in this order.
- Only files with the extensions in ``_FILE`` count, and paths are not joined to a folder.
- Only numbers in the command make a range; its output is not read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers.contextbench.views import NewView, Span, views_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.readers.mini_swe_agent.run import Run

__all__ = ["Shown", "path_in_repository", "repository_of", "shown", "views_shown"]

_REPOSITORY = re.compile(r"_m_([^:/]+)")

_WRITES = ("sed -i", "echo ", "mkdir", "rm ", "git add", "git commit", "COMPLETE_TASK")
_PIECES = re.compile(r"&&|\|\||;")
_FILE = (
    r"(?P<path>[^\s'\"|]+\.(?:py|js|java|go|rs|cpp|c|hpp|h|tsx|ts|jsx|rb|php|cs|kt|scala|swift))\b"
)
_RANGE = r"['\"]?(?P<first>\d{1,18}),(?P<last>\d{1,18})p['\"]?"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\s*nl\s+-\w+\s+{_FILE}\s*\|\s*sed\s+-n\s+{_RANGE}",
        rf"\s*sed\s+-n\s+{_RANGE}\s+{_FILE}",
        rf"\s*head\s+-n\s+(?P<last>\d{{1,18}})\s+{_FILE}",
        rf"\s*cat\s+{_FILE}",
        rf"\s*(?:git\s+)?grep\s.*?{_FILE}",
    )
)


class Shown(NamedTuple):
    """A file that a command shows."""

    path: str
    """Path as written in the command."""
    lines: Span | None
    """Lines as written in the command; ``None`` if it gives none."""


def shown(command: str) -> list[Shown]:
    """The files that a command shows."""
    if any(mark in command for mark in _WRITES):
        return []
    found: list[Shown] = []
    for piece in _PIECES.split(command):
        match = next(filter(None, (pattern.match(piece) for pattern in _PATTERNS)), None)
        if match is not None:
            numbers = match.groupdict()
            last = numbers.get("last")
            first = int(numbers.get("first") or 1)
            lines = None if last is None else Span(start=first, end=int(last))
            found.append(Shown(match["path"], lines))
    return found


def views_shown(commands: Iterable[str], repository: str | None) -> list[NewView] | None:
    """The views of a step that ran these commands; ``None`` if they show no file."""
    spans: dict[str, list[Span]] = {}
    for written, lines in (view for command in commands for view in shown(command)):
        path = path_in_repository(written, repository)
        if path is not None:
            spans.setdefault(path, [])
            if lines is not None:
                spans[path].append(lines)
    return views_of(spans, spans) if spans else None


def path_in_repository(written: str, repository: str | None) -> str | None:
    """A path without ContextBench's container folders; ``None`` if it is outside them."""
    path = written.strip().strip("\"'").strip()
    if path.startswith("/testbed/"):
        path = path.removeprefix("/testbed/")
    elif path.startswith("/home/"):
        first, slash, rest = path.removeprefix("/home/").partition("/")
        if not slash:
            return None
        path = rest if first == repository else f"{first}/{rest}"
    return path.lstrip("/").removeprefix("./") or None


def repository_of(run: Run) -> str | None:
    """The repository folder in Multi-SWE-bench containers, from the image name."""
    config = (run.get("info") or {}).get("config") or {}
    match = _REPOSITORY.search((config.get("environment") or {}).get("image") or "")
    return None if match is None else match[1]
