"""Transform Gym test cases: the message to an agent, and what its answer must satisfy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._expectations import (
    EXPECTED_CALLS,
    MESSAGES,
    expected_calls,
    suspicious_keys,
)
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.records import Assertion, Source, Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["RULE_CASES"]

_DEFAULTS: Mapping[str, JsonValue] = {
    "name": "",
    "description": "",
    "complexity": "medium",
    "max_turns": 1,
    "timeout_seconds": 300,
}
_FREE = ("tags", "simulated_human_guidance", "metadata")
_KNOWN = {"id", *MESSAGES, *_DEFAULTS, *_FREE, "assertions", EXPECTED_CALLS}
_OF_AN_ASSERTION = ("name", "type", "check", "tool")


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    # A response of OpenAI's API has a prompt too.
    return None if record.get("object") == "response" else Evidence.LIKELY


def _read(record: Mapping[str, JsonValue], source: Source) -> Task:
    """Read a test case; null means absent, and unknown keys do not configure metrics.

    Raises:
        ReadError: The id or message is missing, or a count or assertion is malformed.
        pydantic.ValidationError: A value has the wrong type.
    """
    given = {key: value for key, value in record.items() if value is not None}
    for key in ("max_turns", "timeout_seconds"):
        value = given.get(key, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ReadError(f"{key} is {value!r}, expected a number")
    fields: dict[str, Any] = {
        **_DEFAULTS,
        **{key: given[key] for key in (*_DEFAULTS, *_FREE) if key in given},
    }
    return Task(
        id=_id(given.get("id")),
        question=_message(given),
        assertions=_assertions(given.get("assertions", [])),
        expected_tool_calls=_expected_calls(given),
        source=source,
        extra={key: value for key, value in record.items() if key not in _KNOWN},
        **fields,
    )


def _id(value: JsonValue) -> str:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value:
        return value
    raise ReadError(f"id is {value!r}, expected text or a number")


def _message(given: Mapping[str, JsonValue]) -> str:
    message = next((given[key] for key in MESSAGES if given.get(key)), None)
    if not isinstance(message, str):
        raise ReadError(f"user_message (or prompt) is {message!r}, expected text")
    return message


def _expected_calls(given: Mapping[str, JsonValue]) -> Any:  # noqa: ANN401 - the model checks it
    """The reference calls; unknown keys of a call are ignored, as in executions."""
    listed = expected_calls(given)
    if not isinstance(listed, list):
        return listed
    return [
        {"name": call.get("name"), "arguments": call.get("arguments", call.get("args"))}
        if isinstance(call, dict)
        else call
        for call in listed
    ]


def _assertions(listed: JsonValue) -> tuple[Assertion, ...]:
    if not isinstance(listed, list):
        raise ReadError(f"assertions is {json_input.type_name(listed)}, expected a list")
    assertions = []
    for index, entry in enumerate(listed):
        if not isinstance(entry, dict):
            got = json_input.type_name(entry)
            raise ReadError(f"assertions[{index}] is {got}, expected an object")
        fields: dict[str, Any] = {
            key: entry[key] for key in _OF_AN_ASSERTION if entry.get(key) is not None
        }
        extra = {key: value for key, value in entry.items() if key not in _OF_AN_ASSERTION}
        assertions.append(Assertion(**fields, extra=extra))
    return tuple(assertions)


RULE_CASES = RecordFormat(
    name="rule-cases",
    description="test cases",
    makes=Task,
    carries=(
        "question",
        *_DEFAULTS,
        *_FREE,
        "assertions",
        "expected_tool_calls.name",
        "expected_tool_calls.arguments",
        "extra",
    ),
    origin="Transform Gym",
    keys=frozenset(MESSAGES),  # a test case has a key of its own for the message to the agent
    recognises=_recognises,
    read=_read,
    doubts=lambda record: suspicious_keys(record, _KNOWN),
)
