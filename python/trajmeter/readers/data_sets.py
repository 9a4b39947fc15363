"""Public trajectory data sets, recognised by their columns; rows are JSON or Parquet.

Rows of messages with a patch and a verdict (nebius' and NVIDIA's OpenHands data sets, SWE-Gym) are
read as lists of messages. SWE-agent rows have their own shape: a turn is a text with the reasoning,
and its last fenced block is the action.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._logs.faults import made_trajectory
from trajmeter.readers._logs.values import as_list, first_object
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.messages.claims import is_message
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES, NAMES, fields_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["OPENHANDS_ROWS", "SWE_AGENT_ROWS"]

_LISTS = ("trajectory", "messages")
_PATCHES = ("model_patch", "git_patch", "generated_patch")
_TELLING = frozenset({"exit_status", "resolved", "test_result", "trajectory_id", *_PATCHES})
_FENCED = re.compile(r"```(?:\w*\n)?(.*?)```", re.DOTALL)
_BUDGETS = re.compile(r"exit_cost|exit_context|max_iteration|LimitsExceeded|AgentStuckInLoop")
_OF_SWE_AGENT = frozenset({"generated_patch", "target"})


def _is_openhands(record: Mapping[str, JsonValue]) -> Evidence | None:
    """Whether it is a run of an instance with its outcome."""
    if not isinstance(record.get("instance_id"), str) or _TELLING.isdisjoint(record):
        return None
    return Evidence.CERTAIN if _messages(record) is not None else None


def _read_openhands(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a row to a trajectory.

    Raises:
        ReadError: There are no messages.
        pydantic.ValidationError: The id is not text, or the turns are wrong.
    """
    found = _messages(record)
    if found is None:
        raise ReadError(f"expected a list of messages under {' or '.join(_LISTS)}")
    key, messages = found
    held = fields_of(message_turns(messages))
    tested = record.get("test_result")
    inside = tested if isinstance(tested, dict) else {}
    named_by = {field: _first_named(record, keys) for field, keys in NAMES.items()}
    names = {field: name for field, name in named_by.items() if name is not None}
    read = {key, "instance_id", "resolved", "exit_status", *_PATCHES, *names.values()}
    named = {field: str(record[name]) for field, name in names.items()}
    return _trajectory(
        record,
        source,
        read,
        {
            **held,
            **named,
            "final_patch": _patch(record) or _patch(inside) or _empty_patch(record, inside),
            "passed": _truth(record.get("resolved")),
        },
    )


def _is_swe_agent(record: Mapping[str, JsonValue]) -> Evidence | None:
    turns = record.get("trajectory")
    first = first_object(as_list(turns))
    is_known = "role" in first and "text" in first
    return Evidence.CERTAIN if is_known and not _OF_SWE_AGENT.isdisjoint(record) else None


def _read_swe_agent(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a row to a trajectory.

    Raises:
        ReadError: There is no list of turns.
        pydantic.ValidationError: The id is not text, or the turns are wrong.
    """
    listed = record.get("trajectory")
    if not isinstance(listed, list):
        raise ReadError(f"trajectory: expected a list, got {json_input.type_name(listed)}")
    turns = []
    for item in listed:
        text = item.get("text") if isinstance(item, dict) and item.get("role") == "ai" else None
        if isinstance(text, str):
            blocks = _FENCED.findall(text)
            turns.append({"text": text, "program": blocks[-1].strip() if blocks else None})
    read = {"trajectory", "instance_id", "model_name", "generated_patch", "target", "exit_status"}
    return _trajectory(
        record,
        source,
        read,
        {
            "turns": turns,
            "agent": "SWE-agent",
            "model": record.get("model_name"),
            "final_patch": record.get("generated_patch"),
            "passed": _truth(record.get("target")),
        },
    )


def _trajectory(
    record: Mapping[str, JsonValue], source: Source, read: set[str], fields: dict[str, Any]
) -> Trajectory:
    """The trajectory of a row; unread columns are kept unless they have no value."""
    status = record.get("exit_status")
    is_over = isinstance(status, str) and _BUDGETS.search(status)
    extra = {key: each for key, each in record.items() if key not in read and each is not None}
    return made_trajectory(
        {
            **fields,
            "task_id": record.get("instance_id"),
            "source": source,
            "failure": {"reason": "budget_exhausted", "message": status} if is_over else None,
            "metadata": {} if status is None else {"exit_status": status},
            "extra": extra,
        }
    )


def _messages(record: Mapping[str, JsonValue]) -> tuple[str, list[JsonValue]] | None:
    """The list of messages, which may be JSON text, and the name of its column."""
    for key in _LISTS:
        value = record.get(key)
        if isinstance(value, str) and value.startswith("["):
            try:
                value = json_input.parse(value.encode())
            except ReadError:
                continue
        if isinstance(value, list) and value and is_message(value[0]):
            return key, value
    return None


def _first_named(record: Mapping[str, JsonValue], keys: Iterable[str]) -> str | None:
    """The first of the keys whose value is a number or a text with content."""
    return next(
        (key for key in keys if isinstance(record.get(key), (str, int)) and record[key] != ""),
        None,
    )


def _patch(record: Mapping[str, JsonValue]) -> JsonValue:
    return next((record[key] for key in _PATCHES if record.get(key)), None)


def _empty_patch(*places: Mapping[str, JsonValue]) -> str | None:
    """An empty patch, if one was recorded."""
    return "" if any(each.get(key) == "" for each in places for key in _PATCHES) else None


def _truth(value: JsonValue) -> JsonValue:
    """Convert the boolean values that data sets use; the record rejects anything else."""
    return bool(value) if isinstance(value, (bool, int, float)) and value in (0, 1) else value


OPENHANDS_ROWS = RecordFormat(
    name="openhands-rows",
    description="rows of data sets of OpenHands",
    makes=Trajectory,
    carries=(
        *CARRIED_BY_MESSAGES,
        "agent",
        "attempt",
        "final_patch",
        "passed",
        "failure",
        "metadata",
        "extra",
    ),
    origin=(
        "nebius/SWE-rebench-openhands-trajectories, nvidia/SWE-Zero-openhands-trajectories, "
        "SWE-Gym/OpenHands-Sampled-Trajectories"
    ),
    keys=frozenset(_LISTS),
    recognises=_is_openhands,
    read=_read_openhands,
)

SWE_AGENT_ROWS = RecordFormat(
    name="swe-agent-rows",
    description="rows of data sets of SWE-agent",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "turns.text",
        "turns.program",
        "final_patch",
        "passed",
        "failure",
        "metadata",
        "extra",
    ),
    origin="nebius/SWE-agent-trajectories",
    keys=frozenset({"trajectory"}),
    recognises=_is_swe_agent,
    read=_read_swe_agent,
)
