"""The shapes of messages in various programs: text, calls and results.

Each function takes a message or a part of one as a mapping and checks values rather than the
presence of keys: tables fill absent keys with null.
"""

from __future__ import annotations

import re
from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from trajmeter.records.openai_calls import parsed_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

__all__ = [
    "REASONING",
    "call_of",
    "called_in",
    "dumped",
    "identity_of",
    "item_call",
    "kind_of",
    "model_of",
    "result_value",
    "said",
    "server_error",
    "shell_result",
    "unwrapped",
]

REASONING = frozenset(
    {
        "reasoning",
        "thinking",
        "redacted_thinking",
        "reasoning_content",
        "encrypted_content",
        "summary_text",
    }
)
"""Types of parts that contain the model's reasoning rather than its answer."""

_SERVER_CALL_PARTS = frozenset(
    {"server_tool_use", "mcp_tool_use", "server_tool_call", "builtin-tool-call"}
)
"""Types of calls that the model's provider answers itself."""
_CALL_PARTS = _SERVER_CALL_PARTS | {"tool_use", "tool_call", "tool-call"}
_TEXT_PARTS = frozenset({"text", "output_text", "input_text"})

_WITHOUT_BYTES = {
    "image_url": "image",
    "input_image": "image",
    "output_image": "image",
    "input_audio": "audio",
    "input_file": "file",
    "document": "file",
    "computer_screenshot": "image",
}
_FILES_ALONE = _WITHOUT_BYTES.keys() - {"document"}
"""Types of results that are one file; a single document is just as often a search result."""

_UNPARSED = re.compile(r"arguments:\n\n(.*)\n\nError details:", re.DOTALL)
_INVALID = "INVALID_JSON"


def dumped(value: object) -> object:
    """Convert a program's object to a mapping; other values are returned unchanged."""
    if value is None or isinstance(value, (dict, str, type)):
        return value
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump()
    if is_dataclass(value):  # pydantic-ai's
        try:
            return to_jsonable_python(value, fallback=str, bytes_mode="base64")
        except ValueError:  # it contains itself, or invalid text
            return value
    return value


def identity_of(value: object) -> str | None:
    """The id of a call; ``None`` if absent, which some programs write as empty text."""
    if type(value) is int:
        return str(value)
    return value or None if type(value) is str else None


def unwrapped(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Unwrap a message from LangChain's envelope or OpenAI's response."""
    data = message.get("data")
    if type(data) is dict and "content" in data:
        return {"type": message.get("type"), **data}
    if message.get("lc") == 1 and type(message.get("kwargs")) is dict:
        kwargs: Mapping[str, Any] = message["kwargs"]
        return kwargs
    choices = message.get("choices")
    if message.get("role") is None and type(choices) is list and choices:
        choice = choices[0]
        answer = choice.get("message") if type(choice) is dict else None
        if type(answer) is dict:
            return {"usage": message.get("usage"), "model": message.get("model"), **answer}
    return message


def model_of(message: Mapping[str, Any]) -> str | None:
    """The model name in an answer."""
    model = message.get("model") or message.get("model_name")
    if model is None and type(about := message.get("response_metadata")) is dict:  # LangChain's
        model = about.get("model_name")
    return model if type(model) is str else None


def said(content: object) -> str | None:
    """The text of a message's content without reasoning; ``None`` if there is none."""
    if type(content) is str:
        return content or None
    if type(content) is not list:
        return None
    texts = [part if type(part) is str else _said_in(part) for part in content]
    return "".join([text for text in texts if text]) or None


def kind_of(part: Mapping[str, Any]) -> str:
    """The type of a message part; empty if it has none."""
    kind = part.get("type") or part.get("part_kind")
    return kind if type(kind) is str else ""


def _said_in(part: object) -> str | None:
    if type(part) is not dict:
        return None
    kind = kind_of(part)
    text: object = None
    if kind in _TEXT_PARTS:
        text = part.get("text")
        if text is None:
            text = part.get("content")
    elif kind == "refusal":
        text = part.get("refusal")
    return text if type(text) is str else None


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
    is_told = type(error) is str and error
    return {**call, "parse_error": error if is_told else "the arguments are not valid JSON"}


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
    got = call.get
    function = got("function")
    unread = got("parse_error")
    error = unread or got("error")
    if type(function) is dict:
        name, arguments = function.get("name"), function.get("arguments")
    elif type(function) is str:
        name, arguments = function, got("arguments")
    elif type(custom := got("custom")) is dict:
        name, arguments = custom.get("name"), _Text(custom.get("input"))
    else:
        name = got("name") or got("tool_name")
        arguments = next((call[key] for key in _ARGUMENTS if got(key) is not None), None)
        if type(space := got("namespace")) is str and type(name) is str:
            name = f"{space}.{name}"
    if type(name) is not str or not name:
        return None
    identity = got("tool_call_id") or got("call_id") or got("id")
    if type(error) is not str or not error:
        error = None
    elif not arguments:
        unparsed = _UNPARSED.search(error)
        arguments = unparsed[1] if unparsed else _Text("") if error == unread else None
    is_text = type(arguments) is str
    ran = _holds_result(call)
    return {
        "name": name,
        "arguments": parsed_arguments(arguments) if is_text else _arguments(arguments),
        "id": identity_of(identity),
        "result": result_value(given) if (given := got("result")) is not None and ran else None,
        "duration_seconds": None,
        "success": False if error is not None else True if ran else None,
        "error": error,
        "turn": None,
    }


_ARGUMENTS = ("arguments", "args", "input", "action")


class _Text:
    """Input of a tool that takes plain text, not to be parsed as JSON."""

    __slots__ = ("text",)

    def __init__(self, text: object) -> None:
        self.text = text


def _arguments(arguments: object) -> JsonValue:
    if type(arguments) is dict:
        if len(arguments) == 1 and type(invalid := arguments.get(_INVALID)) is str:
            return invalid
        return _plain(arguments)
    if type(arguments) is _Text:
        arguments = arguments.text
    return _plain(arguments)


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
        ours = ("id", "call_id", "type", "status", "name", "output", "outputs", "error", "results")
        arguments = {k: v for k, v in item.items() if k not in ours and v is not None}
    return call_of({"id": identity, "name": name, "arguments": arguments, "namespace": space})


def server_error(result: Mapping[str, Any]) -> object:
    """The error of a result of Anthropic's own tools, which their programs tell by exit code."""
    if kind_of(result).endswith("_tool_result_error"):
        return result.get("error_code") or kind_of(result)
    code = result.get("return_code")
    return f"exit code {code}" if type(code) is int and code else None


def shell_result(output: object) -> tuple[str, int | None] | None:
    """What OpenAI's shell printed, and its exit code; ``None`` if it is written otherwise."""
    if type(output) is not list or not output or not all(type(each) is dict for each in output):
        return None
    printed = [each.get(key) for each in output for key in ("stdout", "stderr")]
    outcomes = [each.get("outcome") for each in output]
    codes = [each.get("exit_code") if type(each) is dict else None for each in outcomes]
    if not all(type(text) is str for text in printed):
        return None
    failed = next((code for code in codes if code), None)
    code = failed if failed is not None or None in codes else 0
    return "".join(printed), code if type(code) is int else None


def result_value(content: object) -> JsonValue:
    """The result of a tool: text if it is only text, else parts without bytes."""
    if type(content) is str:
        return content
    if content is None:
        return ""
    if type(content) is not list:
        is_file = type(content) is dict and (
            kind_of(content) in _FILES_ALONE or _is_binary(content)
        )
        return _part(content) if is_file else _plain(content)
    parts = [_part(part) for part in content]
    texts = [
        part["text"] if type(part) is dict and part.keys() == _TEXT else part for part in parts
    ]
    if all(type(text) is str for text in texts):
        return "\n".join(texts)  # type: ignore[arg-type] # all are text
    return parts


_TEXT = {"type", "text"}


def _part(part: object) -> JsonValue:
    """A part of a result; images, sounds and files are reduced to their description."""
    if type(part) is not dict:
        part = dumped(part)
        if type(part) is not dict:
            return _plain(part)
    if _is_binary(part):
        of = str(part.get("media_type")).partition("/")[0]
        return {"type": of if of in ("audio", "image", "video") else "file"}
    kind = kind_of(part)
    if kind in _TEXT_PARTS and type(text := part.get("text")) is str:
        return {"type": "text", "text": text}
    if kind and any(key in part for key in _BYTES):
        return {"type": _WITHOUT_BYTES.get(kind, kind)}
    return _plain(part)


_BYTES = (
    "audio",
    "base64",
    "blob",
    "data",
    "file",
    "file_data",
    "image",
    "image_url",
    "input_audio",
    "source",
    "video",
)


def _is_binary(part: Mapping[str, Any]) -> bool:
    """Whether a part is a pydantic-ai file with its bytes."""
    return part.get("kind") == "binary" and "data" in part and "media_type" in part


def _plain(value: object) -> JsonValue:
    """Convert a value to JSON; unknown types become text."""
    try:
        if _is_plain(value):
            return value  # type: ignore[return-value] # as was just checked
        plain: JsonValue = to_jsonable_python(value, fallback=str)
    except (ValueError, RecursionError):  # bytes that are not text, or an object within itself
        try:
            return str(value)
        except RecursionError:
            return f"a {type(value).__name__} that is nested too deeply"
    return plain


def _is_plain(value: object) -> bool:
    kind = type(value)
    if kind is dict:
        return all(type(key) is str and _is_plain(each) for key, each in value.items())  # type: ignore[attr-defined] # a dict
    if kind is list:
        return all(map(_is_plain, value))  # type: ignore[call-overload] # a list
    return kind in _SCALARS


_SCALARS = frozenset({str, int, float, bool, type(None)})
