"""Spans in OTLP's JSON encoding, reduced to the data that a trajectory needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.readers._logs.values import as_list, as_object, as_text
from trajmeter.readers.opentelemetry.error_texts import exception_class, without_traceback
from trajmeter.readers.opentelemetry.mlflow import described_by_mlflow
from trajmeter.readers.opentelemetry.openinference import described
from trajmeter.readers.opentelemetry.openllmetry import conventional
from trajmeter.readers.opentelemetry.results import results_in
from trajmeter.readers.opentelemetry.values import TASK_ID, attributes_of, is_integer, parsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Usage

__all__ = [
    "ANSWERS",
    "NO_MESSAGE",
    "Span",
    "made_span",
    "seconds_of",
    "span_of",
    "spans_in",
]

ANSWERS = frozenset({"chat", "generate_content", "text_completion"})
"""Operations that are model calls."""
_OPERATIONS = ANSWERS | {"execute_tool", "invoke_agent", "create_agent", "invoke_workflow"}

NO_MESSAGE = "the span failed"
"""The error of a failed span without a message."""

_ERRORS = (2, "2", "STATUS_CODE_ERROR")
_NANO = 1e9


class Span(NamedTuple):
    """A span of an agent, a model call or a tool call."""

    trace: str
    """Id of the trace."""
    id: str | None
    """Its own id."""
    parent: str | None
    """Id of the span it is in; ``None`` for a root."""
    operation: str
    """The operation, such as ``chat`` or ``execute_tool``; empty if it only names the task."""
    start: float | None
    """When it began, in seconds since 1970."""
    end: float | None
    """When it ended."""
    error: str | None
    """Why it failed; ``None`` if it did not."""
    exception: str | None
    """Class of the exception recorded in it."""
    attributes: Mapping[str, JsonValue]
    """Its attributes, and those of its events that the conventions define."""
    results: tuple[Mapping[str, Any], ...] = ()
    """Tool results sent to a model call since its last answer."""
    usage: Usage | None = None
    """Usage of a model call, if it is not in the attributes."""


def spans_in(value: JsonValue) -> Iterator[Span]:
    """The spans of an export that are about generative AI, or name a task."""
    for resource_spans in as_list((as_object(value) or {}).get("resourceSpans")):
        inner = as_object(resource_spans) or {}
        about = (as_object(inner.get("resource")) or {}).get("attributes")
        task = {key: each for key, each in attributes_of(about).items() if key == TASK_ID}
        for scope in as_list(inner.get("scopeSpans")):
            for span in as_list((as_object(scope) or {}).get("spans")):
                found = span_of(span, task) if isinstance(span, dict) else None
                if found is not None:
                    yield found


def span_of(span: Mapping[str, Any], task: Mapping[str, JsonValue]) -> Span | None:
    """A span; ``None`` if it is not about generative AI and names no task."""
    events = [
        attributes_of(each.get("attributes"))
        for each in as_list(span.get("events"))
        if isinstance(each, dict)
    ]
    status = as_object(span.get("status")) or {}
    return made_span(
        str(span.get("name")),
        attributes_of(span.get("attributes")),
        events,
        task=task,
        trace=str(span.get("traceId")),
        identity=as_text(span.get("spanId")),
        parent=as_text(span.get("parentSpanId")),
        start=seconds_of(span.get("startTimeUnixNano")),
        end=seconds_of(span.get("endTimeUnixNano")),
        is_error=status.get("code") in _ERRORS,
        message=as_text(status.get("message")),
    )


def made_span(
    name: str,
    attributes: dict[str, JsonValue],
    events: Sequence[Mapping[str, JsonValue]] = (),
    *,
    task: Mapping[str, JsonValue] | None = None,
    trace: str,
    identity: str | None,
    parent: str | None,
    start: float | None,
    end: float | None,
    is_error: bool,
    message: str | None,
) -> Span | None:
    """Make a span from its parts; ``None`` if it is not about generative AI and names no task.

    Args:
        name: Its name.
        attributes: Its attributes.
        events: Attributes of each of its events.
        task: The attribute of its resource that names the task, unless the span names another.
        trace: Id of the trace.
        identity: Its own id.
        parent: Id of its parent span.
        start: When it began, in seconds since 1970.
        end: When it ended.
        is_error: Whether its status is an error.
        message: Message of its status.
    """
    names_task = TASK_ID in attributes
    attributes = {**(task or {}), **attributes}
    own = conventional(attributes)
    is_root = parent is None
    other = described_by_mlflow(attributes, events, name, is_root=is_root) or described(
        attributes, name, is_root=is_root
    )
    if other is not None:
        attributes, own = other.attributes, own or other.operation
        if other.task is not None:
            attributes.setdefault(TASK_ID, other.task)
    operation = attributes.get("gen_ai.operation.name") or own
    if not isinstance(operation, str):
        operation = name.partition(" ")[0]
        is_marked = any(key.startswith(("gen_ai.", TASK_ID)) for key in attributes)
        if not is_marked or operation not in _OPERATIONS:
            if not names_task:
                return None
            operation = ""
    exception, exception_message = _add_events(attributes, events)
    sent = attributes.pop("gen_ai.input.messages", None)
    kind = as_text(attributes.get("error.type"))
    error = without_traceback(message) or exception_message or kind or NO_MESSAGE
    if other is not None:
        is_error = is_error or other.has_failed
        kind = kind or (exception_class(error) if is_error else None)
    return Span(
        trace=trace,
        id=identity,
        parent=parent,
        operation=operation,
        start=start,
        end=end,
        error=error if is_error or kind else None,
        exception=exception or kind,
        attributes=attributes,
        results=results_in(sent) if operation in ANSWERS else (),
        usage=None if other is None else other.usage,
    )


def _add_events(
    attributes: dict[str, JsonValue], events: Iterable[Mapping[str, JsonValue]]
) -> tuple[str | None, str | None]:
    """Add the attributes of events that the conventions define.

    Returns:
        Class and message of the last exception among the events.
    """
    exception = message = None
    choices: list[JsonValue] = []
    for event in events:
        choices += _chosen(event)
        if "exception.type" in event:
            exception = as_text(event["exception.type"])
            message = as_text(event.get("exception.message"))
        attributes.update({key: each for key, each in event.items() if key.startswith("gen_ai.")})
    if choices:
        attributes.setdefault("gen_ai.output.messages", choices)
    return exception, message


def _chosen(event: Mapping[str, JsonValue]) -> list[JsonValue]:
    """The answer in a ``gen_ai.choice`` event, which preceded message attributes."""
    content = as_object(parsed(event.get("gen_ai.event.content"))) or event
    message = parsed(content.get("message"))
    return [message] if isinstance(message, dict) and "finish_reason" in content else []


def seconds_of(nanoseconds: object) -> float | None:
    """A time in seconds since 1970."""
    return int(str(nanoseconds)) / _NANO if is_integer(nanoseconds) else None
