"""Edited lines of a unified diff, numbered in the file that it applies to.

unidiff parses the diff. It counts a hunk's lines by the hunk's header and refuses the whole patch
where header and body disagree, as they often do in patches that a model wrote by hand; so the
counts are taken from the bodies first, and each disagreement is told as a warning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trajmeter.errors import ExtraMissingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unidiff.patch import Hunk, PatchedFile

__all__ = ["EditedLines", "edited_lines"]

_HUNK = re.compile(r"@@ -(\d{1,18})(?:,(\d{1,18}))? \+(\d{1,18})(?:,(\d{1,18}))? @@")
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

    Raises:
        ExtraMissingError: unidiff is not installed.

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
    sections, warnings = _sections(patch.replace("\r\n", "\n").split("\n"))
    edited: dict[str, set[int]] = {}
    for section in sections:
        if not section.hunks:
            continue
        file = _parse(section)
        path = _path(file.source_file, file.target_file)
        for hunk in file:
            edited.setdefault(path, set()).update(_hunk_lines(hunk))
    return EditedLines(
        lines={path: tuple(sorted(lines)) for path, lines in edited.items() if lines},
        is_diff=bool(sections) or not patch.strip(),
        warnings=tuple(warnings),
    )


@dataclass(slots=True)
class _Section:
    """One file's part of a diff: its two name lines, if any, and hunks whose counts are right."""

    names: list[str] = field(default_factory=list)
    hunks: list[str] = field(default_factory=list)


def _sections(lines: list[str]) -> tuple[list[_Section], list[str]]:
    if lines[-1] == "":
        lines.pop()
    sections: list[_Section] = []
    warnings: list[str] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        if line.startswith(_GIT_FILE):
            sections.append(_Section())
            index += 1
        elif _names_file(lines, index):
            if not sections or sections[-1].names:
                sections.append(_Section())
            sections[-1].names = lines[index : index + 2]
            index += 2
        elif line.startswith("@@"):
            hunk, end, fault = _hunk(lines, index)
            if not (sections and sections[-1].names):
                fault = "the hunk follows no '---' and '+++' lines that name its file; left out"
            else:
                sections[-1].hunks += hunk
            if fault:
                warnings.append(f"line {index + 1}: {fault}")
            index = end
        else:
            index += 1
    return sections, warnings


def _names_file(lines: list[str], index: int) -> bool:
    following = lines[index + 1] if index + 1 < len(lines) else ""
    return lines[index].startswith("--- ") and following.startswith("+++ ")


def _hunk(lines: list[str], index: int) -> tuple[list[str], int, str | None]:
    """The hunk whose header is at ``index``, counts set right; its end; and what was wrong."""
    header = _HUNK.match(lines[index])
    if header is None:
        return [], index + 1, f"no hunk header that can be read: {lines[index]!r}; hunk left out"
    start, told_old, told_new = (int(header[n] or 1) for n in (1, 2, 4))
    body, end = _body(lines, index + 1, told_old, told_new)
    old = sum(not line.startswith("+") for line in body)
    new = sum(not line.startswith("-") for line in body)
    if not body:
        return [], end, "the hunk has no lines"
    # A count of 0 makes the header name the line before the hunk instead of the hunk's first.
    first = start + 1 if told_old == 0 else max(start, 1)
    fault = None
    if (old, new) != (told_old, told_new):
        fault = (
            f"the hunk's header tells of {told_old} old and {told_new} new lines, "
            f"its body has {old} and {new}; the body counts"
        )
    return [f"@@ -{first if old else first - 1},{old} +1,{new} @@", *body], end, fault


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


def _parse(section: _Section) -> PatchedFile:
    try:
        from unidiff.patch import PatchSet
    except ImportError as error:
        raise ExtraMissingError(
            "reading patches needs unidiff: pip install 'trajmeter[patches]'"
        ) from error
    return PatchSet(f"{line}\n" for line in (*section.names, *section.hunks))[0]


def _hunk_lines(hunk: Hunk) -> Iterator[int]:
    number = hunk.source_start if hunk.source_length else hunk.source_start + 1
    inserted = deleted = False
    for line in (*hunk, None):
        if line is not None and line.is_added:
            inserted = True
        elif line is not None and line.is_removed:
            deleted = True
            yield number
            number += 1
        else:
            if inserted and not deleted:
                yield number - 1
            inserted = deleted = False
            number += 1


def _path(source: str, target: str) -> str:
    """Path in the base file's tree; a new file has it from the target."""
    old, new = _unquoted(source.rstrip()), _unquoted(target.rstrip())
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
