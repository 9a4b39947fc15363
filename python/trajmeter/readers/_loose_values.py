"""Values as fc-eval's files hold them: read as far as they can be, never refused."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["as_cost", "as_count", "as_object", "as_text", "safe_int"]


def safe_int(value: object) -> int:
    """A count as fc-eval reads it: what is no number counts as 0, and true as 1."""
    if isinstance(value, (int, float, str)):
        try:
            return int(value)
        except (ValueError, OverflowError):
            return 0
    return 0


def as_count(value: object) -> int | None:
    """A count that was recorded as a whole number of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if math.isfinite(value) and value >= 0 and value == int(value) else None


def as_cost(value: object) -> float | None:
    """A cost that was recorded as a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None


def as_object(value: object) -> dict[str, Any] | None:
    """A JSON object; anything else is none."""
    return value if isinstance(value, dict) else None


def as_text(value: object) -> str | None:
    """A text that is not empty; anything else is none."""
    return value if isinstance(value, str) and value else None
