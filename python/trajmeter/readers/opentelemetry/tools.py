"""Matches tool spans with the calls in an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_object, as_text
from trajmeter.readers.opentelemetry.openllmetry import (
    ENTITY_INPUT,
    ENTITY_OUTPUT,
    ENTITY_STATUS,
    SPAN_KIND,
)
from trajmeter.readers.opentelemetry.spans import NO_MESSAGE, Span
from trajmeter.readers.opentelemetry.tool_runs import RESULT
from trajmeter.readers.opentelemetry.values import parsed

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from pydantic import JsonValue

__all__ = ["call_id", "is_named", "result_of"]


def call_id(span: Span, parts: list[JsonValue], taken: Container[str]) -> str | None:
    """The id of the call that a tool span records, if known.

    Traceloop's decorators do not record ids: among the calls without a span, a span then matches
    the first call with the same name and arguments, or else the first with the same name.
    """
    identity = as_text(span.attributes.get("gen_ai.tool.call.id"))
    if identity is not None or SPAN_KIND not in span.attributes:
        return identity
    name = span.attributes.get("gen_ai.tool.name")
    same = [each for each in parts if isinstance(each, dict) and each.get("name") == name]
    by_id = {as_text(each.get("id")): each for each in same}
    waiting = {key: each for key, each in by_id.items() if key is not None and key not in taken}
    first = next(iter(waiting), None)
    return next((key for key, each in waiting.items() if _fits(span, each)), first)


def _fits(span: Span, call: Mapping[str, Any]) -> bool:
    """Whether a function received the arguments of a call."""
    arguments = parsed(call.get("arguments"))
    match span.attributes.get(ENTITY_INPUT):
        case {"args": list(places), "kwargs": dict(names)} if places:
            given = [*places, *names.values()]
            return isinstance(arguments, dict) and given == list(arguments.values())
        case {"kwargs": dict(given)} | {"inputs": dict(given)}:
            return arguments == given
    return False


def is_named(span: Span, identity: str, parts: list[JsonValue]) -> bool:
    """Assign an id to the answer's first call of this tool without one; returns whether it exists.

    Calls of some models, such as Gemini's, have no ids.
    """
    name = span.attributes.get("gen_ai.tool.name")
    for at, part in enumerate(parts):
        if isinstance(part, dict) and part.get("type") == "tool_call" and not part.get("id"):
            function = as_object(part.get("function")) or part
            if name is not None and function.get("name") == name:
                parts[at] = {**part, "id": identity}
                return True
    return False


def result_of(span: Span, identity: str) -> dict[str, Any]:
    """The message with the result of a tool."""
    name = span.attributes.get("gen_ai.tool.name")
    result = span.attributes.get(RESULT, span.attributes.get(ENTITY_OUTPUT))
    error = span.error
    if error is None and span.attributes.get(ENTITY_STATUS) == "error":
        error = NO_MESSAGE
    says_more = error == NO_MESSAGE and isinstance(result, str) and result
    message: dict[str, Any] = {
        "role": "tool",
        "tool_call_id": identity,
        "function": name if isinstance(name, str) else "",
        "error": None if error is None else {"message": result if says_more else error},
    }
    if result is not None:
        message["content"] = result
    return message
