"""Trajectories in this package's own form: ``Trajectory.model_dump_json()``, one a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.readers._own import with_extra
from trajmeter.records import Trajectory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["CONTENT", "read", "sniff"]

CONTENT = "Trajectory records"


def sniff(record: Mapping[str, JsonValue]) -> bool:
    """Whether the record may be a trajectory of ours: no other field than the id is required."""
    return "task_id" in record


def read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Read a trajectory; one that does not say where it comes from gets ``source``.

    Raises:
        pydantic.ValidationError: A value has the wrong type.
    """
    return Trajectory.model_validate(with_extra(record, Trajectory, source))
