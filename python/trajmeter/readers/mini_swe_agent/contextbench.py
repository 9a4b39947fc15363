"""Views from shell commands, by the rules of ContextBench's reader of mini-swe-agent.

The rules are narrow and odd, and scores of recorded runs depend on them:

- A command that contains one of ``_WRITES``, even within another word, shows nothing.
- The command is cut at ``&&``, ``||`` and ``;``, but not at line ends; each piece shows at most one
  file.
- ``nl … | sed -n``, ``sed -n``, ``head -n``, ``cat`` and ``grep`` count, anywhere in a piece. The
  first of them, in this order, decides, even if what it shows is not a source file.
- Only files that end in ``_SUFFIX`` count, and paths are not joined to a folder.
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
_SUFFIX = r"\.(?:py|js|java|go|rs|c|cpp|h|hpp|ts|tsx|jsx|rb|php|cs|kt|scala|swift)"
_SOURCE = re.compile(rf"{_SUFFIX}\Z")
_RANGE = r"['\"]?(?P<first>\d{1,18}),(?P<last>\d{1,18})p"
_SELECTED = re.compile(rf"\|\s*sed\s+-n\s+{_RANGE}")
_NUMBERED = re.compile(r"nl\s")
_READ = (
    re.compile(rf"sed\s+-n\s+{_RANGE}['\"]?\s+(?P<path>[^\s&|>;<]+)"),
    re.compile(r"\bhead\s+-n\s+(?P<last>\d{1,18})\s+(?P<path>[^\s&|>]+)"),
    re.compile(r"\bcat\s+(?P<path>[^\s&|>]+)"),
)
_GREP = re.compile(r"\bgrep(?=\s)")
_WORD = re.compile(r"\S+")
_FILE = re.compile(rf"(?<!\S)[^\s&|>]+{_SUFFIX}\b")


class Shown(NamedTuple):
    """A file that a command shows."""

    path: str
    """Path as written in the command, without quotes and the container's root."""
    lines: tuple[int, int] | None
    """First and last line as written in the command; ``None`` if it gives none."""


def shown(command: str) -> list[Shown]:
    """The files that a command shows, without repeats."""
    command = command.strip()
    if any(mark in command for mark in _WRITES):
        return []
    found = dict.fromkeys(map(_shown_by_piece, _PIECES.split(command)))
    return [view for view in found if view is not None]


def _shown_by_piece(piece: str) -> Shown | None:
    view = _numbered(piece) or _read(piece) or _searched(piece)
    if view is None:
        return None
    path = view.path.strip("'\"").removeprefix("/testbed/")
    return view._replace(path=path) if _SOURCE.search(path) else None


def _numbered(piece: str) -> Shown | None:
    """What ``nl -ba FILE | sed -n 3,9p`` shows: the last word before the pipe is the file."""
    for selected in _SELECTED.finditer(piece):
        pipe = selected.start()
        before = piece[piece.rfind("|", 0, pipe) + 1 : pipe].rstrip()
        called = _NUMBERED.search(before)
        if called is not None:
            path = before.split()[-1]
            # There is something between the two, if only a third blank.
            if len(before) - len(path) > called.end() + 1:
                return Shown(path, (int(selected["first"]), int(selected["last"])))
    return None


def _read(piece: str) -> Shown | None:
    """What ``sed -n 3,9p FILE``, ``head -n 9 FILE`` and ``cat FILE`` show."""
    match = next(filter(None, (pattern.search(piece) for pattern in _READ)), None)
    if match is None:
        return None
    numbers = match.groupdict()
    last = numbers.get("last")
    lines = None if last is None else (int(numbers.get("first") or 1), int(last))
    return Shown(match["path"], lines)


def _searched(piece: str) -> Shown | None:
    """What ``grep -n word FILE`` shows: the first file after the first word.

    The file is on the line of that word, or begins the next one. The first word itself is the file
    only if nothing else is, and if two blanks precede it.
    """
    found: re.Match[str] | None = None
    start = newline = -1
    for called in _GREP.finditer(piece):
        first = _WORD.search(piece, called.end())
        if first is None:
            return None
        if start < first.end():
            found = _FILE.search(piece, first.end())
            start = len(piece) if found is None else found.start()
            newline = piece.rfind("\n", 0, _end_before(piece, start))
        if found is not None and newline < first.start():
            return Shown(found[0], None)
        if first.start() > called.end() + 1:
            only = _FILE.match(piece, first.start())
            if only is not None:
                return Shown(only[0], None)
    return None


def _end_before(piece: str, end: int) -> int:
    """Where the text before a position ends, without the blanks after it."""
    while end and piece[end - 1].isspace():
        end -= 1
    return end


def views_shown(commands: Iterable[str], repository: str | None) -> list[NewView] | None:
    """The views of a step that ran these commands; ``None`` if they show no file."""
    spans: dict[str, list[Span]] = {}
    for written, lines in (view for command in commands for view in shown(command)):
        path = path_in_repository(written, repository)
        if path is not None:
            spans.setdefault(path, [])
            if lines is not None:
                spans[path].append({"start": lines[0], "end": lines[1]})
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
