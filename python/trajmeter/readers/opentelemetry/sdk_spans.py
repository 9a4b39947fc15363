"""Spans as the Python SDK of OpenTelemetry prints them (``ReadableSpan.to_json``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_list, as_object, as_text, epoch_seconds
from trajmeter.readers.opentelemetry.spans import TASK_ID, Span, made_span
from trajmeter.readers.opentelemetry.values import UNUSED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["is_sdk_span", "sdk_span_of"]

_IDS = frozenset({"trace_id", "span_id"})


def is_sdk_span(value: object) -> bool:
    """Whether a value is a span that the SDK printed."""
    if not isinstance(value, dict) or "parent_id" not in value:
        return False
    context = value.get("context")
    return isinstance(context, dict) and context.keys() >= _IDS


def sdk_span_of(span: Mapping[str, Any]) -> Span | None:
    """A span; ``None`` if it is not about generative AI and names no task."""
    context, status = as_object(span["context"]) or {}, as_object(span.get("status")) or {}
    resource = _attributes(as_object(span.get("resource")))
    task = {key: each for key, each in resource.items() if key == TASK_ID}
    return made_span(
        str(span.get("name")),
        _attributes(span),
        [_attributes(each) for each in as_list(span.get("events")) if isinstance(each, dict)],
        task=task,
        trace=_identity(context.get("trace_id")) or "",
        identity=_identity(context.get("span_id")),
        parent=_identity(span.get("parent_id")),
        start=epoch_seconds(span.get("start_time")),
        end=epoch_seconds(span.get("end_time")),
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
