"""Spans as the Python SDK of OpenTelemetry prints them (``ReadableSpan.to_json``).

Phoenix's API is similar, with the status and the kind of OpenInference beside the attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_list, as_object, as_text, epoch_seconds
from trajmeter.readers.opentelemetry.openinference import KIND
from trajmeter.readers.opentelemetry.spans import Span, made_span
from trajmeter.readers.opentelemetry.values import TASK_ID, UNUSED
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["is_sdk_span", "sdk_span_of"]

_LAST = 1e11
"""The year 5138: no larger number is of seconds, and no smaller one of milliseconds since 1973."""
_UNIT = 1000
_IDS = frozenset({"trace_id", "span_id"})


def is_sdk_span(value: object) -> bool:
    """Whether a value is a span that the SDK printed."""
    if not isinstance(value, dict) or "parent_id" not in value:
        return False
    context = value.get("context")
    return isinstance(context, dict) and context.keys() >= _IDS


def sdk_span_of(span: Mapping[str, Any]) -> Span | None:
    """A span; ``None`` if it is not about generative AI and names no task."""
    context = as_object(span["context"]) or {}
    status = as_object(span.get("status")) or {
        "status_code": span.get("status_code"),
        "description": span.get("status_message"),
    }
    attributes = _attributes(span)
    if (kind := as_text(span.get("span_kind"))) is not None:
        attributes.setdefault(KIND, kind)
    resource = _attributes(as_object(span.get("resource")))
    task = {key: each for key, each in resource.items() if key == TASK_ID}
    return made_span(
        str(span.get("name")),
        attributes,
        [_attributes(each) for each in as_list(span.get("events")) if isinstance(each, dict)],
        task=task,
        trace=_identity(context.get("trace_id")) or "",
        identity=_identity(context.get("span_id")),
        parent=_identity(span.get("parent_id")),
        start=_seconds(span.get("start_time")),
        end=_seconds(span.get("end_time")),
        is_error=status.get("status_code") == "ERROR",
        message=as_text(status.get("description")),
    )


def _attributes(described: Mapping[str, Any] | None) -> dict[str, JsonValue]:
    given = as_object((described or {}).get("attributes")) or {}
    return {key: each for key, each in given.items() if key not in UNUSED}


def _identity(value: object) -> str | None:
    """An id as OTLP writes it, which is without the prefix."""
    text = as_text(value)
    return None if text is None else text.removeprefix("0x")


def _seconds(value: object) -> float | None:
    """A time in seconds since 1970; data frames write it as a number of a smaller unit."""
    number = finite(value)
    if number is None:
        return epoch_seconds(value)
    while abs(number) >= _LAST:
        number /= _UNIT
    return number
