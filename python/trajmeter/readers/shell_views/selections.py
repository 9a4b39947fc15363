"""Which lines of their input ``sed``, ``awk``, ``head`` and ``tail`` print.

Lines are selected by number, in sorted ranges that do not overlap; the end of an open range is
``None``. The ranges of lines selected by content, or counted from the end, are unknown: ``None``.
"""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

__all__ = ["ALL", "Picked", "Ranges", "awk_script", "merged", "picked_from", "sed_script"]

Ranges: TypeAlias = "tuple[tuple[int, int | None], ...]"
ALL: Ranges = ((1, None),)

_MOST_COMMANDS = 200
"""Lines selected by scripts with more commands are treated as unknown."""

_ADDRESS = r"\d{1,18}|\$|/(?:[^/\\\n]|\\.)*/I?"
_SED_COMMAND = re.compile(
    # No two runs of blanks are adjacent: a script of blanks would be divided in every possible way.
    rf"\s*(?:(?P<first>{_ADDRESS})(?:\s*,\s*(?P<last>{_ADDRESS}|\+\d{{1,18}}))?\s*)?(?:(?P<not>!)\s*)?"
    r"(?:(?P<block>\{[\s;=p]*\})|(?P<name>[pdq=])|(?P<edit>[sy](?P<mark>[^\s\w\\])(?:\\.|(?!(?P=mark))[^\\])*"
    r"(?P=mark)(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)[gpiI0-9]*))\s*(?:;|\n|\Z)",
    re.DOTALL,
)
_AWK_RULE = re.compile(r"([^{}]*)(?:\{([^{}]*)\})?;?")
_AWK_TEST = re.compile(r"F?NR(==|>=|<=|>|<)(\d{1,18})")


class Picked(NamedTuple):
    """The input lines that a program prints."""

    ranges: Ranges | None
    """The lines; ``None`` if their numbers are unknown."""
    is_exact: bool = True
    """Whether each is printed once, alone on its line and in order, so that they can be counted."""
    has_numbers: bool = False
    """Whether each is preceded by its number."""
    is_cut: bool = False
    """Whether an unknown number of lines at the end is missing."""


def merged(ranges: list[tuple[int, int | None]]) -> Ranges:
    """The ranges sorted and merged, without empty ones."""
    found: list[tuple[int, int | None]] = []
    for first, last in sorted(ranges, key=lambda each: each[0]):
        if last is not None and last < first:
            continue
        if found and (found[-1][1] is None or first <= (found[-1][1] or 0) + 1):
            before, end = found[-1]
            found[-1] = (before, None if end is None or last is None else max(end, last))
        else:
            found.append((first, last))
    return tuple(found)


def picked_from(lines: Ranges, picks: Ranges) -> Ranges:
    """Select lines of a file by their positions among the given ones."""
    if lines == ALL:
        return picks
    found: list[tuple[int, int | None]] = []
    place = 1
    for first, last in lines:
        size = None if last is None else last - first + 1
        shift = first - place
        for begin, end in picks:
            low = max(begin + shift, first)
            ends = [bound for bound in (None if end is None else end + shift, last) if bound]
            high = min(ends) if ends else None
            if high is None or low <= high:
                found.append((low, high))
        if size is None:
            break
        place += size
    return merged(found)


def sed_script(script: str, *, is_quiet: bool) -> Picked:
    """Determine the lines that a ``sed`` script prints."""
    commands = _sed_commands(script)
    if commands is None:
        return Picked(None)
    printed = [each for name, lines in commands if "p" in name for each in lines]
    deleted = [each for name, lines in commands if name == "d" for each in lines]
    ends = [lines[0][0] for name, lines in commands if name == "q" and lines]
    if is_quiet and deleted:
        return Picked(None)
    lines = merged(printed) if is_quiet else _others(merged(deleted))
    is_once = _size(printed) == _size(lines) if is_quiet else not printed
    if ends:
        lines = picked_from(((1, min(ends)),), lines)
    return Picked(lines, is_exact=is_once and not any("=" in name for name, _ in commands))


def _sed_commands(script: str) -> list[tuple[str, Ranges]] | None:
    """Names of commands, and the lines each applies to; ``None`` if unknown."""
    found: list[tuple[str, Ranges]] = []
    at, end = 0, len(script.rstrip())
    while at < end:
        command = _SED_COMMAND.match(script, at)
        if command is None or len(found) > _MOST_COMMANDS:
            return None
        at = command.end()
        edit = command["edit"]
        if edit is not None:
            if "p" in edit.rpartition(command["mark"])[2]:
                return None
            continue
        lines = _addressed(command["first"], command["last"])
        if lines is None:
            return None
        name = command["name"] or command["block"].strip("{} ;")
        found.append((name, _others(lines) if command["not"] else lines))
    return found


def _addressed(first: str | None, last: str | None) -> Ranges | None:
    if first is None:
        return ALL
    if not first.isdigit():
        return None
    begin = int(first)
    end: int | None = begin
    if last == "$":
        end = None
    elif last is not None and last.startswith("+"):
        end = begin + int(last[1:])
    elif last is not None:
        if not last.isdigit():
            return None
        end = max(begin, int(last))
    return ((begin, end),) if begin else ()


def _others(lines: Ranges) -> Ranges:
    """All lines but these."""
    found: list[tuple[int, int | None]] = []
    after = 1
    for first, last in lines:
        if first > after:
            found.append((after, first - 1))
        if last is None:
            return tuple(found)
        after = last + 1
    return (*found, (after, None))


def _size(ranges: list[tuple[int, int | None]] | Ranges) -> int | None:
    total = 0
    for first, last in ranges:
        if last is None:
            return None
        total += last - first + 1
    return total


def awk_script(script: str) -> Picked | None:
    """Determine the lines that an ``awk`` program prints; ``None`` if no lines of its input."""
    rules = [
        (condition.replace(" ", ""), action)
        for condition, action in _AWK_RULE.findall(script.strip())[:_MOST_COMMANDS]
        if condition.strip() or action.strip()
    ]
    found: list[tuple[int, int | None]] = []
    end: int | None = None
    has_numbers = False
    is_known = True
    shows = False
    for condition, action in rules:
        lines = _tested(condition)
        if action.strip() == "exit":
            if lines is not None and lines:
                after = not condition.startswith(("NR==", "FNR=="))
                stop = lines[0][0] - after
                end = stop if end is None else min(end, stop)
            continue
        if not _prints_line(action):
            continue
        shows = True
        has_numbers = has_numbers or "NR" in action
        is_known = is_known and lines is not None
        found += lines or ()
    if not shows:
        return None
    if not is_known:
        return Picked(None, has_numbers=has_numbers)
    lines = merged(found)
    return Picked(
        lines if end is None else picked_from(((1, end),), lines),
        is_exact=_size(found) == _size(lines),
        has_numbers=has_numbers,
    )


def _prints_line(action: str) -> bool:
    text = action.strip().rstrip(";")
    return text in ("", "print") or (text.startswith("print") and "$0" in text)


def _tested(condition: str) -> Ranges | None:
    """The lines for which a condition on the line number holds."""
    if condition in ("", "1"):
        return ALL
    if "," in condition:
        first, _, last = condition.partition(",")
        if "," in last:
            return None
        begin, end = _tested(first), _tested(last)
        if begin and end and begin[0][0] == begin[0][1] and end[0][0] == end[0][1]:
            # A range whose last line precedes its first continues to the end.
            is_ended = end[0][0] >= begin[0][0]
            return ((begin[0][0], end[0][0] if is_ended else None),)
        return None
    union: list[tuple[int, int | None]] = []
    for part in condition.strip("()").replace(")||(", "||").split("||"):
        low, high = 1, None
        for test in part.split("&&"):
            match = _AWK_TEST.fullmatch(test.strip("()"))
            if match is None:
                return None
            sign, number = match[1], int(match[2])
            if sign in ("==", ">=", ">"):
                low = max(low, number + (sign == ">"))
            if sign in ("==", "<=", "<"):
                bound = number - (sign == "<")
                high = bound if high is None else min(high, bound)
        union.append((low, high))
    return merged(union)
