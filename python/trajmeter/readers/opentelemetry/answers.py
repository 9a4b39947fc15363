"""Answers of models in the shapes of their programs, as parts of a message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.readers._logs.values import as_list, as_mapping, as_object, as_text
from trajmeter.readers.messages.calls import call_of, called_in, item_call
from trajmeter.readers.messages.shapes import REASONING, content_text, kind_of, model_of, unwrapped
from trajmeter.readers.messages.usage import message_usage
from trajmeter.readers.opentelemetry.values import structured
from trajmeter.records import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

__all__ = ["Answer", "answer_of", "sent_messages", "with_cost"]

_CONTENTS = ("content", "parts", "tool_calls", "invalid_tool_calls", "function_call", "refusal")
_WRAPPERS = ("messages", "message", "output")
_BESIDE_TEXT = frozenset({"output", "model", "usage", "usage_metadata"})
"""Keys of a wrapper of plain text."""
_ROLES = {"ai": "assistant", "AIMessageChunk": "assistant", "model": "assistant", "human": "user"}
_ANSWERS = frozenset({"assistant", "reasoning"})


class Answer(NamedTuple):
    """What a model returned."""

    parts: list[JsonValue]
    """Its text and its calls."""
    usage: Usage | None
    """Usage recorded in it."""
    model: str | None
    """The model that it names."""
    finish_reason: str | None
    """Why it ended."""

    def attributes(self) -> dict[str, JsonValue]:
        """Attributes by the conventions; those that are not known are ``None``."""
        reasons: list[JsonValue] | None = None
        if self.finish_reason is not None:
            reasons = [self.finish_reason]
        return {
            "gen_ai.output.messages": [{"role": "assistant", "parts": self.parts}],
            "gen_ai.response.model": self.model,
            "gen_ai.response.finish_reasons": reasons,
        }


def answer_of(output: JsonValue) -> Answer:
    """Find the answer in the output of a model call, which may be JSON text.

    Objects of unknown shapes become their JSON text.
    """
    around: list[Mapping[str, Any]] = []
    parts = _parts(structured(output), around)
    if parts is None:
        is_text = isinstance(output, str)
        parts = [_text(str(output) if is_text else json.dumps(output, ensure_ascii=False))]
        around = []
    inner = around[::-1]
    return Answer(
        parts,
        next((usage for each in inner if (usage := message_usage(each))), None),
        next((model for each in inner if (model := model_of(each))), None),
        next((reason for each in inner if (reason := _finish_reason(each))), None),
    )


def _parts(value: JsonValue, around: list[Mapping[str, Any]]) -> list[JsonValue] | None:
    """The parts of an answer, with the objects around them; ``None`` for an unknown shape."""
    if isinstance(value, str):
        return [_text(value)] if value else []
    if isinstance(value, list):
        return _listed(value, around)
    if isinstance(value, dict):
        around.append(value)
        return _generated(value, around) if "generations" in value else _opened(value, around)
    return [] if value is None else None


def _opened(value: Mapping[str, Any], around: list[Mapping[str, Any]]) -> list[JsonValue] | None:
    """The parts of a message, an item or a response."""
    message = unwrapped(value)
    if message is not value:
        around.append(message)
    kind = kind_of(message)
    if kind.endswith("_call") and kind != "tool_call":
        return [_call(item_call(message, kind), message)]
    if kind not in REASONING and any(message.get(key) is not None for key in _CONTENTS):
        return _parts_of(message)
    if kind in REASONING:
        return []
    choices = as_list(message.get("choices"))
    inner = [message.get(key) for key in _WRAPPERS] + [
        as_mapping(each).get("text") for each in choices
    ]
    first = next((each for each in inner if each is not None), None)
    if isinstance(first, str) and not choices and message.keys() - _BESIDE_TEXT:
        return None  # a structured answer
    if first is not None:
        return _parts(first, around)
    is_empty = message.get("role") is not None or all(each is None for each in message.values())
    return [] if is_empty else None


def _listed(values: Sequence[Any], around: list[Mapping[str, Any]]) -> list[JsonValue] | None:
    """The parts of a list of messages, of items or of parts: those after the last input."""
    others = (at for at, each in enumerate(values) if _role(each) not in _ANSWERS)
    parts: list[JsonValue] = []
    for each in values[max(others, default=-1) + 1 :]:
        is_part = isinstance(each, dict) and each.get("role") is None and _is_part(kind_of(each))
        found = _parts_of({"content": [each]}) if is_part else _parts(each, around)
        if found is None:
            return None
        parts += found
    return parts


def _is_part(kind: str) -> bool:
    is_call = kind in ("tool_use", "tool_call", "server_tool_use", "mcp_tool_use")
    return is_call or kind in ("text", "output_text", "refusal") or kind.endswith("tool_result")


def _generated(value: Mapping[str, Any], around: list[Mapping[str, Any]]) -> list[JsonValue] | None:
    """The first of the generations in a result of LangChain."""
    about = as_mapping(value.get("llm_output"))
    around.append({"usage": about.get("token_usage"), "model": about.get("model_name")})
    generation: Any = value["generations"]
    while isinstance(generation, list):
        generation = generation[0] if generation else None
    if not isinstance(generation, dict):
        return []
    around.append(as_mapping(generation.get("generation_info")))
    message = as_object(generation.get("message"))
    return _parts(as_text(generation.get("text")) if message is None else message, around)


def _parts_of(message: Mapping[str, Any]) -> list[JsonValue]:
    content = message.get("content")
    if content is None:
        content = message.get("parts")
    text = content_text(content) or as_text(message.get("refusal"))
    calls = [_call(call_of(each), each) for each in called_in(message, content)]
    results = [each for each in as_list(content) if kind_of(as_mapping(each)).endswith("_result")]
    return [*([] if text is None else [_text(text)]), *calls, *results]


def _text(text: str) -> JsonValue:
    return {"type": "text", "content": text}


def _call(call: Mapping[str, Any] | None, given: object) -> JsonValue:
    """A call as a part; one without a name is kept, and counted when the message is read."""
    if call is None:
        return {**as_mapping(given), "type": "tool_call"}
    part = {key: call[key] for key in ("id", "name", "arguments")}
    if call["error"] is not None:
        part["parse_error"] = call["error"]
    return {"type": "tool_call", **part}


def _finish_reason(message: Mapping[str, Any]) -> str | None:
    choices = as_list(message.get("choices"))
    places = (message, as_mapping(message.get("response_metadata")), *map(as_mapping, choices[:1]))
    reasons = (place.get(key) for place in places for key in ("finish_reason", "stop_reason"))
    return next((each for each in reasons if isinstance(each, str) and each), None)


def sent_messages(value: JsonValue) -> list[JsonValue]:
    """The messages in the input of a model call, with OpenAI's roles and ids of calls."""
    value = structured(value)
    while isinstance(value, dict):
        inner = value.get("messages")
        value = value.get("input") if inner is None else inner
    while isinstance(value, list) and value and isinstance(value[0], list):
        value = value[0]  # LangChain's, for a batch of one
    messages: list[JsonValue] = []
    for each in as_list(value):
        if isinstance(each, dict):
            message = unwrapped(each)
            identity = message.get("tool_call_id") or message.get("call_id")
            content = message.get("content")
            if content is None:
                content = message.get("output")
            about = {"content": content, "tool_call_id": identity}
            messages.append({**message, **about, "role": _role(each)})
    return messages


def _role(value: object) -> str:
    """The role of a message or of an item; the model's if it has none."""
    if not isinstance(value, dict):
        return "assistant"
    message = unwrapped(value)
    role, kind = message.get("role"), kind_of(message)
    if isinstance(role, str):
        return _ROLES.get(role, role)
    if kind.endswith("_call_output"):
        return "tool"
    if kind in ("human", "system", "tool", "function", "developer", "user"):
        return _ROLES.get(kind, kind)
    return "assistant"


def with_cost(usage: Usage | None, cost: float | None) -> Usage | None:
    """Usage with a cost recorded beside it, unless it has one."""
    if cost is None or (usage is not None and usage.cost_usd is not None):
        return usage
    return (usage or Usage()).model_copy(update={"cost_usd": cost})
