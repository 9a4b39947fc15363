"""Converts JSON values in logs where possible; never raises."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from trajmeter.json_input import type_name
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pydantic import JsonValue

__all__ = [
    "as_count",
    "as_int",
    "as_list",
    "as_mapping",
    "as_number",
    "as_object",
    "as_text",
    "epoch_seconds",
    "first_object",
    "json_row",
    "safe_int",
    "seconds_between",
]


# Above any real count; the sum of two still fits in 64 bits.
_MOST = 2**53

_FRACTION = re.compile(r"\.(\d+)")


def as_int(value: object) -> int | None:
    """Convert anything that ``int`` accepts, within the bounds of counts; true is 1."""
    if isinstance(value, (int, float, str)):
        try:
            return max(-_MOST, min(int(value), _MOST))
        except (ValueError, OverflowError):
            return None
    return None


def safe_int(value: object) -> int:
    """A count as in fc-eval: anything but a number is 0."""
    return as_int(value) or 0


def as_count(value: object) -> int | None:
    """A count recorded as a whole number within the bounds of counts; else ``None``."""
    number = finite(value)
    if number is None or not number.is_integer() or not 0 <= number <= _MOST:
        return None
    return int(number)


def as_object(value: object) -> dict[str, Any] | None:
    """A JSON object; ``None`` for anything else."""
    return value if isinstance(value, dict) else None


def as_mapping(value: object) -> Mapping[str, Any]:
    """A JSON object; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> Sequence[Any]:
    """A JSON list; empty for anything else."""
    return value if isinstance(value, list) else ()


def first_object(values: Iterable[object]) -> dict[str, Any]:
    """The first object that has keys; an empty one if none has."""
    return next((each for each in values if isinstance(each, dict) and each), {})


def as_text(value: object) -> str | None:
    """Text that is not empty; ``None`` for anything else."""
    return value if isinstance(value, str) and value else None


def as_number(value: object, refuse: Callable[[str], None]) -> float | None:
    """A finite number; ``None`` for null, and for anything else, which is reported."""
    number = finite(value)
    if number is None and value is not None:
        refuse(f"expected a number, got {type_name(cast('JsonValue', value))}")
    return number


def json_row(row: Mapping[str, object]) -> dict[str, JsonValue]:
    """A row of a table as JSON: bytes become text, decimals numbers, and times ISO 8601."""
    return {key: _json_value(each) for key, each in row.items()}


def _json_value(value: object) -> JsonValue:
    if isinstance(value, dict):
        return json_row({str(_json_value(key)): each for key, each in value.items()})
    if isinstance(value, (list, tuple)):
        return [_json_value(each) for each in value]
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, (int, float, str)) or value is None:
        return value
    return float(value) if isinstance(value, Decimal) else str(value)


def epoch_seconds(value: object) -> float | None:
    """Seconds since 1970 of a time in ISO 8601; UTC is assumed if it has no time zone.

    ``None`` for anything else.

    Example:
        >>> epoch_seconds("1970-01-01T00:01:00.500Z"), epoch_seconds("noon")
        (60.5, None)
    """
    if not isinstance(value, str):
        return None
    # Python 3.10 accepts neither the Z nor fractions other than of 3 or 6 digits.
    text = _FRACTION.sub(lambda digits: f".{digits[1]:0<6.6}", value).replace("Z", "+00:00")
    try:
        time = datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        return None


def seconds_between(start: float | None, end: float | None) -> float | None:
    """Seconds between two times in microsecond precision; ``None`` without both."""
    return None if start is None or end is None else round(end - start, 6)
