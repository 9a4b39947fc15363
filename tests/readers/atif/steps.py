"""Trajectories in ATIF, written by hand."""

from __future__ import annotations

from typing import Any


def step(number: int, message: Any = "", source: str = "agent", **fields: Any) -> dict[str, Any]:
    time = f"2026-03-01T10:00:{number:02d}Z"
    return {"step_id": number, "timestamp": time, "source": source, "message": message, **fields}


def called(identity: str | None, name: str, **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": identity, "function_name": name, "arguments": arguments}


def observed(*results: dict[str, Any]) -> dict[str, Any]:
    return {"observation": {"results": [*results]}}


def answer(identity: str | None, content: Any, **extra: Any) -> dict[str, Any]:
    result = {"content": content} | ({"source_call_id": identity} if identity else {})
    return result | ({"extra": extra} if extra else {})


def trajectory(*steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.6",
        "session_id": "s1",
        "agent": {"name": "wren", "version": "0.1", "model_name": "org/model"},
        "steps": [*steps],
        **fields,
    }
