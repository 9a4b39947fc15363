"""Events of an Inspect sample: the agent's model calls and their results, as messages."""

from __future__ import annotations

import json
from collections import deque
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.readers._logs.values import (
    as_list,
    as_object,
    as_text,
    epoch_seconds,
    seconds_between,
)
from trajmeter.readers.messages.turns import MessageTurns, message_turns
from trajmeter.readers.messages.usage import inspect_usage
from trajmeter.records import Turn, Usage
from trajmeter.records.record import frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import JsonValue

    from trajmeter.readers.tool_views import ToolViews

__all__ = ["SampleEvents"]

_ATTACHMENT = "attachment://"
_MOST_RESTORED = 1 << 28
"""Maximum number of characters to restore from attachments, as a few references may expand to much
more."""
_SCORERS = "scorers"
_DEEPEST = 100
"""Number of enclosing spans to examine: real logs nest less deeply, and spans of a hostile log may
form a cycle."""
_HARD_FAILURE = "the tool raised an exception"
"""The error of a failed call whose reason was not shown to the model."""


class SampleEvents:
    """The events of a sample, as messages."""

    def __init__(self, sample: Mapping[str, Any], *, is_timed: bool) -> None:
        self._is_timed = is_timed
        self._attachments = as_object(sample.get("attachments")) or {}
        self._sizes: dict[str, int] = {}
        self._room = _MOST_RESTORED
        self.answers: list[Mapping[str, Any]] = []
        """Events of the agent's answered model calls."""
        self.has_others = False
        """Whether scorers called models."""
        self._scoring = 0
        self._messages: list[dict[str, Any]] = []
        self._ends: dict[str, float] = {}
        self._durations: dict[str, float] = {}
        self._exit_codes: dict[str, int] = {}
        self._ask(sample)
        self._read(_flat(as_list(sample.get("events"))))

    def turns(self, views: ToolViews | None) -> MessageTurns:
        """The agent's turns."""
        held = message_turns(
            self._messages,
            views=views,
            usage=_usage_of,
            exit_codes=self._exit_codes,
            durations=self._durations,
        )
        if not self._is_timed:
            return held
        return held._replace(turns=tuple(map(self._timed, held.turns, self.answers)))

    def whole(self, value: Any) -> Any:  # noqa: ANN401 - a value of any shape
        """A value with references to attachments replaced by their texts."""
        kind = type(value)
        if kind is str:
            if not value.startswith(_ATTACHMENT):
                return value
            return self._restored(value)
        if kind is dict:
            return {key: self.whole(each) for key, each in value.items()}
        return [self.whole(each) for each in value] if kind is list else value

    def _restored(self, text: str) -> Any:  # noqa: ANN401 - logs of other programs may hold any value
        """The attachment to which a text refers, if there is one.

        Raises:
            ReadError: The requested attachments are too large in total.
        """
        name = text.removeprefix(_ATTACHMENT)
        if name not in self._attachments:
            return text
        found = self._attachments[name]
        if name not in self._sizes:
            self._sizes[name] = len(found if type(found) is str else json.dumps(found))
        self._room -= self._sizes[name]
        if self._room < 0:
            raise ReadError(
                f"attachments: more than {_MOST_RESTORED:,} characters once they are put back "
                "into their places"
            )
        return found

    def _ask(self, sample: Mapping[str, Any]) -> None:
        asked = self.whole(sample.get("input"))
        if isinstance(asked, str):
            self._messages.append({"role": "user", "content": asked})
        else:
            self._messages += [
                each for each in as_list(asked) if (as_object(each) or {}).get("role") == "user"
            ]

    def _read(self, events: Iterable[Mapping[str, Any]]) -> None:
        spans: dict[str, tuple[str | None, str | None]] = {}
        waiting: dict[tuple[str | None, str], deque[str]] = {}
        runs: dict[str, list[int]] = {}
        calls: dict[str, str] = {}
        for event in events:
            kind = event.get("event")
            self._scoring = _scoring(event, self._scoring)
            if kind == "span_begin":
                own, parent = as_text(event.get("id")), as_text(event.get("parent_id"))
                if own is not None:
                    spans[own] = (as_text(event.get("type")), parent)
                    if event.get("type") == "tool":
                        waiting.setdefault((parent, str(event.get("name"))), deque()).append(own)
            elif kind == "model":
                span = as_text(event.get("span_id"))
                is_scorer = self._scoring > 0 or _is_within(_SCORERS, span, spans)
                self._answer(event, is_scorer=is_scorer)
            elif kind == "tool":
                identity = self._result(event)
                named = (as_text(event.get("span_id")), str(event.get("function")))
                if identity is not None and waiting.get(named):
                    calls[waiting[named].popleft()] = identity
            elif kind == "sandbox" and event.get("action") == "exec":
                span, code = as_text(event.get("span_id")), event.get("result")
                if span is not None and type(code) is int:
                    runs.setdefault(span, []).append(code)
        self._exit_codes = {
            identity: runs[span][0]
            for span, identity in calls.items()
            if len(runs.get(span, ())) == 1
        }

    def _answer(self, event: Mapping[str, Any], *, is_scorer: bool) -> None:
        choices = as_list((as_object(event.get("output")) or {}).get("choices"))
        choice = as_object(choices[0]) if choices else None
        message = None if choice is None else as_object(choice.get("message"))
        if message is None or _is_placeholder(event, message):
            return  # a provider error, or a call that was never answered
        if is_scorer:
            self.has_others = True
            return
        self.answers.append(event)
        self._messages.append(
            {
                "role": "assistant",
                "content": self.whole(message.get("content")),
                "tool_calls": [self._call(each) for each in as_list(message.get("tool_calls"))],
                "model": message.get("model"),
                "usage": event["output"].get("usage"),
            }
        )

    def _call(self, call: JsonValue) -> JsonValue:
        """A call without the parts shown only to people."""
        if not isinstance(call, dict):
            return call
        return {key: self.whole(value) for key, value in call.items() if key != "view"}

    def _result(self, event: Mapping[str, Any]) -> str | None:
        identity = as_text(event.get("id"))
        if identity is None:
            return None
        is_completed = event.get("completed") is not None
        if is_completed and self._is_timed:
            self._time(identity, event)
        # Older logs do not record when a call was completed.
        if is_completed or (event.get("result") and not event.get("pending")):
            error = self.whole(event.get("error"))
            if error is None and event.get("failed"):
                error = _HARD_FAILURE
            self._messages.append(
                {
                    "role": "tool",
                    "tool_call_id": identity,
                    "function": event.get("function"),
                    "content": self.whole(event.get("result")),
                    "error": error,
                }
            )
        return identity

    def _time(self, identity: str, event: Mapping[str, Any]) -> None:
        """Record a call's duration and end."""
        end = epoch_seconds(event.get("completed"))
        seconds = seconds_between(epoch_seconds(event.get("timestamp")), end)
        if end is not None:
            self._ends[identity] = end
        if seconds is not None:
            self._durations[identity] = seconds

    def _timed(self, turn: Turn, event: Mapping[str, Any]) -> Turn:
        """A turn with the time from the request to the model to the result of its last call."""
        ends = [self._ends[call.id] for call in turn.tool_calls if call.id in self._ends]
        end = epoch_seconds(event.get("completed"))
        last = max([end, *ends]) if end is not None else max(ends, default=None)
        seconds = seconds_between(epoch_seconds(event.get("timestamp")), last)
        return frozen(Turn, {**turn.__dict__, "duration_seconds": seconds})


def _scoring(event: Mapping[str, Any], before: int) -> int:
    """Number of steps of scorers that have begun and not ended, in older logs without spans."""
    if event.get("event") != "step" or event.get("type") != "scorer":
        return before
    return before + 1 if event.get("action") == "begin" else max(before - 1, 0)


def _is_placeholder(event: Mapping[str, Any], message: Mapping[str, Any]) -> bool:
    """Whether a message only stands for the answer that an error of the provider prevented."""
    is_empty = not message.get("content") and not message.get("tool_calls")
    return is_empty and as_text(event.get("error")) is not None


def _usage_of(message: Mapping[str, Any]) -> Usage | None:
    counts = message.get("usage")
    return inspect_usage(counts) if isinstance(counts, dict) else None


def _flat(events: Iterable[JsonValue]) -> list[Mapping[str, Any]]:
    """Events, with those that older logs nest in a tool or subtask event."""
    flat: list[Mapping[str, Any]] = []
    for event in events:
        if type(event) is dict:
            flat.append(event)
            inner = event.get("events")
            if inner and type(inner) is list:
                flat += _flat(inner)
    return flat


def _is_within(
    kind: str, span: str | None, spans: Mapping[str, tuple[str | None, str | None]]
) -> bool:
    for _ in range(_DEEPEST):
        if span is None or span not in spans:
            break
        own, span = spans[span]
        if own == kind:
            return True
    return False
