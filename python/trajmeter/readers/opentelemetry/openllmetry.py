"""Renames the attributes of OpenLLMetry and Traceloop to those of the conventions.

Up to 0.53, each field of a message was an attribute, such as ``gen_ai.completion.0.content``; 0.62
writes ``gen_ai.output.messages``. Traceloop's decorators write ``traceloop.entity.*`` in both.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_text
from trajmeter.readers.opentelemetry.values import parsed

if TYPE_CHECKING:
    from pydantic import JsonValue

__all__ = ["ENTITY_INPUT", "ENTITY_OUTPUT", "ENTITY_STATUS", "SPAN_KIND", "conventional"]

SPAN_KIND = "traceloop.span.kind"
"""Whether a span is a workflow, an agent, a task or a tool."""
ENTITY_INPUT = "traceloop.entity.input"
"""The positional and named arguments of a function."""
ENTITY_OUTPUT = "traceloop.entity.output"
"""The return value of the function."""
ENTITY_STATUS = "traceloop.entity.status"
"""Whether LangChain's tool failed: our own name, for what is a part of its return value."""

_KINDS = {
    "workflow": "invoke_workflow",
    "agent": "invoke_agent",
    "task": "task",
    "tool": "execute_tool",
}
_REQUESTS = {"chat": "chat", "completion": "text_completion"}

# No trace has more messages than nine digits allow, and `int` accepts them.
_INDEXED = re.compile(
    r"gen_ai\.(prompt|completion)\.([0-9]{1,9})\.(?:tool_calls\.([0-9]{1,9})\.)?([a-z_]+)"
)
_EMPTY = '""'
"""Empty text as written by LangChain's instrumentation."""
_PREFIXES = ("gen_ai.prompt.", "gen_ai.completion.", "llm.request.functions.")


def conventional(attributes: dict[str, JsonValue]) -> str | None:
    """Rename the attributes in place.

    Returns:
        The operation, if the span names it in its own terms.
    """
    messages = _messages(attributes)
    if prompt := messages.get("prompt"):
        attributes.setdefault("gen_ai.input.messages", [*prompt])
    if completion := messages.get("completion"):
        attributes.setdefault("gen_ai.output.messages", [*completion])
        reasons = [each["finish_reason"] for each in completion if each.get("finish_reason")]
        if reasons:
            attributes.setdefault("gen_ai.response.finish_reasons", reasons)
    kind = as_text(attributes.get(SPAN_KIND))
    name = attributes.get("traceloop.entity.name")
    if kind == "tool":
        _name_tool(attributes, name)
    else:
        attributes.pop(ENTITY_INPUT, None)
        attributes.pop(ENTITY_OUTPUT, None)
    if kind == "agent":
        attributes.setdefault("gen_ai.agent.name", name)
    request = as_text(attributes.get("llm.request.type"))
    return _REQUESTS.get(request or "") or _KINDS.get(kind or "")


def _messages(attributes: dict[str, JsonValue]) -> dict[str, list[dict[str, Any]]]:
    """Remove indexed messages from the attributes, and return them in order of their indices."""
    fields: dict[str, dict[int, dict[str, Any]]] = {}
    calls: dict[tuple[str, int], dict[int, dict[str, Any]]] = {}
    for name in [each for each in attributes if each.startswith(_PREFIXES)]:
        value = attributes.pop(name)
        match = _INDEXED.fullmatch(name)
        if match is None or value == _EMPTY:
            continue
        kind, index = match[1], int(match[2])
        message = fields.setdefault(kind, {}).setdefault(index, {})
        if match[3] is None:
            message[match[4]] = value
        else:
            call = calls.setdefault((kind, index), {}).setdefault(int(match[3]), {})
            call[match[4]] = value
    for (kind, index), each in calls.items():
        fields[kind][index]["tool_calls"] = [call for _, call in sorted(each.items())]
    return {kind: [each for _, each in sorted(found.items())] for kind, found in fields.items()}


def _name_tool(attributes: dict[str, JsonValue], name: JsonValue) -> None:
    attributes.setdefault("gen_ai.tool.name", name)
    if ENTITY_INPUT in attributes:
        attributes[ENTITY_INPUT] = given = parsed(attributes[ENTITY_INPUT])
        # LangChain's instrumentation writes the same under both names.
        attributes.pop("gen_ai.tool.call.arguments", None)
        match given:
            case {"args": [], "kwargs": dict(arguments)} | {"inputs": dict(arguments)}:
                attributes["gen_ai.tool.call.arguments"] = arguments
    if ENTITY_OUTPUT in attributes:
        attributes.pop("gen_ai.tool.call.result", None)
        output = parsed(attributes[ENTITY_OUTPUT])
        if isinstance(output, dict) and output.keys() == {"output", "kwargs"}:  # LangChain's
            output = output["output"]
        match output:
            case {"lc": 1, "kwargs": {"tool_call_id": str(identity), "content": content, **more}}:
                attributes.setdefault("gen_ai.tool.call.id", identity)
                attributes[ENTITY_STATUS] = as_text(more.get("status"))
                output = content
        attributes[ENTITY_OUTPUT] = output
