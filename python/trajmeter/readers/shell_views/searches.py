"""Searches such as ``grep`` and ``rg``: the lines of files that their output shows."""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers.shell_views.syntax import Unexpanded

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

__all__ = ["SEARCHES", "Hits", "Search", "hits", "search"]

SEARCHES = frozenset({"grep", "egrep", "fgrep", "zgrep", "rg", "ripgrep", "ag", "ack"})

_VALUED = {
    "grep": "efmABCdD",
    "rg": "efmABCgtTjrEM",
    "ripgrep": "efmABCgtTjrEM",
    "ag": "mABCGp",
    "ack": "mABC",
}
_LONG_VALUED = frozenset(
    {"--regexp", "--file", "--max-count", "--after-context", "--before-context", "--context"}
    | {"--glob", "--type", "--type-not", "--max-columns", "--threads", "--replace", "--sort"}
)
_ALWAYS_DEEP = frozenset({"rg", "ripgrep", "ag", "ack"})
_OTHER_OUTPUT = frozenset(
    {"l", "L", "c", "q", "--files-with-matches", "--files-without-match", "--count", "--quiet"}
    | {"--silent", "--files", "--count-matches", "--json", "--version"}
)
_CONTEXTS = frozenset({"A", "B", "C", "--after-context", "--before-context", "--context"})
_LINE = re.compile(r"(?P<path>[^:\n]+):(?P<number>\d{1,18}):")
_CONTEXT = re.compile(r"-(\d{1,18})-")
_NUMBERED = re.compile(r"(\d{1,18})[:-]")


class Search(NamedTuple):
    """A search, by its arguments."""

    files: list[str]
    is_named: bool | None
    """Whether each line begins with the path of its file; ``None`` if that depends on the files."""
    is_numbered: bool
    has_context: bool


class Hits(NamedTuple):
    """Lines of a file that a search printed; none if their numbers are unknown."""

    path: str
    lines: tuple[int, int] | None


def search(name: str, words: list[str]) -> Search | None:
    """A search; ``None`` if it prints no lines of files."""
    flags, has_pattern, rest = _options(name, words)
    if flags & _OTHER_OUTPUT:
        return None
    files = rest if has_pattern else rest[1:]
    is_deep = name in _ALWAYS_DEEP or bool(flags & {"r", "R", "--recursive"})
    is_named: bool | None = None
    if flags & {"h", "--no-filename"} or ("I" in flags and name in _ALWAYS_DEEP):
        is_named = False
    elif flags & {"H", "--with-filename"} or len(files) > 1:
        is_named = True
    elif not is_deep and len(files) == 1 and not isinstance(files[0], Unexpanded):
        is_named = False
    is_numbered = bool(flags & {"n", "--line-number"}) or name in ("ag", "ack")
    has_context = bool(flags & _CONTEXTS) or any(map(str.isdigit, flags))
    return Search(files, is_named, is_numbered, has_context)


def _options(name: str, words: list[str]) -> tuple[set[str], bool, list[str]]:
    """The options of a search, whether they include its pattern, and the other words."""
    valued = _VALUED.get(name, _VALUED["grep"])
    flags: set[str] = set()
    rest: list[str] = []
    remaining = iter(words)
    for word in remaining:
        if word == "--":
            rest += remaining
        elif word.startswith("--"):
            option, equals, _ = word.partition("=")
            flags.add(option)
            if not equals and option in _LONG_VALUED:
                next(remaining, None)
        elif word.startswith("-") and len(word) > 1:
            letters, takes_next = _letters(word[1:], valued)
            flags |= letters
            if takes_next:
                next(remaining, None)
        else:
            rest.append(word)
    patterns = {"--regexp", "--file"} | ({"e", "f"} & set(valued))
    return flags, bool(flags & patterns), rest


def _letters(word: str, valued: Collection[str]) -> tuple[set[str], bool]:
    """Options of one letter in a word, and whether the next word is the value of the last."""
    for place, letter in enumerate(word, start=1):
        if letter in valued:
            return {*word[:place]}, place == len(word)
    return {*word}, False


def hits(found: Search, lines: Sequence[str]) -> Iterator[Hits]:
    """The lines of files that the output of a search shows."""
    only = found.files[0] if len(found.files) == 1 else None
    if not found.is_numbered:
        yield from _unnumbered(found, lines)
    elif found.is_named is False:
        numbers = [int(match[1]) for line in lines if (match := _NUMBERED.match(line))]
        if only is not None:
            yield from _joined(only, numbers, has_context=found.has_context)
    elif found.is_named is None and only is not None and lines and _NUMBERED.match(lines[0]):
        yield from hits(found._replace(is_named=False), lines)
    else:
        yield from _named(found, lines)


def _unnumbered(found: Search, lines: Sequence[str]) -> Iterator[Hits]:
    if not any(lines):
        return
    for file in found.files:
        is_mentioned = any(line.startswith(f"{file}:") for line in lines)
        is_only = len(found.files) == 1 and found.is_named is not True
        if not isinstance(file, Unexpanded) and (
            (is_only and found.is_named is False) or is_mentioned
        ):
            yield Hits(file, None)


def _named(found: Search, lines: Sequence[str]) -> Iterator[Hits]:
    """Lines that begin with the path of their file, or follow a line with the path."""
    for path, group in groupby(_places(lines), key=itemgetter(0)):
        numbers = [number for _, number in group]
        yield from _joined(path, numbers, has_context=found.has_context)


def _places(lines: Sequence[str]) -> Iterator[tuple[str, int]]:
    path: str | None = None
    heading: str | None = None
    waiting: list[str] = []
    for line in lines:
        if (match := _LINE.match(line)) is not None:
            path, heading = match["path"], None
            yield from _context(waiting, path)
            yield path, int(match["number"])
            waiting = []
        elif heading is not None and (number := _NUMBERED.match(line)) is not None:
            yield heading, int(number[1])
        elif path is not None and (known := _context([line], path)):
            yield from known
        else:
            if line.strip("-"):
                waiting.append(line)
            else:
                waiting = []
            heading = line or None


def _context(lines: list[str], path: str) -> list[tuple[str, int]]:
    """Context lines of a hit, which have the form ``path-12-text``."""
    return [
        (path, int(match[1]))
        for line in lines
        if line.startswith(path) and (match := _CONTEXT.match(line, len(path))) is not None
    ]


def _joined(path: str, numbers: list[int], *, has_context: bool) -> Iterator[Hits]:
    """The lines, with consecutive ones joined if context lines are shown too."""
    if not has_context:
        for number in numbers:
            yield Hits(path, (number, number))
        return
    start = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield Hits(path, (numbers[start], numbers[place - 1]))
            start = place
