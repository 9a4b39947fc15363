"""Claude Code streams: the output of ``--output-format stream-json`` or ``json``.

The first event names session, model and folder; the last one is the result. Events of replies
contain only the usage at their start, so usage is recorded for the whole run. A file may contain
several consecutive streams. Without ``--verbose``, ``json`` prints the result alone, without turns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.replies import TOKENS, TURNS, leaks_of, turns_of, usage_fields
from trajmeter.readers._logs.sessions import (
    STRANGERS,
    Clock,
    events,
    first_objects,
    known_only,
    stem_of,
)
from trajmeter.readers._logs.values import as_list, as_object, as_text, epoch_seconds
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.claude_code.conversation import (
    AGENT,
    Conversation,
    api_failure,
    usage_of,
)
from trajmeter.records import Failure, Trajectory
from trajmeter.records.measurements import finite
from trajmeter.schemas import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.readers._logs.sessions import Event
    from trajmeter.records import ReadProblem, Source, Usage

__all__ = ["STREAMS", "read_events"]

_TYPES = frozenset(("assistant", "stream_event", "system", "user"))
_SUCCESS = "success"
_BUDGETS = {
    "error_max_turns": "max_turns_exceeded",
    "error_max_budget_usd": "budget_exhausted",
}


def _recognises(_: Path, head: bytes) -> Evidence | None:
    strangers = 0
    for first in first_objects(head):
        kind = as_text(first.get("type"))
        is_event = "session_id" in first and kind is not None
        if (is_event and kind in _TYPES) or _is_result(first):
            return Evidence.CERTAIN
        strangers += not is_event  # else an event of another type, such as rate_limit_event
        if strangers > STRANGERS:
            return None
    return None


def _is_result(value: Mapping[str, Any]) -> bool:
    is_one = value.get("type") == "result" and "subtype" in value
    return is_one and not {"num_turns", "session_id"}.isdisjoint(value)


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the streams of a file in order."""
    return read_events(events(path, report), stem_of(path))


def read_events(found: Iterable[Event], name: str) -> Iterator[Trajectory]:
    """Read the events of consecutive streams.

    Args:
        found: The events.
        name: Name for a stream without a session.
    """
    stream: _Stream | None = None
    for event in found:
        session = as_text(event.value.get("session_id"))
        if stream is not None and stream.is_over_before(event, session):
            if stream.is_begun:
                yield stream.trajectory(name)
            stream = None
        if stream is None:
            stream = _Stream(session, event.source)
        stream.add(event)
    if stream is not None:
        yield stream.trajectory(name)


class _Stream:
    """The data from the events of one stream so far."""

    def __init__(self, session: str | None, source: Source) -> None:
        self._session = session
        self._source = source
        self._model: str | None = None
        self._version: str | None = None
        self._has_messages = False
        self._conversation = Conversation(has_usage=False)
        self._clock = Clock()
        self._result: Event | None = None

    @property
    def is_begun(self) -> bool:
        """Whether any of its lines belongs to a stream."""
        has_events = self._has_messages or self._result is not None
        return has_events or self._session is not None or self._model is not None

    def is_over_before(self, event: Event, session: str | None) -> bool:
        """Whether an event belongs to the next stream."""
        if session is not None and session != self._session:
            return True
        # The same session, resumed: its messages are not repeated.
        return self._result is not None and event.value.get("subtype") == "init"

    def add(self, event: Event) -> None:
        """Add an event."""
        value = event.value
        self._clock.tick(epoch_seconds(value.get("timestamp")))
        match value.get("type"):
            case "system" if value.get("subtype") == "init":
                self._model = self._model or as_text(value.get("model"))
                self._version = self._version or as_text(value.get("claude_code_version"))
                self._conversation.folder = self._conversation.folder or as_text(value.get("cwd"))
            case "user" | "assistant":
                self._has_messages = True
                self._conversation.add(event, agent=as_text(value.get("parent_tool_use_id")))
            case "result":
                self._result = event

    def trajectory(self, name: str) -> Trajectory:
        """The run, after all its events were added."""
        conversation = self._conversation
        conversation.name_agents()
        replies = conversation.replies
        said = {} if self._result is None else self._result.value
        texts = [reply.text for reply in replies if reply.text and reply.agent is None]
        milliseconds = finite(said.get("duration_ms"))
        answer = said.get("result")
        if answer in (None, ""):
            answer = said.get("structured_output", answer)
        if answer is not None and not isinstance(answer, str):
            answer = json_text(answer)
        return Trajectory(
            task_id=self._session or name,
            agent=AGENT,
            model=self._model or conversation.model or _only_model(said),
            source=self._source,
            turns=turns_of(replies) if self._has_messages else None,
            leaks=leaks_of(replies) if self._has_messages else None,
            final_output=answer if answer is not None else (texts[-1] if texts else None),
            usage=None if self._result is None else _usage(self._result),
            duration_seconds=self._clock.passed if milliseconds is None else milliseconds / 1000,
            failure=_failure(said, conversation.said_instead),
            dropped_calls=conversation.dropped,
            unusable=conversation.unusable,
            metadata=known_only(
                exit_status=as_text(said.get("subtype")),
                version=self._version,
                permission_denials=len(as_list(said.get("permission_denials"))) or None,
            ),
        )


def _only_model(said: Mapping[str, Any]) -> str | None:
    """The model of a result without other events, if it used exactly one."""
    models = list(as_object(said.get("modelUsage")) or {})
    return models[0] if len(models) == 1 else None


def _usage(result: Event) -> Usage | None:
    cost = result.value.get("total_cost_usd", result.value.get("cost_usd"))  # the older name
    return usage_of(result, result.value.get("usage"), cost=finite(cost))


def _failure(said: Mapping[str, Any], instead: str | None) -> Failure | None:
    """Why the run failed: the subtype and the flag may contradict each other, and either counts."""
    subtype = as_text(said.get("subtype"))
    if subtype is None:
        return None if instead is None else api_failure(instead)
    if subtype == _SUCCESS and said.get("is_error") is not True:
        return None
    errors = [text for text in as_list(said.get("errors")) if isinstance(text, str)]
    message = "\n".join(errors) or as_text(said.get("result")) or instead
    if subtype == _SUCCESS:
        return api_failure(message)
    return Failure(reason=_BUDGETS.get(subtype, subtype), message=message)


STREAMS = FileFormat(
    name="claude-code-streams",
    description="streams of Claude Code",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        *TURNS,
        *usage_fields(
            "usage",
            names=(*TOKENS, "cost_usd"),
        ),
        "turns.agent",
        "turns.duration_seconds",
        "final_output",
        "duration_seconds",
        "failure",
        "dropped_calls",
        "unusable",
        "metadata",
    ),
    origin="Claude Code 2.1.330",
    ignores_others=True,
    recognises=_recognises,
    records=_read,
)
