"""Matches tool spans with the calls in an answer."""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import chain
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
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["Calls", "result_of"]

_METHOD = ".__call__"
"""What follows the name of a class in the names of spans of smolagents' tools."""


class Calls:
    """The calls of an answer that no span of a tool records yet, by the name of their tool."""

    def __init__(self, parts: list[JsonValue]) -> None:
        self._parts = parts
        self._waiting: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
        self._unidentified: dict[str, deque[int]] = defaultdict(deque)
        for at, part in enumerate(parts):
            if not isinstance(part, dict):
                continue
            name, identity = as_text(part.get("name")), as_text(part.get("id"))
            if name is not None and identity is not None:
                self._waiting[name][identity] = part
            if part.get("type") == "tool_call" and not part.get("id"):
                function = as_object(part.get("function")) or part
                if (name := as_text(function.get("name"))) is not None:
                    self._unidentified[name].append(at)

    def id_of(self, span: Span) -> str | None:
        """The id of the call that a tool span records, if known.

        Traceloop's decorators do not record ids: among the calls without a span, a span then
        matches the first call with the same name and arguments, or else the first with the same
        name. Spans that MLflow names after a class match by arguments alone.
        """
        identity = as_text(span.attributes.get("gen_ai.tool.call.id"))
        name = _name(span)
        if identity is not None or SPAN_KIND not in span.attributes or name is None:
            return identity
        waiting = self._waiting.get(name, {})
        first = next(iter(waiting), None)
        possible = self._waiting.values() if name.endswith(_METHOD) else (waiting,)
        calls = chain.from_iterable(each.items() for each in possible)
        return next((key for key, each in calls if _fits(span, each)), first)

    def take(self, identity: str) -> None:
        """Note that a span records the call with this id."""
        for waiting in self._waiting.values():
            waiting.pop(identity, None)

    def identify(self, span: Span, identity: str) -> bool:
        """Assign an id to the first call of this tool without one; returns whether it exists.

        Calls of some models, such as Gemini's, have no ids.
        """
        places = self._unidentified.get(_name(span) or "")
        if not places:
            return False
        at = places.popleft()
        part = as_object(self._parts[at]) or {}
        self._parts[at] = {**part, "id": identity}
        return True


def _name(span: Span) -> str | None:
    return as_text(span.attributes.get("gen_ai.tool.name"))


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
