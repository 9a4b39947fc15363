"""Describes the run of a tool by what it was given and what it returned."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers._logs.values import as_text
from trajmeter.readers.messages.shapes import identity_of, unwrapped
from trajmeter.readers.opentelemetry.openllmetry import ENTITY_INPUT, SPAN_KIND
from trajmeter.readers.opentelemetry.values import structured

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["FINAL", "RESULT", "ToolRun", "final_text", "tool_run"]

RESULT = "gen_ai.tool.call.result"
"""The result of a tool."""
FINAL = "final_result"
"""The result of an agent, which may be the arguments of a call; the attribute is pydantic-ai's."""

_CALLED = frozenset({"args", "kwargs"})
"""Keys of the arguments of a decorated function."""
_SETTING = "sanitize_inputs_outputs"
"""A setting that smolagents passes beside the arguments."""


class ToolRun(NamedTuple):
    """The run of a tool."""

    attributes: dict[str, JsonValue]
    """Attributes by the conventions; those that are not known are ``None``."""
    has_failed: bool
    """Whether its message says that it failed."""


def tool_run(
    name: str | None, given: JsonValue, output: JsonValue, identity: str | None
) -> ToolRun:
    """Describe the run of a tool.

    Args:
        name: Name of the tool.
        given: Its input.
        output: What it returned, perhaps as a message.
        identity: Id of the call that it answers, if known.
    """
    # Without an id, the call is found by name and arguments, as for Traceloop's tools.
    attributes: dict[str, JsonValue] = {"gen_ai.tool.name": name, SPAN_KIND: "tool"}
    given = _arguments(given)
    if isinstance(given, dict) and given.get("type") == "tool_call" and "args" in given:
        identity = identity or identity_of(given.get("id"))
        given = given["args"]
    if isinstance(given, dict) and given.keys() - {_SETTING} == _CALLED:
        given = {key: each for key, each in given.items() if key != _SETTING}
        attributes[ENTITY_INPUT] = given
        given = given["kwargs"] if not given["args"] else given
    elif isinstance(given, dict):
        attributes[ENTITY_INPUT] = {"kwargs": given}
    attributes["gen_ai.tool.call.arguments"] = given
    status = None
    if isinstance(output, dict) and output.keys() == {"output"}:
        output = output["output"]
    if isinstance(returned := structured(output), dict):
        message = unwrapped(returned)
        if "tool_call_id" in message and "content" in message:
            identity = identity or identity_of(message["tool_call_id"])
            output, status = message["content"], message.get("status")
    attributes[RESULT] = None if output == {} else output
    attributes["gen_ai.tool.call.id"] = identity
    return ToolRun(attributes, has_failed=status == "error")


def _arguments(given: JsonValue) -> JsonValue:
    """The arguments of a tool; text is parsed if it is a JSON object, never evaluated."""
    if isinstance(given, dict) and given.keys() == {"input"}:
        given = given["input"]
    found = structured(given)
    return found if isinstance(found, dict) else given


def final_text(output: JsonValue) -> str | None:
    """The text that a whole run returned."""
    if isinstance(output, dict) and output.keys() == {"output"}:
        output = output["output"]
    elif structured(output) is not output:
        return None  # an object that was written as text
    return as_text(output)
