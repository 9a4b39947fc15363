"""Edited lines of a unified diff, numbered in the file that it applies to.

A hunk header declares how many lines its body has. Patches that a model wrote by hand often declare
others, so the body is taken as it stands, up to what cannot belong to it, and each disagreement is
a warning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["EditedLines", "edited_lines"]

_HUNK = re.compile(r"@@ -([0-9]{1,18})(?:,([0-9]{1,18}))? \+([0-9]{1,18})(?:,([0-9]{1,18}))? @@")
_GIT_FILE = "diff --git "
_NOWHERE = "/dev/null"
_ESCAPE = re.compile(rb"\\(?:([0-7]{3})|(.))", re.DOTALL)
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}

# What git puts before the two names, and what it puts there under diff.mnemonicPrefix.
_PREFIXES = frozenset(
    {("a/", "b/"), ("b/", "a/"), ("c/", "i/"), ("c/", "w/"), ("i/", "w/"), ("o/", "w/")}
)


@dataclass(frozen=True, slots=True)
class EditedLines:
    """Which lines of which files a patch edits."""

    lines: Mapping[str, tuple[int, ...]]
    """Per path in the base, the edited lines of the base file, 1-based, rising.

    A deleted line is edited, and so is the line before a pure insertion: 0 at the top of a file or
    for a new one. Files whose lines do not change (renamed, binary, empty) are left out.
    """
    is_diff: bool
    """Whether the text is a diff; an empty text is one that edits nothing."""
    warnings: tuple[str, ...]
    """What was wrong with the diff, each with its line; the sound parts are in ``lines``."""


def edited_lines(patch: str) -> EditedLines:
    """Find the lines that a patch edits.

    A run of deleted and inserted lines without context between them edits the deleted ones; only a
    run of nothing but insertions edits the line before it. Text around the diff is ignored.

    Args:
        patch: A unified diff, with or without git's headers, or any other text.

    Returns:
        The edited lines, per file; malformed hunks are used as far as they can be read.

    Example:
        >>> patch = '''--- a/greet.py
        ... +++ b/greet.py
        ... @@ -1,4 +1,5 @@
        ... -import os
        ... +import sys
        ...  def greet():
        ... +    # Say it aloud.
        ...      print("hello")
        ...      return 0
        ... '''
        >>> dict(edited_lines(patch).lines)
        {'greet.py': (1, 2)}
    """
    lines = patch.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    edited: dict[str, set[int]] = {}
    warnings: list[str] = []
    is_diff = False
    path: str | None = None
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.startswith(_GIT_FILE):
            is_diff, path = True, None
            index += 1
        elif _names_file(lines, index):
            is_diff, path = True, _path(lines[index], lines[index + 1])
            index += 2
        elif line.startswith("@@"):
            hunk = _read_hunk(lines, index)
            fault = hunk.fault
            if path is None:
                fault = "the hunk follows no '---' and '+++' lines that name its file; skipped"
            else:
                edited.setdefault(path, set()).update(hunk.edited)
            if fault:
                warnings.append(f"line {index + 1}: {fault}")
            index = hunk.end
        else:
            index += 1
    return EditedLines(
        lines={path: tuple(sorted(numbers)) for path, numbers in edited.items() if numbers},
        is_diff=is_diff or not patch.strip(),
        warnings=tuple(warnings),
    )


@dataclass(frozen=True, slots=True)
class _Hunk:
    """A hunk of a file: the lines of the base that it edits."""

    edited: Sequence[int]
    end: int
    """Index of the first line behind it."""
    fault: str | None = None
    """What was wrong with it."""


def _names_file(lines: list[str], index: int) -> bool:
    following = lines[index + 1] if index + 1 < len(lines) else ""
    return lines[index].startswith("--- ") and following.startswith("+++ ")


def _read_hunk(lines: list[str], index: int) -> _Hunk:
    """Read the hunk whose header is at ``index``."""
    header = _HUNK.match(lines[index])
    if header is None:
        return _Hunk((), index + 1, f"unreadable hunk header: {lines[index]!r}; hunk skipped")
    start, declared_old, declared_new = (int(header[n] or 1) for n in (1, 2, 4))
    body, end = _body(lines, index + 1, declared_old, declared_new)
    if not body:
        return _Hunk((), end, "the hunk has no lines")
    old = sum(not line.startswith("+") for line in body)
    new = sum(not line.startswith("-") for line in body)
    # A count of 0 makes the header name the line before the hunk instead of the hunk's first.
    first = start + 1 if declared_old == 0 else max(start, 1)
    fault = None
    if (old, new) != (declared_old, declared_new):
        fault = (
            f"the hunk header declares {declared_old} old and {declared_new} new lines, "
            f"the body has {old} and {new}; the body counts"
        )
    return _Hunk(tuple(_edited_by(body, first)), end, fault)


def _body(lines: list[str], index: int, old: int, new: int) -> tuple[list[str], int]:
    """Lines of a hunk, of which ``old`` and ``new`` are expected, and where they end."""
    body: list[str] = []
    while index < len(lines):
        line = lines[index]
        if not line.startswith("\\"):
            if _ends_hunk(lines, index, is_complete=old <= 0 and new <= 0):
                break
            old -= not line.startswith("+")
            new -= not line.startswith("-")
            body.append(line)
        index += 1
    return body, index


def _ends_hunk(lines: list[str], index: int, *, is_complete: bool) -> bool:
    """Whether the line lies behind the hunk; one without its leading blank is a blank line."""
    line = lines[index]
    if is_complete and line.rstrip() in {"", "--"}:  # what ends a mail that holds a patch
        return True
    if line[:1] not in {"", " ", "+", "-"}:
        return True
    # Deleted and inserted lines can look like the names of the next file, but no hunk of a sound
    # body is followed by lines that do, and no body holds a hunk header.
    after = lines[index + 2] if index + 2 < len(lines) else ""
    return _names_file(lines, index) and (is_complete or after.startswith("@@ -"))


def _edited_by(body: list[str], first: int) -> Iterator[int]:
    """Lines of the base that a hunk edits, of which its own first is ``first``."""
    number = first
    inserted = deleted = False
    for line in (*body, " "):  # whose last line of context ends the last run
        if line.startswith("+"):
            inserted = True
        elif line.startswith("-"):
            deleted = True
            yield number
            number += 1
        else:
            if inserted and not deleted:
                yield number - 1
            inserted = deleted = False
            number += 1


def _path(source: str, target: str) -> str:
    """Path in the base file's tree, from the two lines that name a file.

    A new file has it from the target. What follows a tab is a time.
    """
    old, new = (
        _unquoted(line[len("--- ") :].partition("\t")[0].rstrip()) for line in (source, target)
    )
    if old == _NOWHERE:
        return new.removeprefix("b/")
    if new == _NOWHERE:
        return old.removeprefix("a/")
    return old[2:] if (old[:2], new[:2]) in _PREFIXES else old


def _unquoted(name: str) -> str:
    """A name as git quotes it: in double quotes, bytes outside ASCII in octal."""
    if len(name) < len('""') or not (name.startswith('"') and name.endswith('"')):
        return name
    return _ESCAPE.sub(_byte, name[1:-1].encode()).decode(errors="replace")


def _byte(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return bytes([int(escape[1], 8) & 0xFF])
    return _ESCAPES.get(escape[2], escape[2])
