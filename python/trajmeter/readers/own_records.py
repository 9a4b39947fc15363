"""Trajmeter's own records: ``model_dump_json()`` of a Task or Trajectory, one per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._expectations import EXPECTED_CALLS, expected_calls, suspicious_keys
from trajmeter.readers._recognition.evidence import is_result
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.records import Task, Trajectory
from trajmeter.records.openai_calls import plain_call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Record, Source

__all__ = ["TASKS", "TRAJECTORIES"]


def _read_task(record: Mapping[str, JsonValue], source: Source) -> Task:
    fields = _fields(record, Task, source)
    calls = expected_calls(record)
    if calls is not None:
        fields[EXPECTED_CALLS] = calls
    return Task.model_validate(fields)


def _read_trajectory(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    return Trajectory.model_validate(_fields(record, Trajectory, source))


def _fields(record: Mapping[str, JsonValue], model: type[Record], source: Source) -> dict[str, Any]:
    """The fields of a record: unknown keys move to ``extra``, a missing source is filled in."""
    known = model.model_fields
    fields: dict[str, Any] = {key: value for key, value in record.items() if key in known}
    if len(fields) < len(record):
        others = {key: value for key, value in record.items() if key not in known}
        extra = fields.get("extra", {})
        # An ``extra`` of the wrong type is left for the model to reject.
        fields["extra"] = {**others, **extra} if isinstance(extra, dict) else extra
    if fields.get("source") is None:
        fields["source"] = source
    if "tool_calls" in fields:
        fields["tool_calls"] = _plain_calls(fields["tool_calls"])
    if isinstance(fields.get("turns"), list):
        fields["turns"] = [_plain_turn(turn) for turn in fields["turns"]]
    return fields


def _plain_turn(turn: JsonValue) -> JsonValue:
    if not isinstance(turn, dict) or "tool_calls" not in turn:
        return turn
    return {**turn, "tool_calls": _plain_calls(turn["tool_calls"])}


def _plain_calls(calls: JsonValue) -> JsonValue:
    """Rename keys of OpenAI-style calls; anything but a list is left for the model to reject."""
    return [_plain_call(call) for call in calls] if isinstance(calls, list) else calls


def _plain_call(call: JsonValue) -> JsonValue:
    plain = plain_call(call)
    if plain is call or not isinstance(call, dict) or not isinstance(plain, dict):
        return plain
    return {**plain, "id": call["id"]} if isinstance(call.get("id"), str) else plain


# Only the id is required, so nothing else can identify a record.
TASKS = RecordFormat(
    name="task-records",
    description="Task records",
    makes=Task,
    carries=tuple(Task.model_fields),
    origin="trajmeter",
    keys=frozenset({"id"}),
    recognises=lambda _: Evidence.POSSIBLE,
    read=_read_task,
    doubts=lambda record: suspicious_keys(record, Task.model_fields),
)

TRAJECTORIES = RecordFormat(
    name="trajectory-records",
    description="Trajectory records",
    makes=Trajectory,
    carries=tuple(Trajectory.model_fields),
    origin="trajmeter",
    keys=frozenset({"task_id"}),
    recognises=lambda record: None if is_result(record) else Evidence.POSSIBLE,
    read=_read_trajectory,
)
