"""Distinguishes messages from other values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._recognition.formats import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["evidence_in", "is_message"]

_ROLES = frozenset(
    {"assistant", "developer", "function", "model", "system", "tool", "user", "ai", "human"}
)
_CONTENTS = ("content", "parts", "tool_calls", "function_call")
_LANGCHAIN = frozenset({"ai", "chat", "function", "human", "remove", "system", "tool"})
_ITEMS = {
    "additional_tools": "tools",
    "compaction": "encrypted_content",
    "mcp_approval_request": "server_label",
    "mcp_approval_response": "approval_request_id",
    "mcp_list_tools": "server_label",
    "program": "fingerprint",
    "program_output": "call_id",
    "tool_search_output": "tools",
}
"""Items of OpenAI's API by type, with a key that each has."""
_FEW = 5
"""Number of values at the start of a list, most of which must be messages."""


def is_message(value: object) -> bool:
    """Whether a value has the shape of a message, or of an item or answer of OpenAI's API."""
    return isinstance(value, dict) and (_is_own_item(value) or _is_message(value))


def _is_own_item(value: Mapping[str, object]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and _ITEMS.get(kind) in value


def _is_message(value: Mapping[str, object]) -> bool:
    match value:
        case {"role": str(role)}:
            has_content = any(key in value for key in _CONTENTS)
            return role in _ROLES and has_content and not _has_untyped_parts(value)
        case {"lc": 1, "kwargs": dict()} | {"kind": "request" | "response", "parts": list()}:
            return True
        case (
            {"type": "reasoning", "summary": list()}
            | {"object": "chat.completion", "choices": list()}
            | {"object": "response", "output": list()}
        ):
            return True
        case {"type": str(kind)} if kind in _LANGCHAIN:
            return isinstance(value.get("data"), dict) or "content" in value
        case {"type": str(kind)}:
            is_item = kind.endswith(("_call", "_call_output"))
            return is_item and ("call_id" in value or "id" in value)
    return False


def _has_untyped_parts(value: Mapping[str, object]) -> bool:
    """Whether it has parts of unnamed types, as in the contents of Gemini, which are not read."""
    parts = value.get("parts")
    first = parts[0] if isinstance(parts, list) and parts else None
    is_typed = not isinstance(first, dict) or "type" in first or "part_kind" in first
    return not is_typed and "content" not in value


def evidence_in(values: Sequence[object]) -> Evidence | None:
    """Evidence from the first messages; other values among them may indicate another format."""
    first = values[:_FEW]
    messages = sum(map(is_message, first))
    if 2 * messages <= len(first):
        return None
    return Evidence.LIKELY if messages == len(first) else Evidence.POSSIBLE
