"""Results of tau-bench, the benchmark before tau2-bench: attempts at serving a simulated user.

A results file is a list of attempts. The user's messages are the only trace of the simulated user.
Agents that call tools without an API for it (strategies ``act`` and ``react``) write their calls in
their text, and receive results in messages of the user.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._logs.values import as_number
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES, fields_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

__all__ = ["TAU_BENCH_RESULTS"]

_KEYS = ("task_id", "reward", "info", "trial")
_ERRORS = ("Error:", "Unknown action ")
"""How the results of calls that failed begin."""
_ACTION = "Action:"
"""What precedes a call in the text of an agent."""
_ANSWER = "respond"
"""The name of an action that answers the user."""
_OUTPUT = "API output: "
"""How results begin that are messages of the user."""
_NEARLY = 1e-6
"""How far the reward of a success may be from 1."""


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    is_known = isinstance(record.get("traj"), list) and all(key in record for key in _KEYS)
    return Evidence.CERTAIN if is_known else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert an attempt to a trajectory.

    Raises:
        ReadError: The messages are not a list.
        pydantic.ValidationError: A value has the wrong type.
    """
    messages = record["traj"]
    if not isinstance(messages, list):
        raise ReadError(f"traj: expected a list, got {json_input.type_name(messages)}")
    held = fields_of(message_turns(_with_status(messages)))
    reward = as_number(record.get("reward"), partial(held["unusable"].__setitem__, "reward"))
    task, trial, info = record.get("task_id"), record.get("trial"), record.get("info")
    error = info.get("error") if isinstance(info, dict) else None
    return Trajectory.model_validate(
        {
            **held,
            "task_id": str(task) if type(task) is int else task,
            "attempt": None if trial is None else str(trial),
            "source": source,
            "failure": {"reason": "error", "message": error} if isinstance(error, str) else None,
            "passed": None if reward is None else abs(reward - 1) <= _NEARLY,
            "metadata": {} if reward is None else {"reward": reward},
        }
    )


def _with_status(messages: list[JsonValue]) -> Iterator[JsonValue]:
    """The messages; results say whether their call failed, as those of other formats do."""
    for message in map(_called, messages):
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(message, dict) and message.get("role") == "tool" and isinstance(content, str):
            status = "error" if content.startswith(_ERRORS) else "success"
            yield {**message, "status": status}
        else:
            yield message


def _called(message: JsonValue) -> JsonValue:
    """A message whose text is a call or a result, as a call or a result; others unchanged."""
    if not isinstance(message, dict) or not isinstance(text := message.get("content"), str):
        return message
    if message.get("role") == "user" and text.startswith(_OUTPUT):
        return {"role": "tool", "content": text.removeprefix(_OUTPUT)}
    action = _action(text) if not message.get("tool_calls") else None
    if message.get("role") != "assistant" or action is None:
        return message
    if action["name"] != _ANSWER:
        return {**message, "content": None, "tool_calls": [{"function": action}]}
    said = action["arguments"].get("content")
    return {**message, "content": said} if isinstance(said, str) else message


def _action(text: str) -> dict[str, Any] | None:
    """The action that a text ends with."""
    _, begun, written = text.rpartition(_ACTION)
    if not begun:
        return None
    try:
        action = json_input.parse(written.strip().encode())
    except ReadError:
        return None
    if not isinstance(action, dict) or not isinstance(action.get("arguments"), dict):
        return None
    return action if isinstance(action.get("name"), str) else None


TAU_BENCH_RESULTS = RecordFormat(
    name="tau-bench-results",
    description="results of tau-bench",
    makes=Trajectory,
    carries=(*CARRIED_BY_MESSAGES, "attempt", "failure", "passed", "metadata"),
    origin="tau-bench, results of run.py",
    keys=frozenset({"traj"}),
    recognises=_recognises,
    read=_read,
)
