"""Tasks in this package's own form: ``Task.model_dump_json()``, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._own import with_extra
from trajmeter.records import Task

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["CONTENT", "read", "sniff"]

CONTENT = "Task records"


def sniff(record: Mapping[str, JsonValue]) -> bool:
    """Whether the record may be a task of ours: no other field than the id is required."""
    return "id" in record


def read(record: Mapping[str, JsonValue], source: Source) -> Task:
    """Read a task; one that does not say where it comes from gets ``source``.

    Raises:
        pydantic.ValidationError: A value has the wrong type.
    """
    return Task.model_validate(with_extra(record, Task, source))
