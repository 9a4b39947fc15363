"""Edited lines of a unified diff, numbered in the file that it applies to.

A hunk header declares how many lines its body has. Patches written by models often declare a wrong
number, so the body is read up to the first line that cannot belong to it, and each mismatch is a
warning.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from trajmeter import kernels
from trajmeter.kernels import PatchFault

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EditedLines", "edited_lines", "whole_characters"]

_FAULT_COLUMNS = 6


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
    patch = whole_characters(patch)
    found = kernels.active().edited_lines(patch)
    numbers = found.line.tolist()
    bounds = pairwise(found.offsets.tolist())
    return EditedLines(
        lines={
            path: tuple(numbers[start:stop])
            for path, (start, stop) in zip(found.paths, bounds, strict=True)
        },
        is_diff=found.is_diff,
        warnings=_warnings(patch, found.faults.reshape(-1, _FAULT_COLUMNS).tolist()),
    )


def whole_characters(patch: str) -> str:
    """Join or replace surrogates in the text, which cannot occur in files."""
    if patch.isascii():
        return patch
    return patch.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _warnings(patch: str, faults: list[list[int]]) -> tuple[str, ...]:
    if not faults:
        return ()
    lines = patch.replace("\r\n", "\n").split("\n")
    return tuple(f"line {line}: {_message(lines[line - 1], *fault)}" for line, *fault in faults)


def _message(header: str, kind: int, *counts: int) -> str:
    if kind == PatchFault.UNNAMED:
        return "the hunk follows no '---' and '+++' lines that name its file; skipped"
    if kind == PatchFault.UNREADABLE:
        return f"unreadable hunk header: {header!r}; hunk skipped"
    if kind == PatchFault.EMPTY:
        return "the hunk has no lines"
    declared_old, declared_new, old, new = counts
    return (
        f"the hunk header declares {declared_old} old and {declared_new} new lines, "
        f"the body has {old} and {new}; the body counts"
    )
