"""One span of MLflow, in the layout of MLflow 3 or 2."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import as_list, as_mapping, as_text
from trajmeter.readers.messages.shapes import identity_of
from trajmeter.readers.opentelemetry.mlflow import TRACE
from trajmeter.readers.opentelemetry.spans import Span, made_span, seconds_of
from trajmeter.readers.opentelemetry.values import TASK_ID, parsed

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pydantic import JsonValue

__all__ = ["identity", "parent_of", "span_of", "trace_of"]

_ENCODED = 12
"""Length in base64 of an id of eight bytes."""
_STARTS = ("start_time_unix_nano", "start_time", "start_time_ns")
_ENDS = ("end_time_unix_nano", "end_time", "end_time_ns")
_ERRORS = ("STATUS_CODE_ERROR", "ERROR")
_OWN = "mlflow."
_RECEIVED = (
    "gen_ai.operation.name",
    "llm.request.type",
    "openinference.span.kind",
    "traceloop.span.kind",
)
"""Attributes of spans that MLflow received over OTLP; its own tell less than theirs."""
_TEXTS = ("content", "value", "text")
"""Endings of the names of attributes that are text, even if it is a number."""


def trace_of(span: Mapping[str, Any]) -> str | None:
    """Id of the trace that a span says it belongs to."""
    return identity_of(parsed(as_mapping(span.get("attributes")).get(TRACE)))


def identity(span: Mapping[str, Any]) -> str | None:
    """Id of a span."""
    own = span.get("span_id")
    return _decoded(as_mapping(span.get("context")).get("span_id") if own is None else own)


def parent_of(span: Mapping[str, Any]) -> str | None:
    """Id of the span that a span is in; ``None`` for a root."""
    return _decoded(span.get("parent_span_id") or span.get("parent_id"))


def _decoded(value: object) -> str | None:
    """An id as hexadecimal digits, as assessments name it; MLflow 3 writes base64."""
    text = identity_of(value)
    if text is None or len(text) != _ENCODED:
        return text
    try:
        return base64.b64decode(text, validate=True).hex()
    except binascii.Error:
        return text


def span_of(
    span: Mapping[str, Any], trace: str, task: str | None, names: Collection[str]
) -> Span | None:
    """A span by the conventions; ``None`` if it is not one of MLflow's.

    Args:
        span: The span.
        trace: Id of its trace.
        task: Id of the task, if the trace names it.
        names: Names of all spans of the trace.
    """
    status = as_mapping(span.get("status"))
    code = status.get("code") or status.get("status_code") or span.get("status_code")
    message = status.get("message") or status.get("description") or span.get("status_message")
    events = map(as_mapping, as_list(span.get("events")))
    return made_span(
        _own_name(str(span.get("name")), () if "links" in span else names),
        _attributes(as_mapping(span.get("attributes"))),
        [as_mapping(each.get("attributes")) for each in events],
        task=None if task is None else {TASK_ID: task},
        trace=trace,
        identity=identity(span),
        parent=parent_of(span),
        start=_time(span, _STARTS),
        end=_time(span, _ENDS),
        is_error=code in _ERRORS,
        message=as_text(message),
    )


def _attributes(given: Mapping[str, Any]) -> dict[str, JsonValue]:
    """The attributes of a span: MLflow's, or those of the conventions that it follows."""
    known = {key: each for key, each in given.items() if each is not None}
    if not any(key in known for key in _RECEIVED):
        return known
    found = {key: _plain(key, each) for key, each in known.items() if not key.startswith(_OWN)}
    cost = as_mapping(parsed(known.get("mlflow.llm.cost"))).get("total_cost")
    return found if cost is None else {"llm.cost.total": cost, **found}


def _plain(key: str, given: JsonValue) -> JsonValue:
    """A value as it was received; MLflow writes text as JSON unless it already is JSON."""
    value = parsed(given)
    if isinstance(value, list) and not any(isinstance(each, dict) for each in value):
        return value
    is_other = isinstance(value, (dict, list))
    is_text = key.endswith(_TEXTS) and not isinstance(value, str)
    return given if is_other or is_text else value


def _time(span: Mapping[str, Any], keys: tuple[str, ...]) -> float | None:
    return next((seconds_of(span[key]) for key in keys if span.get(key) is not None), None)


def _own_name(name: str, names: Collection[str]) -> str:
    """The name of a span; MLflow numbered spans of the same name up to 3.5.

    Spans of recent versions have links.

    Example:
        >>> names = ["read_file_1", "read_file_2", "step_2"]
        >>> [_own_name(each, names) for each in names]
        ['read_file', 'read_file', 'step_2']
    """
    stem, _, number = name.rpartition("_")
    is_numbered = number.isdecimal() and f"{stem}_1" in names and f"{stem}_2" in names
    return stem if is_numbered else name
