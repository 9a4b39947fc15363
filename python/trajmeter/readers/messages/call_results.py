"""Results of tool calls, in every shape in which messages hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.readers.messages.results import result_value, server_error
from trajmeter.readers.messages.shapes import kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["CallResult", "message_result", "part_result"]

_RESULT_PARTS = frozenset(
    {"tool_call_response", "tool-return", "builtin-tool-return", "retry-prompt"}
)


class CallResult(NamedTuple):
    """A result, and what identifies its call."""

    identity: object
    """The call's id, if any."""
    name: object
    """Name of the tool, if the result has one."""
    value: JsonValue
    """The value; ``None`` if the message has none."""
    success: bool | None
    """Whether the call succeeded; ``None`` if unknown."""
    error: object = None
    """Why it failed, if the message says so."""


def message_result(message: Mapping[str, Any]) -> CallResult:
    """Read a message that is the result of a call."""
    got = message.get
    content, function, error, status = got("content"), got("function"), got("error"), got("status")
    success: bool | None = None
    if type(status) is str:  # LangChain's
        success = status != "error"
    elif type(function) is str or error is not None:  # Inspect's
        success = error is None
    elif got("role") is None:  # LangChain's without default values
        success = True
    if type(error) is dict:
        error = error.get("message")
    value = None
    if content is not None or "content" in message:
        value = content if type(content) is str else result_value(content)
    name = function if type(function) is str else got("name")
    return CallResult(got("tool_call_id"), name, value, success, error)


def part_result(part: Mapping[str, Any]) -> CallResult | None:
    """Read the result of a call, if this part of a message is one."""
    kind = kind_of(part)
    if kind.endswith("tool_result"):
        return _anthropic_result(part)
    return _returned(part, kind) if kind in _RESULT_PARTS else None


def _anthropic_result(part: Mapping[str, Any]) -> CallResult:
    """A result as Anthropic writes it, and LangChain under other keys."""
    error = None
    content = part.get("content")
    if content is None:
        content = part.get("output")
    elif type(content) is dict:
        error = server_error(content)
    is_error = part.get("is_error") or part.get("status") == "error"
    return CallResult(
        identity=part.get("tool_use_id") or part.get("tool_call_id"),
        name=None,
        value=result_value(content),
        success=not is_error and error is None,
        error=error,
    )


def _returned(part: Mapping[str, Any], kind: str) -> CallResult | None:
    """A result as OpenTelemetry and pydantic-ai write it; ``None`` if it answers no call."""
    name = part.get("tool_name") or part.get("name")
    outcome = part.get("outcome")
    success = None if outcome is None else outcome == "success"
    if kind == "retry-prompt":
        if name is None:
            return None
        success = False
    elif kind != "tool_call_response" and outcome is None:
        success = True
    value = result_value(part.get("response", part.get("content")))
    return CallResult(part.get("tool_call_id") or part.get("id"), name, value, success)
