"""Results of tau-bench, the benchmark before tau2-bench: attempts at serving a simulated user.

A results file is a list of attempts. The user's messages are the only trace of the simulated user.
Agents that call tools without an API for it (strategies ``act`` and ``react``) write their calls in
their text, and receive results in messages of the user.
"""

from __future__ import annotations

from functools import partial
from itertools import zip_longest
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
"""What precedes a call in the text of an agent; some agents leave it out."""
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
    for message in _with_calls(messages):
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(message, dict) and message.get("role") == "tool" and isinstance(content, str):
            status = "error" if content.startswith(_ERRORS) else "success"
            yield {**message, "status": status}
        else:
            yield message


def _with_calls(messages: list[JsonValue]) -> Iterator[JsonValue]:
    """The messages; texts that are calls, and their results, are converted."""
    is_called = False
    for message, following in zip_longest(messages, messages[1:]):
        output = _output(message) if is_called else None
        action = _action(message)
        name = None if action is None else action["name"]
        is_called = name not in (None, _ANSWER) and _output(following) is not None
        if output is not None:
            yield {"role": "tool", "content": output}
        elif not isinstance(message, dict) or action is None:
            yield message
        elif is_called:
            yield {**message, "content": None, "tool_calls": [{"function": action}]}
        else:
            answer = action["arguments"].get("content") if name == _ANSWER else None
            yield {**message, "content": answer} if isinstance(answer, str) else message


def _output(message: JsonValue) -> str | None:
    """The result in a message of the user that begins as one."""
    text = _text(message, "user") or ""
    return text.removeprefix(_OUTPUT) if text.startswith(_OUTPUT) else None


def _action(message: JsonValue) -> dict[str, Any] | None:
    """The action that an agent's text ends with, or that is all of it, as tau-bench reads it."""
    text = _text(message, "assistant")
    if text is None or (isinstance(message, dict) and message.get("tool_calls")):
        return None
    try:
        action = json_input.parse(text.rpartition(_ACTION)[2].strip().encode())
    except ReadError:
        return None
    if not isinstance(action, dict) or not isinstance(action.get("arguments"), dict):
        return None
    return action if isinstance(action.get("name"), str) else None


def _text(message: JsonValue, role: str) -> str | None:
    """The text of a message of this role."""
    if not isinstance(message, dict) or message.get("role") != role:
        return None
    text = message.get("content")
    return text if isinstance(text, str) else None


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
