"""Evidence in results: numbered lines, search hits, and exit codes."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import JsonValue

__all__ = [
    "Ended",
    "ended",
    "exit_code_of",
    "hits",
    "is_refusal",
    "numbered",
    "runs",
    "text_of",
    "window",
]

_NUMBER = re.compile(r"\n *(\d{1,9})[\t→│|:]")
_ANY_NUMBER = re.compile(r"\n(?=[ \d])(?! {4,}[^\d ]) *\d{1,9}[\t→│|:]")
"""Matches where :data:`_NUMBER` does, but skips an indented line without trying each of its spaces,
so that a text without line numbers takes a third of the time."""
_EMPTY = re.compile(r" *\d{1,9}(?:\t|→|│ ?|\| ?|: ?)(?P<content>[^\n]?)")
_SMALL = [str(number) for number in range(5_000)]
"""Line numbers as most results write them."""
_LIKELY = 3
"""Fewer consecutive numbered lines than this may be the content of a file."""

_HIT = re.compile(r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d{1,9})(?:[:-]|$)", re.MULTILINE)
_HIT_IN_FILE = re.compile(r"^(?P<line>\d{1,9}):", re.MULTILINE)

_REFUSAL = re.compile(r"\s*(?:<[\w-]*error|\[?error\b|traceback \()", re.IGNORECASE)
_ABSENT = re.compile(
    r"no such file|not found|does not exist|is a directory|not a file|enoent|permission denied",
    re.IGNORECASE,
)

_ENDED = re.compile(
    r"\n?[^\S\n]*[\[(<]?(?:the )?(?:command |process )?(?:finished |completed |exited |ended )?"
    r"(?:with )?(?:an? )?exit[ _]?(?:code|status)[:=]? ?(?P<code>-?\d{1,9})[\])>.]*\s*\Z",
    re.IGNORECASE,
)
_LONGEST_ENDING = 80


_OPEN_FILE = re.compile(r"^\[File: (?P<path>.+?) \([0-9]+ lines total\)\]$", re.MULTILINE)
_IN_WINDOW = re.compile(r"^([0-9]{1,9}):", re.MULTILINE)


class Ended(NamedTuple):
    """A result without the line that states the exit code."""

    output: str
    """Output of the command."""
    exit_code: int | None
    """Exit code of the command, if the result states it."""


def text_of(result: JsonValue) -> str | None:
    """The text of a result, or of its parts joined; ``None`` if there is none."""
    if isinstance(result, str) or result is None:
        return result
    if not isinstance(result, list):
        return None
    parts = [part if isinstance(part, str) else _text(part) for part in result]
    texts = [part for part in parts if part is not None]
    return "\n".join(texts) if texts else None


def _text(part: JsonValue) -> str | None:
    text = part.get("text") if isinstance(part, dict) else None
    return text if isinstance(text, str) else None


def ended(result: str) -> Ended:
    """Split off a last line that states the exit code, as in ``[exit code 1]``."""
    begin = max(len(result) - _LONGEST_ENDING, 0)
    tail = result[begin:]
    if "exit" not in tail.lower():
        return Ended(result, None)
    found = _ENDED.search(tail)
    if found is None:
        return Ended(result, None)
    if found.start() and not found[0].startswith("\n"):  # in the middle of a line
        return Ended(result, None)
    return Ended(result[: begin + found.start()], int(found["code"]))


def exit_code_of(result: str) -> int | None:
    r"""The exit code stated on a result's last line.

    Example:
        >>> exit_code_of("1 failed\n[exit code 1]"), exit_code_of("exit code 1 is what I expect")
        (1, None)
    """
    return ended(result).exit_code


def numbered(text: str, first: int | None, last: int | None) -> list[tuple[int, int]]:
    """The line ranges that a result numbers, as viewers do.

    Some viewers number an empty line after the file's last newline. An empty last line is dropped
    unless it was requested by its number.

    Args:
        text: The result.
        first: First line requested; ``None`` is the first of the file.
        last: Last line requested; ``None`` is the last of the file.
    """
    whole = f"\n{text}"
    if _ANY_NUMBER.search(whole) is None:
        return []
    found = runs(_NUMBER.findall(whole))
    start, stop = found[-1]
    if start < stop and (last is None or stop < last) and _ends_empty(text):
        found[-1] = (start, stop - 1)
    begin = first or 1
    return [(start, stop) for start, stop in found if start == begin or stop - start + 1 >= _LIKELY]


def runs(written: list[str]) -> list[tuple[int, int]]:
    """First and last number of each run of consecutive numbers."""
    if not written:
        return []
    start = int(written[0])
    stop = start + len(written) - 1
    if stop < len(_SMALL) and written == _SMALL[start : stop + 1]:
        return [(start, stop)]  # the usual case; converting every number takes longer than all this
    numbers = [*map(int, written)]
    borders = [at for at, (one, next_) in enumerate(pairwise(numbers), 1) if next_ != one + 1]
    return [
        (numbers[begin], numbers[end - 1]) for begin, end in pairwise([0, *borders, len(numbers)])
    ]


def _ends_empty(text: str) -> bool:
    """Whether the last numbered line is empty."""
    end = len(text)
    while True:
        begin = text.rfind("\n", 0, end) + 1
        if found := _EMPTY.match(text, begin):
            return not found["content"]
        end = begin - 1


class Window(NamedTuple):
    """The lines of the open file that a windowed tool shows."""

    path: str
    first: int
    last: int


def window(text: str) -> Window | None:
    r"""The window at the end of a result; ``None`` if there is none.

    Example:
        >>> window("[File: /repo/a.py (300 lines total)]\n(99 more lines above)\n100:x = 1\n101:")
        Window(path='/repo/a.py', first=100, last=101)
    """
    headers = [*_OPEN_FILE.finditer(text)]
    if not headers:
        return None
    numbers = [int(found[1]) for found in _IN_WINDOW.finditer(text, headers[-1].end())]
    return Window(headers[-1]["path"], numbers[0], numbers[-1]) if numbers else None


def is_refusal(text: str) -> bool:
    """Whether a result says that nothing can be shown."""
    if _REFUSAL.match(text):
        return True
    is_line = text.find("\n", 0, -1) < 0
    return is_line and _ABSENT.search(text) is not None


def hits(text: str, path: str | None) -> Iterator[tuple[str, int]]:
    """Paths and lines of search hits; ``path`` is the file if only lines are given."""
    found = False
    for hit in _HIT.finditer(text):
        found = True
        yield hit["path"], int(hit["line"])
    if not found and path is not None:
        for hit in _HIT_IN_FILE.finditer(text):
            yield path, int(hit["line"])
