"""A handwritten sample of Inspect, in the forms that logs use."""

from __future__ import annotations

from typing import Any

SCRIPT = "x = 1\n" * 30
HEADER: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {
        "task": "mend",
        "model": "org/m",
        "created": "2026-01-02T03:04:05+00:00",
        "dataset": {"name": "defects"},
        "config": {},
    },
    "plan": {"steps": [{"solver": "react", "params": {}}]},
}
CALL = {"id": "c1", "function": "bash", "arguments": {"command": "cat a.py"}}
CALLED = {
    "role": "assistant",
    "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "I look."}],
    "tool_calls": [CALL],
    "model": "m",
}
SAID = {"role": "assistant", "content": "Done.", "model": "m"}
USAGE = {
    "input_tokens": 10,
    "output_tokens": 4,
    "total_tokens": 74,
    "input_tokens_cache_read": 60,
    "reasoning_tokens": 1,
    "total_cost": 0.5,
}


def answered(message: Any, at: int, **fields: Any) -> dict[str, Any]:
    output = {"model": "m", "choices": [{"message": message}], "usage": USAGE, "completion": ""}
    return {
        "event": "model",
        "span_id": "agent",
        "timestamp": f"2026-01-02T03:04:{at:02}.000000+00:00",
        "completed": f"2026-01-02T03:04:{at + 2:02}.500000+00:00",
        "output": output,
        **fields,
    }


def gave(result: Any, at: int, identity: str = "c1", **fields: Any) -> dict[str, Any]:
    return {
        "event": "tool",
        "span_id": "agent",
        "id": identity,
        "function": "bash",
        "result": result,
        "timestamp": f"2026-01-02T03:04:{at:02}+00:00",
        "completed": f"2026-01-02T03:04:{at + 1:02}+00:00",
        **fields,
    }


def begin(kind: str, name: str, own: str, parent: str | None = None) -> dict[str, Any]:
    return {"event": "span_begin", "type": kind, "name": name, "id": own, "parent_id": parent}


def ran(code: int, span: str = "tool-1") -> dict[str, Any]:
    return {"event": "sandbox", "action": "exec", "span_id": span, "cmd": "bash", "result": code}


def sample(**fields: Any) -> dict[str, Any]:
    """Return a sample whose conversation was cut to its last message; only events are complete."""
    return {
        "id": "task-7",
        "epoch": 2,
        "input": "Mend it.",
        "target": "",
        "messages": [{"role": "user", "content": "Mend it."}, SAID],
        "output": {"model": "m", "choices": [{"message": SAID}], "completion": "Done."},
        "scores": {"verify": {"value": "C", "explanation": "ok"}},
        "metadata": {"repo": "r", "api_key": "k"},
        "events": [
            begin("agent", "react", "agent"),
            answered(CALLED, 1),
            begin("tool", "bash", "tool-1", "agent"),
            gave("attachment://aa", 5),
            ran(0),
            answered(SAID, 10),
        ],
        "attachments": {"aa": SCRIPT},
        "model_usage": {"org/m": {**USAGE, "input_tokens": 20, "input_tokens_cache_read": 120}},
        "total_time": 12.5,
        **fields,
    }
