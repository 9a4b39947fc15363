"""Growth of work with the size of its input, counted instead of timed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from _typeshed import TraceFunction

_TIMES = 4
"""How many times as large the second input is."""
_MOST = 5.0
"""How many times as many steps it may take; a quadratic algorithm soon takes 16 times as many."""


def assert_linear(work: Callable[[int], object], size: int = 500) -> None:
    """Fail if a call takes more than linear time in the size of its input.

    Only lines of Python count as time. What is quadratic within one call of compiled code needs an
    input so large that the time limit of a test stops it.

    Args:
        work: A call with an input of this size.
        size: The smaller of two sizes.
    """
    work(1)  # imports modules, and fills caches
    few, many = (_steps(work, each) for each in (size, _TIMES * size))
    assert many < _MOST * few, f"{few:,} steps became {many:,} with {_TIMES} times the input"


def _steps(work: Callable[[int], object], size: int) -> int:
    """Count the lines that a call executes, and its iterations within one line."""
    count = 0

    def trace(_frame: FrameType, _event: str, _value: object) -> TraceFunction:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work(size)
    finally:
        sys.settrace(before)
    return count
