"""Results of calls in messages of various programs: their values and errors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from trajmeter.readers.messages.shapes import TEXT_PARTS, dumped, kind_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["error_text", "plain", "result_value", "server_error", "shell_result"]

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


def server_error(result: Mapping[str, Any]) -> object:
    """The error of a result of Anthropic's own tools, which their programs tell by exit code."""
    if kind_of(result).endswith("_tool_result_error"):
        return result.get("error_code") or kind_of(result)
    code = result.get("return_code")
    return f"exit code {code}" if type(code) is int and code else None


def error_text(error: object) -> str:
    """The error of an item of OpenAI's: its message, or the text of what a server returned."""
    if type(error) is dict:
        reason = plain(error.get("message") or result_value(error.get("content")) or error)
        return reason if type(reason) is str else json.dumps(reason, ensure_ascii=False)
    return str(error)


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
            kind_of(content) in _FILES_ALONE or _is_binary(content) or _linked(content) is not None
        )
        return _part(content) if is_file else plain(content)
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
            return plain(part)
    if _is_binary(part):
        of = str(part.get("media_type")).partition("/")[0]
        return {"type": of if of in ("audio", "image", "video") else "file"}
    if (linked := _linked(part)) is not None:
        return {"type": linked}
    kind = kind_of(part)
    if kind in TEXT_PARTS and type(text := part.get("text")) is str:
        return {"type": "text", "text": text}
    if kind and any(key in part for key in _BYTES):
        return {"type": _WITHOUT_BYTES.get(kind, kind)}
    return plain(part)


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


def _linked(part: Mapping[str, Any]) -> str | None:
    """Kind of a pydantic-ai file that is a URL, which may hold its bytes; ``None`` for others."""
    kind = part.get("kind")
    return _LINKED.get(kind) if type(kind) is str and "url" in part else None


_LINKED = {
    "audio-url": "audio",
    "document-url": "file",
    "image-url": "image",
    "video-url": "video",
}


def plain(value: object) -> JsonValue:
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
