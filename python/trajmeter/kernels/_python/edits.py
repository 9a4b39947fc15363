"""Where patches edit and delete lines, compared with the gold of their tasks."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.errors import InputError
from trajmeter.kernels._context_batch import EDIT_COUNTS
from trajmeter.kernels._python.patches import edited_lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.kernels._arrays import EditedLineArrays, Int64Array
    from trajmeter.kernels._context_batch import Texts

__all__ = ["EditGoldKernel", "deleted_lines", "edit_counts", "edit_gold"]

_NAME = re.compile(r"\+\+\+\s+b/(.+)")
# Longer digit strings are not numbers: they would not fit in 64 bits.
_HUNK = re.compile(r"@@\s+-([0-9]{1,18})(?:,[0-9]+)?\s+\+[0-9]+(?:,[0-9]+)?\s+@@")
_HUNK_ENDS = ("---", "@@", "diff ")


def edit_gold(patch: str, ranges: Mapping[str, Sequence[tuple[int, int]]]) -> EditGoldKernel:
    """Compile the gold with which the patches of attempts at a task are compared.

    Args:
        patch: The gold patch.
        ranges: First and last line of each initial range of gold, by path.
    """
    return EditGoldKernel(patch, ranges)


def edit_counts(tasks: Sequence[EditGoldKernel], task: Int64Array, patches: Texts) -> Int64Array:
    """Compare many patches with the gold of their tasks.

    Args:
        tasks: The tasks.
        task: Index of each patch's task, or -1 for a patch that is not to be read.
        patches: The patches.

    Returns:
        The ``EDIT_COUNTS`` of each patch, one patch after another; zeros for a patch that is not
        read.

    Raises:
        InputError: A task does not exist, or a patch is not UTF-8; the first one is named.
    """
    bounds = pairwise(patches.offsets.tolist())
    texts = []
    for index, (start, stop) in enumerate(bounds):
        try:
            texts.append(patches.buffer[start:stop].decode())
        except UnicodeDecodeError as error:
            raise InputError(f"patch {index} is not UTF-8") from error
    counts = []
    for index, number in enumerate(task.tolist()):
        if not -1 <= number < len(tasks):
            raise InputError(f"task {index} is {number}, expected -1 to {len(tasks) - 1}")
    for number, text in zip(task.tolist(), texts, strict=True):
        counts.append((0,) * len(EDIT_COUNTS) if number < 0 else tasks[number].compare(text))
    return np.array(counts, np.int64).reshape(-1)


class EditGoldKernel:
    """The gold with which the patches of attempts at a task are compared."""

    def __init__(self, patch: str, ranges: Mapping[str, Sequence[tuple[int, int]]]) -> None:
        """Compile the gold, as :func:`edit_gold` says."""
        self._edited = _pairs(edited_lines(patch))
        self._ranges = ranges
        self.size = len(self._edited)

    def compare(self, patch: str) -> tuple[int, int, int, int, int]:
        """The ``EDIT_COUNTS`` of a patch."""
        edits = edited_lines(patch)
        edited = _pairs(edits)
        deleted = deleted_lines(patch)
        hits = sum(
            any(first <= line <= last for first, last in self._ranges.get(path, ()))
            for path, line in deleted
        )
        shared = len(edited & self._edited)
        return int(edits.is_diff), len(edited), shared, len(deleted), hits


def deleted_lines(patch: str) -> set[tuple[str, int]]:
    """Lines that a patch deletes, each with its file, by the rules of ContextBench's reader.

    Only ``+++ b/`` names a file, and everything after ``b/`` is the name; lines of a deleted file
    count for the file before it. A hunk header needs both ranges and the second ``@@``. A line that
    begins with ``---``, ``@@`` or ``diff `` ends a hunk, even if it is a deleted line. A blank line
    without its leading blank does not count as a line. ``+++ b/`` within a hunk names the file of
    the next one.
    """
    deleted = set()
    named: str | None = None
    file: str | None = None
    number = 0
    for line in patch.split("\n"):
        if line.startswith("+++"):
            name = _NAME.match(line)
            named = name[1] if name else named
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


def _pairs(edits: EditedLineArrays) -> set[tuple[str, int]]:
    numbers = edits.line.tolist()
    bounds = zip(edits.paths, pairwise(edits.offsets.tolist()), strict=True)
    return {(path, line) for path, (start, stop) in bounds for line in numbers[start:stop]}
