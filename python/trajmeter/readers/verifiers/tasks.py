"""Tasks of verifiers, which every trace and episode repeats: references are in the task's data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.errors import ReadError
from trajmeter.readers._logs.values import as_object, as_text
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers._references import REFERENCES, reference
from trajmeter.readers.own_records import TASKS
from trajmeter.readers.verifiers.traces import identity_of
from trajmeter.records import Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["VERIFIERS_TASKS"]


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    task = record.get("task")
    is_task = isinstance(task, dict) and isinstance(task.get("data"), dict)
    return Evidence.CERTAIN if is_task and ("nodes" in record or "traces" in record) else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Task:
    """Convert the task of a trace or episode; data that is not a reference is metadata.

    Raises:
        ReadError: It has no id, or a reference is text that is not JSON.
        pydantic.ValidationError: A reference has the wrong type.
    """
    task = as_object(record.get("task")) or {}
    identity = identity_of(task)
    if identity is None:
        raise ReadError("task: no id: expected a key or a hash, or an id in its data")
    data = {
        key: value
        for key, value in (as_object(task.get("data")) or {}).items()
        if value is not None
    }
    return TASKS.read(
        {
            "id": str(identity),
            "question": as_text(data.get("prompt")),
            **{key: reference(key, value) for key, value in data.items() if key in REFERENCES},
            "metadata": {key: value for key, value in data.items() if key not in REFERENCES},
        },
        source,
    )


VERIFIERS_TASKS = RecordFormat(
    name="verifiers-tasks",
    description="tasks in runs of verifiers",
    makes=Task,
    carries=("question", "metadata", *sorted(REFERENCES)),
    origin="verifiers 0.4.0 (traces.jsonl)",
    keys=frozenset({"task"}),
    recognises=_recognises,
    read=_read,
)
