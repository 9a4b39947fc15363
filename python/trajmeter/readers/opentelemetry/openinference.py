"""Renames the attributes of OpenInference, which Arize Phoenix shows, to those of the conventions.

Lists are attributes for each field, such as ``llm.output_messages.0.message.role``. Phoenix also
exports them as lists of objects, and nests other attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers._logs.values import as_list, as_mapping, as_text
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.opentelemetry.answers import answer_of
from trajmeter.readers.opentelemetry.tool_runs import FINAL, final_text, tool_run
from trajmeter.readers.opentelemetry.values import parsed, structured

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.records import Usage

__all__ = ["KIND", "MESSAGES", "Described", "described"]

KIND = "openinference.span.kind"
"""What a span is: of a model, a tool, an agent, or another part of the program."""
_NESTED = "openinference"
_SENT, _ANSWERED = "llm.input_messages", "llm.output_messages"
MESSAGES = frozenset({_SENT, _ANSWERED})
"""Lists of the messages that a model was sent, and of those that it answered."""

_OPERATIONS = {"LLM": "chat", "TOOL": "execute_tool", "AGENT": "invoke_agent"}
_OTHER = "task"
_OF_AGENTS = ("agent.name", "graph.node.id", "input.value", "output.value")
_RUN = ".run"
"""What follows the name of an agent in the names of the spans of smolagents."""
_MODELS = ("model", "model_name")
_UNREAD = (
    "embedding.",
    "input.",
    "llm.choices.",
    "llm.input_messages.",
    "llm.invocation_parameters",
    "llm.output_messages.",
    "llm.prompt",
    "llm.tools.",
    "metadata",
    "output.",
    "reranker.",
    "retrieval.",
    "tool.",
)
"""Beginnings of the names of attributes that are not needed once a span is described."""
_HIDDEN = "__REDACTED__"
"""What replaces a value that was not to be recorded."""
# No trace has more messages than nine digits allow, and `int` accepts them.
_MOST_DIGITS = 9


class Described(NamedTuple):
    """What a span is, in terms of the conventions."""

    operation: str
    """The operation."""
    attributes: dict[str, JsonValue]
    """Its attributes; those of the conventions that it had already are unchanged."""
    has_failed: bool = False
    """Whether the message of a tool says that it failed."""
    task: str | None = None
    """The task that its metadata names."""
    usage: Usage | None = None
    """Usage of a model call, if it is not in the attributes."""


def described(attributes: Mapping[str, JsonValue], name: str, *, is_root: bool) -> Described | None:
    """Describe a span by the conventions; ``None`` if it does not follow OpenInference.

    Args:
        attributes: Its attributes.
        name: Its name.
        is_root: Whether it is the root of its trace.
    """
    if KIND not in attributes and _NESTED not in attributes:
        return None
    given = {key: each for key, each in _flat(attributes) if each not in (None, _HIDDEN)}
    kind = as_text(given.get(KIND))
    if kind is None:
        return None
    operation = _OPERATIONS.get(kind.upper(), _OTHER)
    has_failed = False
    own: dict[str, JsonValue] = {}
    if operation == "chat":
        own = _call_of_model(given)
    elif operation == "execute_tool":
        identity = identity_of(given.get("tool.id")) or identity_of(given.get("tool_call.id"))
        tool = as_text(given.get("tool.name")) or name
        run = tool_run(tool, given.get("input.value"), given.get("output.value"), identity)
        own, has_failed = run.attributes, run.has_failed
    elif operation == "invoke_agent" and not any(key in given for key in _OF_AGENTS):
        operation = _OTHER  # what surrounds a whole trace of openai-agents, which never fails
    elif is_root and operation == _OTHER:
        operation = "invoke_workflow"
    if operation.startswith("invoke_"):
        agent = name.removesuffix(_RUN) if name.endswith(_RUN) else None
        own = {"gen_ai.agent.name": given.get("agent.name") or agent}
        if is_root:
            output = final_text(given.get("output.value"))
            own |= {"gen_ai.workflow.name": name, FINAL: output}
    metadata = as_mapping(parsed(given.get("metadata")))
    kept = {key: each for key, each in given.items() if not key.startswith(_UNREAD)}
    known = {key: each for key, each in own.items() if each is not None}
    return Described(
        operation,
        {**known, **kept},
        has_failed,
        identity_of(metadata.get("task_id")) or identity_of(given.get("metadata.task_id")),
    )


def _flat(attributes: Mapping[str, JsonValue]) -> Iterator[tuple[str, JsonValue]]:
    """The attributes without nesting, as the conventions write them."""
    waiting = [*attributes.items()][::-1]
    while waiting:
        name, value = waiting.pop()
        inner: list[tuple[str, JsonValue]] | None = None
        if isinstance(value, dict):
            inner = [*value.items()]
        elif isinstance(value, list) and any(isinstance(each, dict) for each in value):
            inner = [(str(at), each) for at, each in enumerate(value)]
        is_given = name in attributes or isinstance(value, list)
        if inner is None or (is_given and name.startswith("gen_ai.")):
            yield name, value
        else:
            waiting += [(f"{name}.{key}", each) for key, each in reversed(inner)]


def _indexed(fields: Mapping[str, JsonValue], name: str) -> list[dict[str, JsonValue]]:
    """The objects of a list, in the order of their indices."""
    found: dict[int, dict[str, JsonValue]] = {}
    begin = f"{name}."
    for key, value in fields.items():
        if key.startswith(begin):
            index, _, field = key[len(begin) :].partition(".")
            if index.isascii() and index.isdecimal() and len(index) <= _MOST_DIGITS:
                found.setdefault(int(index), {})[field] = value
    return [each for _, each in sorted(found.items())]


def _call_of_model(given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The call of a model: what was sent and answered, and the model."""
    settings = as_mapping(parsed(given.get("llm.invocation_parameters")))
    models = (given.get("llm.request.model_name"), *(settings.get(each) for each in _MODELS))
    reason = as_text(given.get("llm.finish_reason"))
    return {
        "gen_ai.request.model": next((model for each in models if (model := as_text(each))), None),
        "gen_ai.response.model": as_text(given.get("llm.model_name")),
        "gen_ai.response.finish_reasons": None if reason is None else [reason],
        "gen_ai.input.messages": [*map(_message, _indexed(given, _SENT))],
        "gen_ai.output.messages": _answers(given),
    }


def _answers(given: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The model's answer: its messages, its first completion, or else the span's output."""
    if messages := _indexed(given, _ANSWERED):
        return [*map(_message, messages)]
    for choice in _indexed(given, "llm.choices")[:1]:
        return [{"role": "assistant", "content": choice.get("completion.text")}]
    return [{"role": "assistant", "parts": answer_of(given.get("output.value")).parts}]


def _message(fields: Mapping[str, JsonValue]) -> JsonValue:
    """A message with the names of the conventions and of OpenAI."""
    parts = [*map(_part, _indexed(fields, "message.contents"))]
    texts = [each["content"] for each in parts if each["type"] == "text" and each["content"]]
    calls = [
        {
            "id": each.get("tool_call.id"),
            "name": each.get("tool_call.function.name"),
            "arguments": each.get("tool_call.function.arguments"),
        }
        for each in _indexed(fields, "message.tool_calls")
    ]
    if not calls and (name := as_text(fields.get("message.function_call_name"))):
        arguments = fields.get("message.function_call_arguments_json")
        calls = [{"id": None, "name": name, "arguments": arguments}]
    if not calls:
        calls = [each for each in parts if each["type"] == "tool_call"]
    role, content = fields.get("message.role"), fields.get("message.content")
    if texts:
        content = "".join(each for each in texts if isinstance(each, str))
    return {
        "role": role if isinstance(role, str) else "assistant",
        "content": _result(content) if role == "tool" else content,
        "tool_calls": [*as_list(calls)],
        "tool_call_id": fields.get("message.tool_call_id"),
    }


def _result(content: JsonValue) -> JsonValue:
    """The result of a tool; Anthropic's parts of text were written as JSON."""
    parts = as_list(structured(content))
    are_texts = all(isinstance(each, dict) and each.get("type") == "text" for each in parts)
    return [*parts] if parts and are_texts else content


def _part(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A part of a message: a text, a call, or another one, such as reasoning or an image."""
    name = as_text(fields.get("tool_call.function.name"))
    if name is not None:
        return {
            "type": "tool_call",
            "id": fields.get("tool_call.id"),
            "name": name,
            "arguments": fields.get("tool_call.function.arguments"),
        }
    kind = fields.get("message_content.type", "text")
    return {"type": kind, "content": fields.get("message_content.text")}
