"""Values in fc-eval's files: converted where possible, never an error."""

from __future__ import annotations

from typing import Any

from trajmeter.records.measurements import finite

__all__ = ["as_count", "as_int", "as_object", "as_text", "safe_int"]


# Above any real count; the sum of two still fits 64 bits.
_MOST = 2**53


def as_int(value: object) -> int | None:
    """Convert whatever ``int`` takes, within the bounds of counts; true is 1."""
    if isinstance(value, (int, float, str)):
        try:
            return max(-_MOST, min(int(value), _MOST))
        except (ValueError, OverflowError):
            return None
    return None


def safe_int(value: object) -> int:
    """A count as fc-eval reads it: anything but a number is 0."""
    return as_int(value) or 0


def as_count(value: object) -> int | None:
    """A count recorded as a whole number from 0 to the largest count; else ``None``."""
    number = finite(value)
    if number is None or not number.is_integer() or not 0 <= number <= _MOST:
        return None
    return int(number)


def as_object(value: object) -> dict[str, Any] | None:
    """A JSON object; ``None`` for anything else."""
    return value if isinstance(value, dict) else None


def as_text(value: object) -> str | None:
    """Text that is not empty; ``None`` for anything else."""
    return value if isinstance(value, str) and value else None
