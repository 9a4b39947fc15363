"""Edited lines of a unified diff, numbered in the file that it applies to.

A deleted line is edited, and so is the line before a pure insertion. The body of a hunk is read up
to the first line that cannot belong to it, regardless of the counts in its header.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.kernels._arrays import EditedLineArrays, PatchFault

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["edited_lines"]

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

# The prefixes that git puts before the two names, including those of diff.mnemonicPrefix.
_PREFIXES = frozenset(
    {("a/", "b/"), ("b/", "a/"), ("c/", "i/"), ("c/", "w/"), ("i/", "w/"), ("o/", "w/")}
)


def edited_lines(patch: str) -> EditedLineArrays:
    """Find the lines that a patch edits.

    A run of deleted and inserted lines without context between them edits the deleted ones; only a
    run of pure insertions edits the line before it, which is 0 at the top of a file. Files are
    those that the patch applies to, repeated if they are named repeatedly; those without an edited
    line are omitted. Text around the diff is ignored, and a blank text is a diff that edits
    nothing.

    Args:
        patch: Any text whose characters all exist in UTF-8.
    """
    lines = patch.replace("\r\n", "\n").split("\n")
    if lines[-1] == "":
        lines.pop()
    edited: dict[str, set[int]] = {}
    faults: list[int] = []
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
                fault = _Fault(PatchFault.UNNAMED)
            else:
                edited.setdefault(path, set()).update(hunk.edited)
            if fault is not None:
                faults += (index + 1, fault.kind, *fault.declared, *fault.found)
            index = hunk.end
        else:
            index += 1
    files = {path: sorted(numbers) for path, numbers in edited.items() if numbers}
    return EditedLineArrays(
        list(files),
        np.array([number for numbers in files.values() for number in numbers], np.int64),
        np.array([0, *accumulate(map(len, files.values()))], np.int64),
        is_diff or not patch.strip(),
        np.array(faults, np.int64),
    )


@dataclass(frozen=True, slots=True)
class _Fault:
    """What is wrong with a hunk, and the numbers of old and new lines in its header and body."""

    kind: PatchFault
    declared: tuple[int, int] = (0, 0)
    found: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class _Hunk:
    """A hunk of a file: the base lines that it edits."""

    edited: Sequence[int]
    end: int
    """Index of the first line after it."""
    fault: _Fault | None = None
    """What is wrong with it."""


def _names_file(lines: list[str], index: int) -> bool:
    following = lines[index + 1] if index + 1 < len(lines) else ""
    return lines[index].startswith("--- ") and following.startswith("+++ ")


def _read_hunk(lines: list[str], index: int) -> _Hunk:
    """Read the hunk whose header is at ``index``."""
    header = _HUNK.match(lines[index])
    if header is None:
        return _Hunk((), index + 1, _Fault(PatchFault.UNREADABLE))
    start, declared_old, declared_new = (int(header[n] or 1) for n in (1, 2, 4))
    body, end = _body(lines, index + 1, declared_old, declared_new)
    if not body:
        return _Hunk((), end, _Fault(PatchFault.EMPTY))
    old = sum(not line.startswith("+") for line in body)
    new = sum(not line.startswith("-") for line in body)
    # A count of 0 makes the header name the line before the hunk instead of the hunk's first.
    first = start + 1 if declared_old == 0 else max(start, 1)
    fault = None
    if (old, new) != (declared_old, declared_new):
        declared = (declared_old, declared_new)
        fault = _Fault(PatchFault.COUNTS, declared=declared, found=(old, new))
    return _Hunk(tuple(_edited_by(body, first)), end, fault)


def _body(lines: list[str], index: int, old: int, new: int) -> tuple[list[str], int]:
    """Lines of a hunk, with ``old`` and ``new`` ones expected, and where they end."""
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
    """Whether the line is after the hunk; one without its leading blank is a blank line."""
    line = lines[index]
    if is_complete and line.rstrip() in {"", "--"}:  # the end of an e-mail that contains a patch
        return True
    if line[:1] not in {"", " ", "+", "-"}:
        return True
    # Deleted and inserted lines can look like the names of the next file, but no hunk of a sound
    # body is followed by lines that do, and no body holds a hunk header.
    after = lines[index + 2] if index + 2 < len(lines) else ""
    return _names_file(lines, index) and (is_complete or after.startswith("@@ -"))


def _edited_by(body: list[str], first: int) -> Iterator[int]:
    """Lines of the base that a hunk edits; its own first line is ``first``."""
    number = first
    inserted = deleted = False
    for line in (*body, " "):  # a final line of context, which ends the last run
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
    """Path in the base tree, from the two lines that name a file.

    For a new file it comes from the target. Anything after a tab is a time.
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
    """Unquote a name that git quotes: double quotes, with non-ASCII bytes in octal."""
    if len(name) < len('""') or not (name.startswith('"') and name.endswith('"')):
        return name
    return _ESCAPE.sub(_byte, name[1:-1].encode()).decode(errors="replace")


def _byte(escape: re.Match[bytes]) -> bytes:
    if escape[1]:
        return bytes([int(escape[1], 8) & 0xFF])
    return _ESCAPES.get(escape[2], escape[2])
