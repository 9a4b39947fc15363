"""Operations on half-open byte spans ``[start, end)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import NegativeSpanError, ReversedSpanError

if TYPE_CHECKING:
    from trajmeter.kernels._contract import Int64Array

__all__ = ["measure"]


def measure(start: Int64Array, end: Int64Array) -> int:
    """Count the bytes that lie in at least one span.

    Args:
        start: First byte of each span, in any order.
        end: The byte after the last of each span.

    Returns:
        Number of bytes; 0 without spans.

    Raises:
        NegativeSpanError: A span begins before byte 0; the first bad span is named.
        ReversedSpanError: A span ends before it begins; the first bad span is named.
    """
    spans = list(zip(start.tolist(), end.tolist(), strict=True))
    _check(spans)
    covered = 0
    reach = 0
    for first, last in sorted(spans):
        if last > reach:
            covered += last - max(first, reach)
            reach = last
    return covered


def _check(spans: list[tuple[int, int]]) -> None:
    for index, (start, end) in enumerate(spans):
        if start < 0:
            message = f"span {index} is [{start}, {end}): its start is negative, expected 0 or more"
            raise NegativeSpanError(message)
        if end < start:
            message = f"span {index} is [{start}, {end}): its end lies before its start"
            raise ReversedSpanError(message)
