"""Runs of mini-swe-agent 2: one JSON object of messages in their provider's shape, and ``extra``.

Each answer of the model is a turn, with the actions that its ``extra`` lists and the observations
up to the next answer. A format error leaves no answer, only a user message whose ``extra`` says so
and holds the usage of the call; it is a failed turn of its own.

The files that a turn's commands show are its views, by the same rules as for version 1
(:mod:`trajmeter.readers.mini_swe_agent.views`); no final context is declared.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from trajmeter.readers._formats import Evidence, RecordFormat
from trajmeter.readers.mini_swe_agent.run import (
    Message,
    run_fields,
    seconds_between,
    text_of,
    usage_of,
    validated,
)
from trajmeter.readers.mini_swe_agent.views import repository_of, views_shown
from trajmeter.records import Failure, ToolCall, Trajectory

if TYPE_CHECKING:
    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["VERSION_2"]


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    version = record.get("trajectory_format")
    is_known = isinstance(version, str) and version.startswith("mini-swe-agent-1.")
    return Evidence.DECLARED if is_known else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Turn a run into a trajectory.

    Raises:
        pydantic.ValidationError: A value has the wrong type.
    """
    run = validated(record)
    messages = run["messages"]
    repository = repository_of(run)
    starts = [n for n, message in enumerate(messages) if _begins_turn(message)]
    turns = []
    for number, (start, end) in enumerate(pairwise([*starts, len(messages)]), start=1):
        before = messages[start - 1] if start else {}
        turn = _turn(before, messages[start], messages[start + 1 : end], repository)
        turns.append({"number": number, **turn})
    return Trajectory.model_validate({**run_fields(run, source), "turns": turns})


def _begins_turn(message: Message) -> bool:
    is_answer = message.get("role") == "assistant" or message.get("object") == "response"
    return is_answer or "interrupt_type" in _extra(message)


def _turn(
    before: Message, message: Message, after: list[Message], repository: str | None
) -> dict[str, Any]:
    extra = _extra(message)
    commands = _commands(extra.get("actions"))
    calls = [
        _call(command, observed)
        for (command, _), observed in zip(commands, _observed(commands, after), strict=True)
    ]
    interrupt = extra.get("interrupt_type")
    failed = next((call for call in calls if call.success is False), None)
    error: Failure | None = None
    if isinstance(interrupt, str):
        error = Failure(reason=interrupt, message=text_of(message) or None)
    elif failed is not None:
        error = Failure(reason="exit_code", message=failed.error)
    is_known = bool(calls) and all(call.success is not None for call in calls)
    observations = [message, *(other for other in after if other.get("role") != "exit")]
    return {
        "program": "\n".join(command for command, _ in commands) if commands else None,
        "success": False if error else (True if is_known else None),
        "error": error,
        "tool_calls": calls,
        "views": views_shown((command for command, _ in commands), repository),
        "usage": usage_of(extra),
        "duration_seconds": seconds_between(before, observations[-1]),
    }


def _commands(actions: JsonValue) -> list[tuple[str, JsonValue]]:
    """The commands of a turn, each with the id that its observation carries."""
    return [
        (command, action.get("tool_call_id"))
        for action in (actions if isinstance(actions, list) else ())
        if isinstance(action, dict) and isinstance(command := action.get("command"), str)
    ]


def _observed(
    commands: list[tuple[str, JsonValue]], after: list[Message]
) -> list[Mapping[str, JsonValue]]:
    """What was recorded for each command, found by its id, else by its position."""
    found = [message for message in after if "returncode" in _extra(message)]
    observed: list[Mapping[str, JsonValue]] = []
    for position, (_, identity) in enumerate(commands):
        same = [m for m in found if identity in (m.get("tool_call_id"), m.get("call_id"))]
        matches = found[position : position + 1] if identity is None else same
        observed.append(_extra(matches[0]) if matches else {})
    return observed


def _call(command: str, observed: Mapping[str, JsonValue]) -> ToolCall:
    code, exception = observed.get("returncode"), observed.get("exception_info")
    success = code == 0 if isinstance(code, int) else None
    error = None
    if success is False:
        error = exception if isinstance(exception, str) else f"exit code {code}"
    return ToolCall(name="bash", arguments={"command": command}, success=success, error=error)


def _extra(message: Message) -> Mapping[str, JsonValue]:
    extra = message.get("extra")
    return extra if isinstance(extra, Mapping) else {}


VERSION_2 = RecordFormat(
    name="mini-swe-agent-2",
    description="runs of mini-swe-agent 2",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "turns.program",
        "turns.number",
        "turns.success",
        "turns.error",
        "turns.tool_calls.name",
        "turns.tool_calls.arguments",
        "turns.tool_calls.success",
        "turns.tool_calls.error",
        "turns.views",
        "turns.usage",
        "turns.duration_seconds",
        "final_patch",
        "usage.cost_usd",
        "duration_seconds",
        "failure",
        "extra",
    ),
    origin="mini-swe-agent 2",
    keys=frozenset({"trajectory_format"}),
    recognises=_recognises,
    read=_read,
)
