"""Extracts values of attributes from typed objects and from JSON text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._logs.values import as_list

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["TASK_ID", "UNUSED", "attributes_of", "is_integer", "parsed", "structured"]

TASK_ID = "trajmeter.task_id"
"""The span or resource attribute that names the task."""

_MOST_DIGITS = 20

UNUSED = (
    "gen_ai.prompt",
    "gen_ai.system_instructions",
    "gen_ai.task.input",
    "gen_ai.task.output",
    "gen_ai.tool.definitions",
    "logfire.json_schema",
    "model_request_parameters",
    "pydantic_ai.all_messages",
)
"""Large attributes that are not used here."""


def attributes_of(attributes: object) -> dict[str, JsonValue]:
    """Attributes by name, without unused ones."""
    found: dict[str, JsonValue] = {}
    for each in as_list(attributes):
        name = each.get("key") if isinstance(each, dict) else None
        if isinstance(name, str) and name not in UNUSED:
            found[name] = _value(each.get("value"))
    return found


def _value(value: object) -> JsonValue:
    """Extract a value from the object that declares its type."""
    match value:
        case {"stringValue": str() as plain} | {"boolValue": bool() as plain}:
            return plain
        case {"doubleValue": (int() | float()) as number}:
            return number
        case {"intValue": number} if is_integer(number):
            return int(number)
        case {"arrayValue": {"values": list(values)}}:
            return [_value(each) for each in values]
        case {"kvlistValue": {"values": list(values)}}:
            return attributes_of(values)
    return None


def is_integer(number: object) -> bool:
    """Whether a value is an integer, which OTLP writes as text."""
    if isinstance(number, str):
        # No 64-bit integer is longer, and `int` rejects thousands of digits.
        return len(number) <= _MOST_DIGITS and number.removeprefix("-").isdecimal()
    return isinstance(number, int) and not isinstance(number, bool)


def parsed(value: JsonValue) -> JsonValue:
    """A structured attribute, which may be JSON text."""
    if not isinstance(value, str):
        return value
    try:
        return json_input.parse(value.encode())
    except ReadError:
        return value


def structured(value: JsonValue) -> JsonValue:
    """An object or list that was written as JSON text; any other value is unchanged."""
    found = parsed(value)
    return found if isinstance(found, (dict, list)) and found else value
