"""Fields of tasks with which attempts are compared, in the data of other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter import json_input
from trajmeter.errors import ReadError

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["REFERENCES", "reference"]

_NESTED = frozenset(
    {
        "assertions",
        "baseline_seconds",
        "expected_sources",
        "expected_tool_calls",
        "gold_ranges",
        "oracle_seconds",
    }
)
"""Reference fields that are lists or objects; in data sets, their columns hold JSON text."""

REFERENCES = _NESTED | {
    "commit",
    "expected_answer",
    "gold_patch",
    "max_turns",
    "repo",
    "timeout_seconds",
}
"""Fields of a task with which attempts are compared."""


def reference(key: str, value: JsonValue) -> JsonValue:
    """A reference, which may be JSON as text.

    Raises:
        ReadError: The text is not JSON.
    """
    if key not in _NESTED or not isinstance(value, str):
        return value
    try:
        return json_input.parse(value.encode(errors="surrogatepass"))
    except ReadError as error:
        raise ReadError(f"{key}: {error}") from error
