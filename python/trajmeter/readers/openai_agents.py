"""Traces of openai-agents: one line for each trace and span, as passed to its exporter.

Spans contain tokens, times and tool calls, but neither the model's text nor the ids of its calls;
those are in the items of a session, which are a list of messages
(:mod:`trajmeter.readers.messages`). Spans are written when they end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.limits import is_too_long
from trajmeter.readers._logs.sessions import events
from trajmeter.readers._logs.values import (
    as_list,
    as_object,
    as_text,
    epoch_seconds,
    seconds_between,
)
from trajmeter.readers._recognition.evidence import beginning
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.messages.calls import call_of, called_in
from trajmeter.readers.messages.drafts import Draft, finished
from trajmeter.readers.messages.results import result_value
from trajmeter.readers.messages.shapes import content_text
from trajmeter.readers.messages.usage import openai_usage
from trajmeter.readers.tool_views import TOOL_VIEWS
from trajmeter.records import Failure, ReadProblem, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.records import Turn

__all__ = ["OPENAI_AGENTS_TRACES"]

_OBJECTS = ("trace", "trace.span")
_ANSWERS = ("response", "generation")
_BUDGETS = {"Max turns exceeded": "max_turns_exceeded"}

_Span = dict[str, Any]


def _recognises(_: Path, head: bytes) -> Evidence | None:
    values = [each for each in beginning(head) if isinstance(each, dict)]
    spans = sum(each.get("object") in _OBJECTS for each in values)
    if spans * 2 <= len(values):
        return None
    return Evidence.CERTAIN if spans == len(values) else Evidence.LIKELY


def _records(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """The attempts of a file, one per trace."""
    traces: dict[str, list[_Span]] = {}
    for event in events(path, report):
        if event.value.get("object") not in _OBJECTS:
            event.problem(f"object is {event.value.get('object')!r}, expected a trace or a span")
            continue
        name = event.value.get("trace_id") or event.value.get("id")
        traces.setdefault(str(name), []).append(event.value)
    for name, lines in traces.items():
        yield _attempt(name, lines, Source(file=str(path), record=name))


def _attempt(name: str, lines: Iterable[_Span], source: Source) -> Trajectory:
    """Convert a trace to a trajectory."""
    trace: Mapping[str, Any] = {}
    by_id: dict[object, _Span] = {}
    for number, line in enumerate(lines):
        if line.get("object") == "trace":
            trace = line
        else:  # of a span that was exported again, the last state counts
            by_id[as_text(line.get("id")) or number] = line
    spans = [*by_id.values()]
    spans.sort(key=lambda span: epoch_seconds(span.get("started_at")) or 0.0)
    drafts, ends = _drafts(spans)
    held = finished([draft for draft, _ in drafts], views=TOOL_VIEWS)
    agents = [span for span in spans if _data(span).get("type") == "agent"]
    metadata = as_object(trace.get("metadata")) or {}
    error = _error_of_run(spans, agents)
    message = None if error is None else as_text(error.get("message"))
    starts = [epoch_seconds(span.get("started_at")) for span in spans]
    return Trajectory(
        task_id=as_text(metadata.get("task_id")) or name,
        attempt=name if as_text(metadata.get("task_id")) else None,
        agent=as_text(_data(agents[0]).get("name")) if agents else None,
        model=next((draft.model for draft, _ in drafts if draft.model), None),
        source=source,
        turns=tuple(map(_timed, held.turns, drafts, ends)),
        final_output=held.turns[-1].text if held.turns else None,
        leaks=held.leaks,
        duration_seconds=seconds_between(
            min((each for each in starts if each is not None), default=None),
            max((end for span in spans if (end := _end(span)) is not None), default=None),
        ),
        failure=None if error is None else _failure(error),
        metadata={} if message is None else {"exit_status": message},
    )


def _error_of_run(spans: list[_Span], agents: list[_Span]) -> dict[str, Any] | None:
    """The error that ended a run: of an agent or else of the last model request.

    Errors within a tool are that tool's; the run goes on.
    """
    by_id = {str(span.get("id")): span for span in spans}
    requests = [span for span in spans if _data(span).get("type") in _ANSWERS]
    ends = [*agents, *requests[-1:]]
    outer = [
        span
        for span in ends
        if all(_data(each).get("type") != "function" for each in _around(span, by_id))
    ]
    return next((error for span in outer if (error := as_object(span.get("error")))), None)


def _failure(error: Mapping[str, Any]) -> Failure:
    message = as_text(error.get("message"))
    said = as_object(error.get("data")) or {}
    if is_too_long(message, as_text(said.get("error"))):
        return Failure(reason="budget_exhausted", message=message)
    return Failure(reason=_BUDGETS.get(message or "", "error"), message=message)


def _drafts(spans: list[_Span]) -> tuple[list[tuple[Draft, _Span]], list[float | None]]:
    """A turn for each answer of the model, with the tools called before the next answer.

    Runs of several agents may overlap; spans of an answer and of its tools have the same parent.
    """
    by_id = {str(span.get("id")): span for span in spans}
    drafts: list[tuple[Draft, _Span]] = []
    ends: list[float | None] = []
    last: dict[str | None, int] = {}
    for index, span in enumerate(spans):
        data = _data(span)
        if data.get("type") in _ANSWERS:
            is_empty = data.get("type") == "generation" and data.get("output") is None
            if data.get("usage") is None and (is_empty or span.get("error") is not None):
                continue  # a provider error
            draft = _answer(index, data)
            draft.agent = _agent_of(span, by_id)
            last[as_text(span.get("parent_id"))] = len(drafts)
            drafts.append((draft, span))
            ends.append(_end(span))
        elif data.get("type") == "function" and drafts:
            at = last.get(as_text(span.get("parent_id")), len(drafts) - 1)
            _call(drafts[at][0], span)
            ends[at] = max(filter(None, (ends[at], _end(span))), default=None)
    return drafts, ends


def _answer(index: int, data: Mapping[str, Any]) -> Draft:
    draft = Draft(index)
    usage = as_object(data.get("usage"))
    draft.usage = None if usage is None else openai_usage(usage)
    draft.model = as_text(data.get("model"))
    for message in as_list(data.get("output")):
        if isinstance(message, dict):
            draft.texts += filter(None, [content_text(message.get("content"))])
            draft.calls += [
                call
                for each in called_in(message, message.get("content"))
                if (call := call_of(each))
            ]
    return draft


def _call(draft: Draft, span: _Span) -> None:
    """Add a tool's result to its call; add the call too if the answer is not recorded."""
    data = _data(span)
    name, error = data.get("name"), as_object(span.get("error"))
    same = (each for each in draft.calls if each["result"] is None and each["name"] == name)
    call = next(same, None)
    if call is None:
        call = call_of({"name": name, "arguments": data.get("input")})
        if call is None:
            return
        draft.calls.append(call)
    if data.get("output") is not None:
        call["result"] = result_value(data["output"])
    call["success"] = error is None
    call["error"] = None if error is None else as_text(error.get("message"))
    call["duration_seconds"] = seconds_between(epoch_seconds(span.get("started_at")), _end(span))


def _timed(turn: Turn, answered: tuple[Draft, _Span], end: float | None) -> Turn:
    start = epoch_seconds(answered[1].get("started_at"))
    return turn.model_copy(update={"duration_seconds": seconds_between(start, end)})


def _agent_of(span: _Span, spans: Mapping[str, _Span]) -> str | None:
    """Name of the agent that a span belongs to."""
    found = (_data(each) for each in _around(span, spans))
    return next((as_text(data.get("name")) for data in found if data.get("type") == "agent"), None)


def _around(span: _Span, spans: Mapping[str, _Span]) -> Iterator[_Span]:
    """The spans around a span, from the inside."""
    seen: set[str] = set()
    while (parent := str(span.get("parent_id"))) in spans and parent not in seen:
        seen.add(parent)
        span = spans[parent]
        yield span


def _data(span: _Span) -> Mapping[str, Any]:
    return as_object(span.get("span_data")) or {}


def _end(span: _Span) -> float | None:
    return epoch_seconds(span.get("ended_at"))


OPENAI_AGENTS_TRACES = FileFormat(
    name="openai-agents-traces",
    description="traces of openai-agents",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "attempt",
        "turns.text",
        "turns.program",
        "turns.success",
        "turns.error",
        "turns.agent",
        "turns.tool_calls.name",
        "turns.tool_calls.arguments",
        "turns.tool_calls.id",
        "turns.tool_calls.result",
        "turns.tool_calls.success",
        "turns.tool_calls.error",
        "turns.tool_calls.duration_seconds",
        "turns.views",
        "turns.usage",
        "turns.duration_seconds",
        "final_output",
        "duration_seconds",
        "failure",
        "leaks",
        "metadata",
    ),
    origin="openai-agents 0.24.0, each item.export() of a TracingExporter as a line",
    recognises=_recognises,
    records=_records,
)
