"""The arrays that kernels take and return.

Spans travel as two 1-D, C-contiguous ``int64`` arrays, ``start`` and ``end``, half-open. A ragged
batch is its values and ``int64`` offsets of length n + 1, non-decreasing, which may begin above 0.
Arrays are borrowed and never copied; they must not change during a call.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = [
    "BoolArray",
    "ByteArray",
    "Coded",
    "EditedLineArrays",
    "Float64Array",
    "Int64Array",
    "LevelArrays",
    "PatchFault",
    "SnapshotFileRow",
    "SpanArrays",
    "SpanBatch",
    "TrajectoryArrays",
    "TrajectoryFigureArrays",
    "TurnCountArrays",
]

Int64Array: TypeAlias = npt.NDArray[np.int64]
Float64Array: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
ByteArray: TypeAlias = npt.NDArray[np.uint8]

SnapshotFileRow: TypeAlias = tuple[
    int,
    Int64Array,
    tuple[tuple[str, ...], Int64Array, Int64Array, tuple[str | None, ...]] | None,
]
"""A file of a snapshot: size, line starts, and kind, start, end and name of its definitions."""

SpanArrays: TypeAlias = tuple[Int64Array, Int64Array]
"""Start and end of each span of one set; a plain pair, as a named tuple would slow down small
calls."""


class Coded(NamedTuple):
    """A text column with each distinct text stored once."""

    texts: list[str]
    """The distinct texts, in the order of first occurrence."""
    codes: Int64Array
    """Index of each row's text; -1 for none."""


class SpanBatch(NamedTuple):
    """Many sets of spans: row i holds the spans ``offsets[i]`` to ``offsets[i + 1]``."""

    start: Int64Array
    """First byte of each span."""
    end: Int64Array
    """End of each span, exclusive."""
    offsets: Int64Array
    """Offsets of the rows; from 0 in a result."""


class TrajectoryArrays(NamedTuple):
    """Sizes of the steps of many trajectories."""

    size: Int64Array
    """Bytes of each step."""
    added: Int64Array
    """Bytes of each step that no earlier step of its trajectory covers."""
    gold_added: Int64Array
    """Bytes of gold among them."""
    gold_size: Int64Array
    """Bytes of each trajectory's gold."""


class TrajectoryFigureArrays(NamedTuple):
    """Figures of many trajectories, 0 to 1."""

    coverage: Float64Array
    """Share of gold seen after each step; NaN without gold."""
    auc_coverage: Float64Array
    """Mean coverage over the steps of each trajectory; NaN without gold or without steps."""
    redundancy: Float64Array
    """Share of the bytes viewed that an earlier step had shown; NaN without steps."""


class TurnCountArrays(NamedTuple):
    """Counts of many runs."""

    counts: Int64Array
    """The :data:`TURN_COUNTS` of each run, run by run."""
    reason: Int64Array
    """Codes of the reasons that occur in each run, rising."""
    carried: Int64Array
    """Number of turns with each of these reasons."""
    failed: Int64Array
    """Number of failed turns with each of these reasons."""
    reason_offsets: Int64Array
    """Offsets of the runs in the last three, from 0."""


class LevelArrays(NamedTuple):
    """Advantage of each agent over the oracle."""

    valid: Int64Array
    """Number of entries that count."""
    speedup: Float64Array
    """Geometric mean of the agent's ratios."""
    level_1: Float64Array
    """Advantage at level 1."""
    level_2: Float64Array
    """Advantage at level 2."""
    level_3: Float64Array
    """Advantage at level 3."""
    level_4: Float64Array
    """Advantage at level 4."""


class EditedLineArrays(NamedTuple):
    """The lines that a patch edits, by file."""

    paths: list[str]
    """Distinct files, in order of first occurrence."""
    line: Int64Array
    """Edited lines, ascending within each file."""
    offsets: Int64Array
    """Offsets of the files in ``line``, from 0."""
    is_diff: bool
    """Whether the text is a diff."""
    faults: Int64Array
    """Six numbers for each hunk that was wrong: the line of its header, from 1; its
    :class:`PatchFault`; the old and new lines that the header declares; those of the body."""


class PatchFault(IntEnum):
    """What is wrong with a hunk."""

    UNNAMED = 0
    """No file was named before it; it was skipped."""
    UNREADABLE = 1
    """Its header cannot be read; it was skipped."""
    EMPTY = 2
    """It has no lines."""
    COUNTS = 3
    """The header declares other counts than the body has; the body's counts apply."""
