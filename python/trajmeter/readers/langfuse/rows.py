"""Rows of Langfuse's scheduled exports, with the names and values that its API gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._files.csv_lines import csv_columns
from trajmeter.readers._logs.values import as_list
from trajmeter.readers.opentelemetry.values import parsed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["has_columns", "is_header", "renamed"]

_NAMES = {
    "cost_details": "costDetails",
    "data_type": "dataType",
    "end_time": "endTime",
    "observation_id": "observationId",
    "parent_observation_id": "parentObservationId",
    "provided_model_name": "providedModelName",
    "session_id": "sessionId",
    "start_time": "startTime",
    "status_message": "statusMessage",
    "string_value": "stringValue",
    "total_cost": "totalCost",
    "trace_id": "traceId",
    "usage_details": "usageDetails",
    "user_id": "userId",
}
_OBJECTS = ("costDetails", "metadata", "usageDetails")
_OF_TRACES = frozenset({"id", "timestamp", "session_id", "user_id", "bookmarked"})
_KINDS = (
    _OF_TRACES,
    frozenset({"trace_id", "type", "start_time"}),
    frozenset({"traceId", "type", "startTime"}),
    frozenset({"trace_id", "data_type", "string_value"}),
)
"""Columns by which traces, observations and scores are recognised."""


def has_columns(names: Collection[str]) -> bool:
    """Whether a table with these columns is of observations, scores or traces."""
    return any(kind <= {*names} for kind in _KINDS)


def is_header(line: bytes) -> bool:
    """Whether a line of CSV has the columns of such a table."""
    return has_columns(csv_columns(line))


def renamed(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row with the names of the API, in which empty text is null; other values are unchanged."""
    if "trace_id" not in row and not row.keys() >= _OF_TRACES:
        return row
    found = {_NAMES.get(key, key): None if each == "" else each for key, each in row.items()}
    return found | {key: _object(found[key]) for key in _OBJECTS if key in found}


def _object(value: Any) -> dict[str, Any]:  # noqa: ANN401 - of any file
    """An object, which is JSON text in CSV, and a list of pairs in Parquet."""
    found = parsed(value)
    if isinstance(found, dict):
        return found
    pairs = (each for each in as_list(found) if isinstance(each, list))
    return {str(each[0]): each[1] for each in pairs if len(each) == 2}  # noqa: PLR2004
