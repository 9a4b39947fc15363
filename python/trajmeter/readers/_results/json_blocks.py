"""Whether Arrow finds the same rows in a block of JSON lines as reading it line by line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from trajmeter import json_input
from trajmeter.errors import ReadError

if TYPE_CHECKING:
    from trajmeter.kernels import Int64Array

__all__ = ["is_row_by_line"]

_LONG_NUMBER = re.compile(rb"[0-9]{%d}" % (json_input.MOST_DIGITS + 1))
_OPENINGS = 200
"""With no more opening brackets than this, no value of a line is nested too deep."""


def is_row_by_line(block: bytes, rows: int) -> bool:
    """Whether each line has one of the objects that Arrow found, in valid UTF-8 and within limits.

    Arrow also takes several objects in a line, or one in several lines, and ignores the bytes of
    columns that are not selected; read line by line, such lines are errors.

    Args:
        block: Whole lines.
        rows: Number of objects that Arrow found.
    """
    characters = np.frombuffer(block, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    if not block.endswith(b"\n"):
        ends = np.append(ends, len(block))
    if len(ends) != rows:
        return False
    starts = np.append(0, ends[:-1] + 1)
    last = ends - 1
    last -= characters[last] == ord("\r")
    is_object = (characters[starts] == ord("{")) & (characters[last] == ord("}"))
    if not is_object.all():
        return False
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return _is_within_limits(block, starts, ends)


def _is_within_limits(block: bytes, starts: Int64Array, ends: Int64Array) -> bool:
    """Whether every line is within the limits of :mod:`trajmeter.json_input`; Arrow has none."""
    if (ends - starts).max() > json_input.MOST_DIGITS and _LONG_NUMBER.search(block):
        return False
    characters = np.frombuffer(block, np.uint8)
    openings = sum(np.count_nonzero(characters == ord(bracket)) for bracket in "{[")
    if openings < len(starts) + _OPENINGS:  # each line has one
        return True
    opening = np.flatnonzero((characters == ord("{")) | (characters == ord("[")))
    counts = np.diff(np.searchsorted(opening, ends), prepend=0)
    try:
        for line in np.flatnonzero(counts > _OPENINGS).tolist():
            json_input.parse(block[starts[line] : ends[line]])
    except ReadError:
        return False
    return True
