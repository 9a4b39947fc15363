"""The layouts in which MLflow's traces are stored: whole, as spans alone, or as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_list, as_mapping
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.mlflow.spans import trace_of
from trajmeter.readers.opentelemetry.mlflow import KIND, TRACE
from trajmeter.readers.opentelemetry.values import structured

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

__all__ = ["has_columns", "identity_of_trace", "is_trace", "page_of", "spans_in", "whole"]

_IDS = ("trace_id", "request_id")
"""Names of the id: that of MLflow 3, and the older one."""
_METADATA = ("trace_metadata", "request_metadata")
_CONTENTS = ("trace", "spans")
_OF_ROW = (*_IDS, *_METADATA, "tags", "assessments")
_NEW_ID = "tr-"
"""What ids of MLflow 3 begin with."""


def _has(names: Collection[str], *groups: Sequence[str]) -> bool:
    return all(any(name in names for name in group) for group in groups)


def has_columns(names: Collection[str]) -> bool:
    """Whether these are the columns of a data frame of traces."""
    return _has(names, _IDS, _METADATA, _CONTENTS)


def page_of(value: Mapping[str, Any]) -> list[Any]:
    """The traces that the search of MLflow's command found; the value itself if it is not one."""
    traces = value.get("traces")
    is_page = isinstance(traces, list) and value.keys() <= {"traces", "next_page_token"}
    return [*as_list(traces)] if is_page else [value]


def is_trace(value: object) -> bool:
    """Whether a value is a trace in one of the layouts; it may be cut off."""
    if not isinstance(value, dict):
        return False
    info = value.get("info")
    if isinstance(info, dict):
        has_spans = "spans" in as_mapping(value.get("data"))
        return _has(info, _IDS) and (has_spans or _has(info, _METADATA))
    if any(map(_is_span, as_list(value.get("spans")))) or has_columns(value):
        return True
    identity, trace = value.get("trace_id"), value.get("trace")  # those of a row that is cut off
    if isinstance(trace, dict):
        return _has(value, _IDS) and _has(trace, ("info", "data"))
    return isinstance(identity, str) and identity.startswith(_NEW_ID) and len(value) == 1


def _is_span(value: object) -> bool:
    about = as_mapping(as_mapping(value).get("attributes"))
    return KIND in about or TRACE in about


def whole(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A row as a trace with its info and its spans; other values are unchanged."""
    if "info" in value or not has_columns(value):
        return value
    trace = structured(value.get("trace"))
    if isinstance(trace, dict) and isinstance(trace.get("info"), dict):
        return trace
    info = {key: value[key] for key in _OF_ROW if key in value}
    return {"info": info, "data": {"spans": value.get("spans")}}


def spans_in(trace: Mapping[str, Any]) -> Sequence[Any] | None:
    """The spans of a trace; ``None`` if there is no list of them."""
    held = as_mapping(trace["data"]) if "data" in trace else trace
    spans = structured(held.get("spans"))
    return spans if isinstance(spans, list) else None


def identity_of_trace(trace: Mapping[str, Any]) -> str | None:
    """Id of a trace, which the spans of one without info name."""
    info = as_mapping(trace.get("info"))
    named = [identity_of(info.get(key)) for key in _IDS]
    named += [trace_of(as_mapping(span)) for span in (spans_in(trace) or ())[:1]]
    return next((each for each in named if each is not None), None)
