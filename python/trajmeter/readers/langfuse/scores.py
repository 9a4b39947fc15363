"""Scores of Langfuse's traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_text, epoch_seconds
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

__all__ = ["is_score", "scores_of"]

_TEXTS = ("CATEGORICAL", "TEXT")
_BOOLEAN = "BOOLEAN"
_NUMBERS = ("NUMERIC", _BOOLEAN)


def is_score(value: object) -> bool:
    """Whether a value is a score."""
    return isinstance(value, dict) and "dataType" in value and "name" in value


def scores_of(scores: Iterable[Mapping[str, Any]]) -> dict[str, JsonValue]:
    """The values of the scores of a whole trace by name; the latest of each name counts."""
    of_trace = [each for each in scores if not each.get("observationId")]
    of_trace.sort(key=lambda each: epoch_seconds(each.get("timestamp")) or 0.0)
    found: dict[str, JsonValue] = {}
    for each in of_trace:
        name, value = as_text(each.get("name")), _value_of(each)
        if name is not None and value is not None:
            found[name] = value
    return found


def _value_of(score: Mapping[str, Any]) -> JsonValue:
    """The value of a score, which is text in CSV; ``None`` if it has none."""
    kind, value = score.get("dataType"), score.get("value")
    if kind in _TEXTS:
        return as_text(score.get("stringValue"))
    if kind not in _NUMBERS:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool):
        return value
    number = finite(value)
    return bool(number) if kind == _BOOLEAN and number in (0, 1) else number
