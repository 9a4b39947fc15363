"""The shapes of messages in various programs: their envelopes, text and kinds of parts.

Each function takes a message or a part of one as a mapping and checks values rather than the
presence of keys: tables fill absent keys with null.
"""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "REASONING",
    "TEXT_PARTS",
    "content_text",
    "dumped",
    "identity_of",
    "kind_of",
    "model_of",
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
TEXT_PARTS = frozenset({"text", "output_text", "input_text"})


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


def content_text(content: object) -> str | None:
    """The text of a message's content without reasoning; ``None`` if there is none."""
    if type(content) is str:
        return content or None
    if type(content) is not list:
        return None
    texts = [part if type(part) is str else _part_text(part) for part in content]
    return "".join([text for text in texts if text]) or None


def kind_of(part: Mapping[str, Any]) -> str:
    """The type of a message part; empty if it has none."""
    kind = part.get("type") or part.get("part_kind")
    return kind if type(kind) is str else ""


def _part_text(part: object) -> str | None:
    if type(part) is not dict:
        return None
    kind = kind_of(part)
    text: object = None
    if kind in TEXT_PARTS:
        text = part.get("text")
        if text is None:
            text = part.get("content")
    elif kind == "refusal":
        text = part.get("refusal")
    return text if type(text) is str else None
