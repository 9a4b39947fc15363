"""What ``git`` shows of files: their content at a revision, and hunks of a diff."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers.shell_views.listings import Listing
from trajmeter.readers.shell_views.searches import Hits, Search, search
from trajmeter.readers.shell_views.selections import ALL, Picked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Diff", "git", "hunks"]

_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})
_CURRENT = frozenset({"HEAD", "", ":", "@"})
_SUMMARIES = (
    "--stat",
    "--shortstat",
    "--numstat",
    "--name-only",
    "--name-status",
    "--summary",
    "--quiet",
    "-s",
    "--no-patch",
)
_NEW_FILE = re.compile(r'\+\+\+ "?b/(?P<path>[^"\t\n]+)')
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(?P<first>\d{1,18})(?:,(?P<count>\d{1,18}))? @@")
_SPAN = re.compile(r"(\d{1,18}),(\+?)(\d{1,18})")


class Diff(NamedTuple):
    """Hunks of a diff."""

    is_current: bool
    """Whether the numbers of its new lines are those of the files in the working folder."""


def git(words: list[str]) -> Listing | Search | Diff | None:
    """Determine the output of a ``git`` command; ``None`` if it shows no lines of files."""
    words, _ = without_options(words)
    command, arguments = (words[0], words[1:]) if words else ("", [])
    if command == "grep":
        found = search("grep", arguments)
        return None if found is None else found._replace(is_named=True)
    if any(word.startswith(_SUMMARIES) for word in arguments):
        return None
    read = _READERS.get(command)
    return None if read is None else read(arguments)


def without_options(words: list[str]) -> tuple[list[str], str | None]:
    """The words from git's subcommand on, and the folder given by ``-C``."""
    folder: str | None = None
    place = 0
    while place < len(words) and words[place].startswith("-"):
        if words[place] == "-C":
            folder = words[place + 1] if place + 1 < len(words) else None
        place += 2 if words[place] in _VALUED else 1
    return words[place:], folder


def _diff(arguments: list[str]) -> Diff:
    before_paths = arguments[: arguments.index("--")] if "--" in arguments else arguments
    revisions = [word for word in before_paths if not word.startswith("-")]
    return Diff(is_current=all(word in _CURRENT or _is_path(word) for word in revisions))


def _log(arguments: list[str]) -> Diff | None:
    return Diff(is_current=False) if {"-p", "-u", "--patch", "--stdout"} & set(arguments) else None


def _show(arguments: list[str]) -> Listing | Diff:
    return _content(arguments) or Diff(is_current=False)


def _content(arguments: list[str]) -> Listing | None:
    """A file at a revision; its lines have numbers only if that is the revision to work on."""
    for word in arguments:
        revision, colon, path = word.partition(":")
        if colon and path and not word.startswith("-"):
            lines = ALL if revision in _CURRENT else None
            return Listing([path.removeprefix("./")], Picked(lines))
    return None


def _blame(arguments: list[str]) -> Listing | None:
    files: list[str] = []
    ranges = ALL
    remaining = iter(arguments)
    for word in remaining:
        if word == "-L" or word.startswith("-L"):
            span = word[2:] or next(remaining, "")
            match = _SPAN.fullmatch(span)
            if match is None:
                return None
            first = int(match[1])
            last = first + int(match[3]) - 1 if match[2] else int(match[3])
            ranges = ((first, last),)
        elif not word.startswith("-"):
            files.append(word)
    return Listing(files[-1:], Picked(ranges)) if files else None


def _is_path(word: str) -> bool:
    return "/" in word or "." in word.strip(".")


_READERS: dict[str, Callable[[list[str]], Listing | Diff | None]] = {
    "show": _show,
    "cat-file": _content,
    "diff": _diff,
    "blame": _blame,
    "log": _log,
    "stash": _log,
    "format-patch": _log,
}


def hunks(found: Diff, lines: Sequence[str]) -> Iterator[Hits]:
    """The lines that a diff shows of files, numbered as they are after it."""
    path: str | None = None
    left = 0
    for line in lines:
        if left > 0 and not line.startswith("-"):
            left -= 1
            continue
        if (file := _NEW_FILE.match(line)) is not None:
            path = file["path"]
            if not found.is_current:
                yield Hits(path, None)
        elif path is not None and (hunk := _HUNK.match(line)) is not None:
            first = int(hunk["first"])
            left = int(hunk["count"]) if hunk["count"] is not None else 1
            if found.is_current and left:
                yield Hits(path, (first, first + left - 1))
        elif line.startswith("diff "):
            path = None
