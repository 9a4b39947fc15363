"""Programs that print lines of files or of their input: ``cat``, ``head``, ``sed`` and others.

Each is described by its files and the lines it prints of them; without files it is a filter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers.shell_views.selections import ALL, Picked, awk_script, sed_script
from trajmeter.readers.shell_views.syntax import Unexpanded

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LISTINGS", "Listing"]

_WHOLE = Picked(ALL)
_UNKNOWN = Picked(None)


class Listing(NamedTuple):
    """The output of a program: certain lines of each of its files."""

    files: list[str]
    picked: Picked
    is_headed: bool = False
    """Whether the lines of each file are preceded by a line with its name."""


class _Options(NamedTuple):
    flags: str
    values: list[tuple[str, str]]
    rest: list[str]


def _options(words: list[str], valued: str, long_valued: tuple[str, ...] = ()) -> _Options:
    """Split a program's words into flags, options with a value, and operands."""
    flags: list[str] = []
    values: list[tuple[str, str]] = []
    rest: list[str] = []
    remaining = iter(words)
    for word in remaining:
        if word == "--":
            rest += remaining
        elif word.startswith("--"):
            name, equals, value = word.partition("=")
            if not equals and name in long_valued:
                value = next(remaining, "")
            values.append((name, value))
        elif word.startswith("-") and len(word) > 1:
            for place, letter in enumerate(word[1:], start=2):
                if letter in valued:
                    values.append((letter, word[place:] or next(remaining, "")))
                    break
                flags.append(letter)
        elif word != "-":
            rest.append(word)
    return _Options("".join(flags), values, rest)


def _cat(words: list[str]) -> Listing | None:
    flags, values, files = _options(words, "")
    long = dict(values)
    has_numbers = ("n" in flags or "--number" in long) and "b" not in flags
    is_exact = "s" not in flags and "--squeeze-blank" not in long
    return Listing(files, Picked(ALL, is_exact=is_exact, has_numbers=has_numbers))


def _number(text: str) -> int | None:
    digits = text.lstrip("+-")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 19 else None  # noqa: PLR2004 - what an int64 holds


def _head(words: list[str]) -> Listing | None:
    count, words = _short_count(words)
    flags, values, files = _options(words, "nc", ("--lines", "--bytes"))
    picked = Picked(((1, count),))
    for name, value in values:
        number = _number(value)
        if name in ("n", "--lines"):
            if number is None:
                picked = _UNKNOWN
            elif value.startswith("-"):
                picked = Picked(ALL, is_cut=True)
            else:
                picked = Picked(((1, number),) if number else ())
        elif name in ("c", "--bytes"):
            picked = Picked(ALL, is_cut=True)
    return Listing(files, picked, len(files) > 1 or "v" in flags)


def _tail(words: list[str]) -> Listing | None:
    if words and words[0].startswith("+") and _number(words[0]) is not None:
        words = ["-n", *words]
    _, words = _short_count(words)
    flags, values, files = _options(words, "ncs", ("--lines", "--bytes"))
    picked = _UNKNOWN
    for name, value in values:
        if name in ("n", "--lines"):
            first = _number(value)
            is_start = value.startswith("+") and first is not None
            picked = Picked(((max(first or 1, 1), None),)) if is_start else _UNKNOWN
    return Listing(files, picked, len(files) > 1 or "v" in flags)


def _short_count(words: list[str]) -> tuple[int, list[str]]:
    """The line count in the form ``-20``, and the words without it."""
    for place, word in enumerate(words):
        if word.startswith("-") and word[1:].isdecimal() and len(word) < 19:  # noqa: PLR2004 - what an int64 holds
            before = words[place - 1] if place else ""
            if before not in ("-n", "-c", "--lines", "--bytes"):
                return int(word[1:]), words[:place] + words[place + 1 :]
    return 10, words


def _nl(words: list[str]) -> Listing | None:
    _, values, files = _options(
        words, "bdfhilnsvw", ("--body-numbering", "--starting-line-number", "--number-width")
    )
    given = dict(values)
    body = given.get("b", given.get("--body-numbering"))
    is_shifted = any(name in given for name in ("v", "i", "--starting-line-number"))
    return Listing(files, Picked(ALL, has_numbers=body == "a" and not is_shifted))


def _sed(words: list[str]) -> Listing | None:
    flags, values, rest = _options(words, "efl", ("--expression", "--file", "--line-length"))
    scripts = [value for name, value in values if name in ("e", "--expression")]
    long = {name for name, _ in values}
    if "i" in flags or "--in-place" in long:
        return None
    has_file = bool(long & {"f", "--file"})
    if not scripts and not has_file:
        scripts, rest = rest[:1], rest[1:]
    if not scripts or has_file or any(isinstance(script, Unexpanded) for script in scripts):
        return Listing(rest, _UNKNOWN)
    is_quiet = "n" in flags or bool(long & {"--quiet", "--silent"})
    picked = sed_script("\n".join(scripts), is_quiet=is_quiet)
    is_joined = len(rest) > 1 and picked.ranges != ALL and not ("s" in flags or "i" in flags)
    return Listing(rest, _UNKNOWN if is_joined else picked)


def _awk(words: list[str]) -> Listing | None:
    _, values, rest = _options(words, "Fvf", ("--field-separator", "--assign", "--file"))
    given = {name for name, _ in values}
    if not rest or given & {"f", "--file"}:
        return None
    script, files = rest[0], rest[1:]
    picked = _UNKNOWN if isinstance(script, Unexpanded) else awk_script(script)
    if picked is not None and picked.ranges not in (ALL, None) and len(files) > 1:
        picked = _UNKNOWN
    return None if picked is None else Listing(files, picked)


def _pager(words: list[str]) -> Listing | None:
    flags, values, files = _options(words, "pPbhjxyz")
    is_numbered = "N" in flags or "--LINE-NUMBERS" in dict(values)
    files = [file for file in files if not file.startswith("+")]
    return Listing(files, Picked(ALL, has_numbers=is_numbered))


def _bat(words: list[str]) -> Listing | None:
    long_valued = ("--line-range", "--language", "--style", "--theme", "--color", "--paging")
    flags, values, files = _options(words, "rlmH", long_valued)
    given = dict(values)
    span = given.get("r", given.get("--line-range"))
    style = given.get("--style", "")
    has_numbers = "n" in flags or "--number" in given or "numbers" in style
    is_plain = "p" in flags or "--plain" in given or style in ("plain", "") or has_numbers
    ranges = ALL
    if span is not None:
        first, _, last = span.partition(":")
        begin = _number(first) or 1
        end = _number(last)
        if last.startswith("+") and end is not None:
            end += begin
        ranges = ((begin, begin if not _ and first else end),)
    return Listing(files, Picked(ranges, is_exact=is_plain, has_numbers=has_numbers))


def _same(words: list[str]) -> Listing | None:
    return Listing([file for file in words if not file.startswith("-")], _WHOLE)


def _filter_only(_: list[str]) -> Listing | None:
    """A filter that preserves lines, regardless of its words."""
    return Listing([], _WHOLE)


def _cut(words: list[str]) -> Listing | None:
    flags, values, files = _options(words, "bcfd", ("--characters", "--fields", "--delimiter"))
    given = {name for name, _ in values}
    keeps_line_start = bool(given & {"c", "b", "--characters", "--bytes"}) or "c" in flags
    return Listing(files, _WHOLE) if keeps_line_start else None


def _unordered(words: list[str]) -> Listing | None:
    flags, values, files = _options(words, "kotTS", ("--key", "--output"))
    return None if "u" in flags or values else Listing(files, Picked(ALL, is_exact=False))


LISTINGS: dict[str, Callable[[list[str]], Listing | None]] = {
    "cat": _cat,
    "head": _head,
    "tail": _tail,
    "nl": _nl,
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "less": _pager,
    "more": _pager,
    "bat": _bat,
    "batcat": _bat,
    "expand": _same,
    "tac": _unordered,
    "sort": _unordered,
    "cut": _cut,
    "tr": _filter_only,
    "tee": _filter_only,
}
"""What programs print, given their arguments; ``None`` if they print no lines of their input."""
