"""Calls in messages of various programs, as the fields of tool calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trajmeter.readers.messages.results import plain, result_value
from trajmeter.readers.messages.shapes import dumped, identity_of, kind_of
from trajmeter.records.openai_calls import parsed_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

__all__ = ["call_of", "called_in", "item_call"]

_SERVER_CALL_PARTS = frozenset(
    {"server_tool_use", "mcp_tool_use", "server_tool_call", "builtin-tool-call"}
)
"""Types of calls that the model's provider answers itself."""
_CALL_PARTS = _SERVER_CALL_PARTS | {"tool_use", "tool_call", "tool-call"}

_UNPARSED = re.compile(r"arguments:\n\n(.*)\n\nError details:", re.DOTALL)
_INVALID = "INVALID_JSON"


def called_in(message: Mapping[str, Any], content: object) -> Sequence[Any]:
    """The calls of a message, unconverted.

    Args:
        message: The message.
        content: Its content, or its parts if it has no content.
    """
    calls, invalid = message.get("tool_calls"), message.get("invalid_tool_calls")
    if calls and not invalid and type(calls) is list and type(content) is not list:
        return calls
    parts = [part for part in content if type(part) is dict] if type(content) is list else []
    if calls or invalid:
        found = [*_listed(calls), *map(_invalid, _listed(invalid))]
        apart = [part for part in parts if _is_apart(part)]
        if apart:
            known = {_id_of(each) for each in found} - {None}
            apart = [part for part in apart if _id_of(part) not in known]
        return apart + found
    old = message.get("function_call")
    if old is None and type(more := message.get("additional_kwargs")) is dict:  # LangChain's
        old = more.get("function_call")
    found = [{"function": old}] if type(old) is dict else []
    return found + [part for part in parts if kind_of(part) in _CALL_PARTS]


def _id_of(call: object) -> str | None:
    call = dumped(call)
    return identity_of(call.get("id")) if type(call) is dict else None


def _listed(calls: Any) -> Sequence[Any]:  # noqa: ANN401 - unconverted
    """Calls as a list; any other value is treated as a single call."""
    if isinstance(calls, (list, tuple)):
        return calls
    return [calls] if calls else ()


def _invalid(call: object) -> object:
    """A call whose arguments LangChain could not parse; the reason may be missing."""
    call = dumped(call)
    if type(call) is not dict:
        return call
    error = call.get("error")
    reason = error if type(error) is str and error else "the arguments are not valid JSON"
    return {**call, "parse_error": reason}


def _is_apart(part: Mapping[str, Any]) -> bool:
    """Whether a call among the content parts is not also listed next to the content."""
    kind = kind_of(part)
    return kind in _SERVER_CALL_PARTS or _holds_result(part)


def _holds_result(part: Mapping[str, Any]) -> bool:
    """Whether a call includes its result, as Inspect's provider-side calls do."""
    return type(part.get("tool_type")) is str and kind_of(part) == "tool_use"


def call_of(call: object) -> dict[str, Any] | None:
    """The fields of a :class:`~trajmeter.records.ToolCall`; ``None`` for a call without a name."""
    if type(call) is not dict:
        call = dumped(call)
        if type(call) is not dict:
            return None
    name, arguments = _name_and_arguments(call)
    if type(name) is not str or not name:
        return None
    got = call.get
    unread = got("parse_error")
    error = unread or got("error")
    if type(error) is not str or not error:
        error = None
    elif not arguments:
        unparsed = _UNPARSED.search(error)
        arguments = unparsed[1] if unparsed else _Text("") if error == unread else None
    is_text = type(arguments) is str
    ran = _holds_result(call)
    result = got("result") if ran else None
    return {
        "name": name,
        "arguments": _raw(parsed_arguments(arguments)) if is_text else _arguments(arguments),
        "id": identity_of(got("tool_call_id") or got("call_id") or got("id")),
        "result": None if result is None else result_value(result),
        "duration_seconds": None,
        "success": False if error is not None else True if ran else None,
        "error": error,
        "turn": None,
    }


def _name_and_arguments(call: Mapping[str, Any]) -> tuple[object, Any]:
    """Name and arguments of a call, unconverted."""
    got = call.get
    function = got("function")
    if type(function) is dict:
        return function.get("name"), function.get("arguments")
    if type(function) is str:
        return function, got("arguments")
    if type(custom := got("custom")) is dict:
        return custom.get("name"), _Text(custom.get("input"))
    name = got("name") or got("tool_name")
    arguments = next((call[key] for key in _ARGUMENTS if got(key) is not None), None)
    if type(space := got("namespace")) is str and type(name) is str:
        name = f"{space}.{name}"
    return name, arguments


_ARGUMENTS = ("arguments", "args", "input", "action")


class _Text:
    """Input of a tool that takes plain text, not to be parsed as JSON."""

    __slots__ = ("text",)

    def __init__(self, text: object) -> None:
        self.text = text


def _arguments(arguments: object) -> JsonValue:
    return plain(arguments.text if type(arguments) is _Text else _raw(arguments))


def _raw(arguments: Any) -> Any:  # noqa: ANN401 - of any type
    """The arguments as the model wrote them, if pydantic-ai wrapped them as not valid JSON."""
    if type(arguments) is dict and len(arguments) == 1:
        invalid = arguments.get(_INVALID)
        if type(invalid) is str:
            return invalid
    return arguments


_OURS = frozenset(
    {
        "call_id",
        "caller",
        "created_by",
        "error",
        "fingerprint",
        "id",
        "name",
        "output",
        "outputs",
        "results",
        "status",
        "type",
    }
)
"""Keys of an item that are not arguments of its call."""


def item_call(item: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    """The fields of a call that is a separate OpenAI Responses item."""
    identity = item.get("call_id") or item.get("id")
    if kind == "custom_tool_call":
        return call_of({"id": identity, "custom": item})
    if kind == "image_generation_call":
        item = {key: value for key, value in item.items() if key != "result"}
    name = item.get("name") or kind.removesuffix("_call")
    space = item.get("namespace") or item.get("server_label")
    arguments = item.get("arguments")
    if arguments is None:
        arguments = item.get("action")
    if arguments is None:
        arguments = {k: v for k, v in item.items() if k not in _OURS and v is not None}
    return call_of({"id": identity, "name": name, "arguments": arguments, "namespace": space})
