"""What a result says of itself: the lines that it numbers, its hits, and how its command ended."""

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
"""Matches where :data:`_NUMBER` does. It leaves an indented line without trying each of its spaces,
so that a text which numbers no lines takes a third of the time."""
_EMPTY = re.compile(r" *\d{1,9}(?:\t|→|│ ?|\| ?|: ?)(?P<content>[^\n]?)")
_SMALL = [str(number) for number in range(5_000)]
"""Numbers of lines, as most results write them."""
_LIKELY = 3
"""Fewer numbered lines that follow one another may be what the file holds."""

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
    """A result without the line that tells how its command ended."""

    output: str
    """What the command printed."""
    exit_code: int | None
    """The command's exit code, if the result tells it."""


def text_of(result: JsonValue) -> str | None:
    """The text of a result, that of its parts together; ``None`` where it has none."""
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
    """Take off the last line of a result that tells the exit code, as in ``[exit code 1]``."""
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
    r"""The exit code that the last line of a result tells.

    Example:
        >>> exit_code_of("1 failed\n[exit code 1]"), exit_code_of("exit code 1 is what I expect")
        (1, None)
    """
    return ended(result).exit_code


def numbered(text: str, first: int | None, last: int | None) -> list[tuple[int, int]]:
    """The ranges of lines that a result numbers, as viewers do.

    Some viewers number one line more than the file has, an empty one after its last newline. The
    last line is left out where it is empty, and nobody asked for it by its number.

    Args:
        text: The result.
        first: The first line that was asked for; ``None`` is the first of the file.
        last: The last line that was asked for; ``None`` is the last of the file.
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
    """The first and the last of numbers that follow one another."""
    if not written:
        return []
    start = int(written[0])
    stop = start + len(written) - 1
    if stop < len(_SMALL) and written == _SMALL[start : stop + 1]:
        return [(start, stop)]  # as most are; to turn each into a number takes longer than all this
    numbers = [*map(int, written)]
    borders = [at for at, (one, next_) in enumerate(pairwise(numbers), 1) if next_ != one + 1]
    return [
        (numbers[begin], numbers[end - 1]) for begin, end in pairwise([0, *borders, len(numbers)])
    ]


def _ends_empty(text: str) -> bool:
    """Whether the last line that is numbered is empty."""
    end = len(text)
    while True:
        begin = text.rfind("\n", 0, end) + 1
        if found := _EMPTY.match(text, begin):
            return not found["content"]
        end = begin - 1


class Window(NamedTuple):
    """The lines that a tool with a window shows of the open file."""

    path: str
    first: int
    last: int


def window(text: str) -> Window | None:
    r"""The window that a result ends with; ``None`` if there is none.

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
    """Whether a result says that there is nothing to show, instead of showing it."""
    if _REFUSAL.match(text):
        return True
    is_line = text.find("\n", 0, -1) < 0
    return is_line and _ABSENT.search(text) is not None


def hits(text: str, path: str | None) -> Iterator[tuple[str, int]]:
    """Path and line of what a search found; ``path`` is the file where only lines are named."""
    found = False
    for hit in _HIT.finditer(text):
        found = True
        yield hit["path"], int(hit["line"])
    if not found and path is not None:
        for hit in _HIT_IN_FILE.finditer(text):
            yield path, int(hit["line"])
