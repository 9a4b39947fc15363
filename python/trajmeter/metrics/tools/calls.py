"""Calls made ready to be matched: names, arguments read once, and codes for equal calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trajmeter.metrics.tools.arguments import Malformed, arguments_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics.tools.arguments import Arguments, JsonKey
    from trajmeter.records import ToolCall

__all__ = ["Call", "read_calls", "steps"]


class Call(NamedTuple):
    """One call, or one step of another kind."""

    name: str
    """Name of the tool, or the step itself."""
    arguments: Arguments
    """Arguments; empty where they are malformed."""
    key: JsonKey
    """Equal for calls whose arguments are equal as JSON."""
    malformed: str | None = None
    """Why the arguments are no JSON object; such a call matches nothing."""


def read_calls(calls: Sequence[ToolCall]) -> list[Call]:
    """Read the arguments of every call."""
    return [_read(call) for call in calls]


def steps(names: Sequence[str]) -> list[Call]:
    """Make calls without arguments of steps of any kind: files, nodes, agents."""
    return [Call(name, {}, None) for name in names]


def _read(call: ToolCall) -> Call:
    read = arguments_key(call.arguments)
    if isinstance(read, Malformed):
        return Call(call.name, {}, None, read.reason)
    arguments, key = read
    return Call(call.name, arguments, key)
