"""Lines of Claude Code's sessions, written by hand."""

from __future__ import annotations

from itertools import count
from typing import Any

SESSION = "5e55-a"
FOLDER = "/repo"

_numbers = count()


def line(kind: str, second: float, **fields: Any) -> dict[str, Any]:
    """Return a line of a session, at this second after ten o'clock."""
    return {
        "type": kind,
        "uuid": f"u{next(_numbers)}",
        "parentUuid": None,
        "sessionId": SESSION,
        "timestamp": f"2026-03-01T10:00:{second:06.3f}Z",
        "cwd": FOLDER,
        "version": "2.1.330",
        "isSidechain": False,
        **fields,
    }


def said(second: float, identity: str, *blocks: Any, **fields: Any) -> dict[str, Any]:
    """Return a line of a reply; blocks are text or calls."""
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    usage = fields.pop("usage", None)
    message = {"id": identity, "role": "assistant", "model": "m-1", "content": content}
    return line(
        "assistant", second, message=message | ({"usage": usage} if usage else {}), **fields
    )


def call(identity: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


def result(second: float, identity: str, content: Any, **fields: Any) -> dict[str, Any]:
    """Return a line with the result of a call."""
    block = {"type": "tool_result", "tool_use_id": identity, "content": content}
    if (is_error := fields.pop("is_error", None)) is not None:
        block["is_error"] = is_error
    return line("user", second, message={"role": "user", "content": [block]}, **fields)


def asked(second: float, text: str, **fields: Any) -> dict[str, Any]:
    return line("user", second, message={"role": "user", "content": text}, **fields)


def read_file(start: int, content: str, total: int, path: str = "/repo/a.py") -> dict[str, Any]:
    """Return the structured copy of what Read showed."""
    return {
        "type": "text",
        "file": {
            "filePath": path,
            "content": content,
            "numLines": content.count("\n") + 1,
            "startLine": start,
            "totalLines": total,
        },
    }


def used(fresh: int, output: int, read: int = 0, written: int = 0) -> dict[str, int]:
    """Tokens as Anthropic writes them."""
    return {
        "input_tokens": fresh,
        "output_tokens": output,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
    }
