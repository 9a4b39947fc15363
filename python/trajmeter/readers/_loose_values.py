"""Values as fc-eval's files hold them: read as far as they can be, never refused."""

from __future__ import annotations

from typing import Any

from trajmeter.records.measurements import finite

__all__ = ["as_count", "as_int", "as_object", "as_text", "safe_int"]


# Further than any count goes; two of them still have a sum of 64 bits.
_MOST = 2**53


def as_int(value: object) -> int | None:
    """An integer of whatever can be turned into one, true being 1, and none beyond all counts."""
    if isinstance(value, (int, float, str)):
        try:
            return max(-_MOST, min(int(value), _MOST))
        except (ValueError, OverflowError):
            return None
    return None


def safe_int(value: object) -> int:
    """A count as fc-eval reads it: what is no number counts as 0."""
    return as_int(value) or 0


def as_count(value: object) -> int | None:
    """A count that was recorded as a whole number of 0 or more, and no larger than counts get."""
    number = finite(value)
    if number is None or not number.is_integer() or not 0 <= number <= _MOST:
        return None
    return int(number)


def as_object(value: object) -> dict[str, Any] | None:
    """A JSON object; anything else is none."""
    return value if isinstance(value, dict) else None


def as_text(value: object) -> str | None:
    """A text that is not empty; anything else is none."""
    return value if isinstance(value, str) and value else None
