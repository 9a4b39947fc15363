"""What ContextBench does otherwise: the profile ``contextbench``, quirks included.

Its paths, its reader of diffs and its way with reversed lines are here; how it cuts lines into
bytes and touches definitions is a rule of the kernel, and its values for empty sets stand with the
figures.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["deleted_lines", "find", "gold_path", "lines_size"]

_HUNK = re.compile(r"@@ -(\d+)")
_HUNK_ENDS = ("---", "@@", "diff ")

# As in the kernel, so that sizes computed here and there are of the same lines.
_LARGEST_LINE = 2**62


def find(raw: str, files: Collection[str]) -> str | None:
    """Find the file that a path of a prediction means.

    Leading folders are dropped one by one until a file is left, down to the bare name: any
    ``setup.py`` means the one at the root.
    """
    path = raw.strip().strip("'\"").replace("\\", "/").removeprefix("./").lstrip("/")
    parts = path.split("/")
    for dropped in range(len(parts)):
        candidate = posixpath.normpath("/".join(parts[dropped:]))
        if candidate in files:
            return candidate
    return None


def gold_path(raw: str) -> str:
    """Path of gold, which is normalised by rules of its own and never looked up.

    A relative path loses every dot and slash at its beginning, so that ``.github/x.yml`` becomes
    ``github/x.yml``, which is no file.
    """
    path = raw.replace("\\", "/")
    if path.startswith("/testbed/"):
        return path.removeprefix("/testbed/")
    if path.startswith("/workspace/"):
        below = path.removeprefix("/workspace/")
        return below.split("/", 1)[-1]
    if path.startswith("/"):
        return path.lstrip("/")
    return path.lstrip("./")


def deleted_lines(patch: str) -> set[tuple[str, int]]:
    """Lines that a patch deletes, each with its file, as ContextBench's reader finds them.

    Only ``+++ b/`` names a file, whatever follows ``b/`` being the name; a deleted file's lines
    count for the file before it. A line that begins with ``---``, ``@@`` or ``diff `` ends a hunk,
    a deleted one too. A blank line without its blank does not count as a line. ``+++ b/`` within a
    hunk names the file of the next one.
    """
    deleted = set()
    named: str | None = None
    file: str | None = None
    number = 0
    for line in patch.split("\n"):
        if line.startswith("+++ b/"):
            named = line[len("+++ b/") :]
        elif line.startswith(_HUNK_ENDS):
            header = _HUNK.match(line)
            file = named if header else None
            number = int(header[1]) if header else 0
        elif file is not None and line.startswith("-"):
            deleted.add((file, number))
            number += 1
        elif line.startswith(" "):
            number += 1
    return deleted


def lines_size(files: Iterable[Iterable[tuple[int, int]]]) -> int:
    """Number of lines in ranges of first and last line, reversed ones included, file by file.

    A range counts if both its ends are positive; an end beyond all bounds counts as the bound. A
    reversed one that no range before it reaches stays by itself, and has a negative number of
    lines.
    """
    size = 0
    for ranges in files:
        merged: list[tuple[int, int]] = []
        for first, last in sorted(map(_bounded, ranges)):
            if first <= 0 or last <= 0:
                continue
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = merged[-1][0], max(merged[-1][1], last)
            else:
                merged.append((first, last))
        size += sum(last - first + 1 for first, last in merged)
    return size


def _bounded(lines: tuple[int, int]) -> tuple[int, int]:
    first, last = lines
    return min(first, _LARGEST_LINE), min(last, _LARGEST_LINE)
