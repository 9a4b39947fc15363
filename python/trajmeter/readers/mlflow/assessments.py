"""Feedback on MLflow's traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_mapping, as_text, epoch_seconds
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping

    from pydantic import JsonValue

__all__ = ["scores_of"]


def scores_of(
    assessments: Iterable[Mapping[str, Any]], roots: Container[str | None]
) -> dict[str, JsonValue]:
    """The values of the feedback on a whole trace by name; the latest of each name counts.

    Args:
        assessments: Assessments of the trace; those that others replace are marked as invalid.
        roots: Ids of its root spans, to which MLflow's evaluation attaches feedback on the trace.
    """
    of_trace = [
        each
        for each in assessments
        if each.get("valid") is not False
        and (not each.get("span_id") or identity_of(each["span_id"]) in roots)
    ]
    found: dict[str, JsonValue] = {}
    for each in sorted(of_trace, key=_time):
        name = as_text(each.get("assessment_name")) or as_text(each.get("name"))
        given = as_mapping(each.get("feedback")).get("value")
        value: JsonValue = given if isinstance(given, bool) else finite(given)
        if value is None:
            value = as_text(given)
        if name is not None and value is not None:
            found[name] = value
    return found


def _time(assessment: Mapping[str, Any]) -> float:
    times = (epoch_seconds(assessment.get(key)) for key in ("last_update_time", "create_time"))
    return next((each for each in times if each is not None), 0.0)
