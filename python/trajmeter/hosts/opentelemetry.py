"""Attempts from OpenTelemetry spans, and their scores as events.

The conventions for generative AI are still changing; the names of the event and its attributes are
those of semconv 0.66b2.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ExtraMissingError

try:
    from opentelemetry import baggage, trace
    from opentelemetry._logs import LogRecord, get_logger
    from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
except ModuleNotFoundError as error:
    raise ExtraMissingError(
        "OpenTelemetry is missing: pip install 'trajmeter[opentelemetry]'"
    ) from error

from trajmeter.hosts._figures import FIGURES
from trajmeter.readers.opentelemetry.spans import Span, made_span
from trajmeter.readers.opentelemetry.traces import attempt_of
from trajmeter.readers.opentelemetry.values import TASK_ID, UNUSED
from trajmeter.records import Source
from trajmeter.system.forks import lock_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from opentelemetry._logs import Logger
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import Span as SdkSpan

    from trajmeter.metrics import Scored
    from trajmeter.metrics.named_figures import NamedFigure
    from trajmeter.records import Score, Trajectory
    from trajmeter.scoring.scorer import Scorer

__all__ = ["SpanScorer", "trajectories_of", "trajectory_of"]

_EVENT = "gen_ai.evaluation.result"
_NAME = "gen_ai.evaluation.name"
_VALUE = "gen_ai.evaluation.score.value"
_LABEL = "gen_ai.evaluation.score.label"
_EXPLANATION = "gen_ai.evaluation.explanation"
_ERROR_TYPE = "error.type"

_CONVERSATION = "gen_ai.conversation.id"
_NANO = 1e9
_MOST_TRACES = 1_000
_MOST_SPANS = 10_000
_TOO_MANY = "more than 1,000 traces are open: the oldest is dropped"

_LOG = logging.getLogger(__name__)


def trajectories_of(spans: Iterable[Any], *, by_conversation: bool = False) -> Iterator[Trajectory]:
    """Create an attempt from each trace among finished spans.

    Args:
        spans: Spans of the SDK, or nodes of a pydantic-evals span tree.
        by_conversation: Whether spans with the same ``gen_ai.conversation.id`` form one attempt.

    Yields:
        The attempts, in the order of their first spans. Traces without a model or tool call are
        skipped.
    """
    groups: dict[str, list[Span]] = {}
    for each in spans:
        span = _span(each)
        if span is None:
            continue
        group = span.attributes.get(_CONVERSATION) if by_conversation else None
        groups.setdefault(group if isinstance(group, str) else span.trace, []).append(span)
    for name, members in groups.items():
        attempt = attempt_of(members, Source(file="opentelemetry", record=name))
        if attempt is not None:
            yield attempt


def trajectory_of(spans: Iterable[Any], name: str) -> Trajectory | None:
    """Create one attempt from finished spans, whatever their traces.

    Args:
        spans: As for :func:`trajectories_of`.
        name: Name of their origin, for the attempt's source.

    Returns:
        The attempt; ``None`` if neither a model nor a tool was called.
    """
    known = [span for span in map(_span, spans) if span is not None]
    return attempt_of(known, Source(file="opentelemetry", record=name)) if known else None


@dataclass(slots=True)
class _Trace:
    """A trace whose root has not ended."""

    spans: list[ReadableSpan] = field(default_factory=list)
    """Spans that have ended."""
    task_id: str | None = None
    """The task that the baggage names."""


class SpanScorer(SpanProcessor):
    """Scores each attempt when the root of its trace ends.

    It holds at most 1,000 open traces of at most 10,000 spans; the oldest is dropped, with one
    warning.

    Args:
        scorer: The scorer; its tasks are found by ``trajmeter.task_id``, in the attributes of a
            span or in the baggage.
        emit: Whether to emit an event ``gen_ai.evaluation.result`` for each figure.
        figures: Names of these figures; by default some of each family.
        logger: The logger that emits the events; by default that of the global provider.

    Raises:
        UnknownNameError: There is no such figure.
    """

    def __init__(
        self,
        scorer: Scorer,
        *,
        emit: bool = False,
        figures: Sequence[str] = (),
        logger: Logger | None = None,
    ) -> None:
        names = figures or [
            f"{family.name}.{name}"
            for family in scorer.layout.families
            for name in FIGURES.get(family.name, ())
        ]
        self._figures: dict[str, NamedFigure] = {name: scorer.figure(name) for name in names}
        self._scorer = scorer
        self._emits = emit
        self._logger = logger
        self._lock = lock_for(self)
        self._open: OrderedDict[int, _Trace] = OrderedDict()
        self._has_warned = False

    def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
        """Note the task that the baggage names."""
        named = baggage.get_baggage(TASK_ID, parent_context)
        if isinstance(named, str):
            with self._lock:
                begun = self._trace(span.get_span_context().trace_id)
                begun.task_id = begun.task_id or named

    def on_end(self, span: ReadableSpan) -> None:
        """Keep a span; score the attempt if it is the root."""
        number = span.context.trace_id
        is_root = span.parent is None or span.parent.is_remote
        with self._lock:
            ended = self._open.pop(number, _Trace()) if is_root else self._trace(number)
            if len(ended.spans) < _MOST_SPANS:
                ended.spans.append(span)
            else:
                self._warn("a trace of more than 10,000 spans is cut")
            if not is_root:
                return
        try:
            for attempt in trajectories_of(ended.spans):
                if ended.task_id is not None and attempt.task_id == f"{number:032x}":
                    named = {"task_id": ended.task_id, "attempt": attempt.task_id}
                    self._score(attempt.model_copy(update=named), span)
                else:
                    self._score(attempt, span)
        except Exception:  # noqa: BLE001 - the observed program continues
            _LOG.exception("an attempt could not be scored")

    def _trace(self, number: int) -> _Trace:
        """An open trace; if a new one exceeds the limit, the oldest is dropped."""
        found = self._open.get(number)
        if found is None:
            found = self._open[number] = _Trace()
            if len(self._open) > _MOST_TRACES:
                self._open.popitem(last=False)
                self._warn(_TOO_MANY)
        return found

    def _score(self, attempt: Trajectory, root: ReadableSpan) -> None:
        scored = self._scorer.score(attempt)
        if self._emits:
            self._emit(scored, root)

    def _emit(self, scored: Scored, root: ReadableSpan) -> None:
        logger = self._logger or get_logger("trajmeter")
        context = trace.set_span_in_context(trace.NonRecordingSpan(root.context))
        for name, figure in self._figures.items():
            attributes = _attributes(name, figure.of(scored))
            logger.emit(LogRecord(event_name=_EVENT, context=context, attributes=attributes))

    def shutdown(self) -> None:
        """Drop all open traces."""
        with self._lock:
            self._open.clear()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """There is nothing to wait for."""
        del timeout_millis
        return True

    def _warn(self, message: str) -> None:
        if not self._has_warned:
            self._has_warned = True
            _LOG.warning(message)


def _attributes(name: str, score: Score) -> dict[str, Any]:
    attributes: dict[str, Any] = {_NAME: name, _LABEL: score.outcome.value}
    if score.counts and score.value is not None:
        attributes[_VALUE] = score.value
    elif score.cause is not None:
        attributes[_ERROR_TYPE] = score.cause.value
    if score.reason:
        attributes[_EXPLANATION] = score.reason
    return attributes


def _values(attributes: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in (attributes or {}).items()
        if key not in UNUSED
    }


def _span(span: Any) -> Span | None:  # noqa: ANN401 - of the SDK, or of pydantic-evals
    attributes = _values(span.attributes)
    if isinstance(span, ReadableSpan):
        resource = _values(span.resource.attributes)
        about = {key: value for key, value in resource.items() if key == TASK_ID}
        events = [_values(event.attributes) for event in span.events]
        return made_span(
            span.name,
            attributes,
            events,
            task=about,
            trace=f"{span.context.trace_id:032x}",
            identity=f"{span.context.span_id:016x}",
            parent=None if span.parent is None else f"{span.parent.span_id:016x}",
            start=None if span.start_time is None else span.start_time / _NANO,
            end=None if span.end_time is None else span.end_time / _NANO,
            is_error=span.status.status_code is trace.StatusCode.ERROR,
            message=span.status.description,
        )
    return made_span(
        span.name,
        attributes,
        trace=f"{span.trace_id:032x}",
        identity=f"{span.span_id:016x}",
        parent=None if span.parent_span_id is None else f"{span.parent_span_id:016x}",
        start=span.start_timestamp.timestamp(),
        end=span.end_timestamp.timestamp(),
        is_error=span.status == "error",
        message=None,
    )
