"""Turns of a session from messages, which are added as they arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers.messages.conversation import Conversation
from trajmeter.readers.messages.drafts import made_call
from trajmeter.scoring.sessions.drafts import TurnDraft

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trajmeter.readers.messages.drafts import Draft
    from trajmeter.scoring.sessions.recording import Recording, Shown

__all__ = ["MessageTurns"]


class _Call:
    """A call of a message, and what was recorded of it."""

    has_failed = False
    """Whether it was counted as failed."""
    shown: Shown | None = None
    """What it showed."""

    def __init__(self, draft: TurnDraft, values: dict[str, Any]) -> None:
        self.draft = draft
        self.values = values
        """Its fields, as its messages have them so far."""
        self.recorded = {**values}
        """Its fields in the turn."""


class MessageTurns:
    """The turns that messages add to a recording, whose lock callers hold."""

    def __init__(self) -> None:
        self._conversation = Conversation()
        self._conversation.answered = []
        self._number = 0
        """Number of messages so far."""
        self._drafts: list[TurnDraft] = []
        self._waiting: list[_Call] = []
        """Calls without a result."""
        self._settled: dict[int, _Call] = {}
        """Calls with a result, by the identity of their values."""

    def add(self, messages: Iterable[object], recording: Recording) -> None:
        """Add messages, and record what they say."""
        conversation = self._conversation
        for message in messages:
            conversation.add(self._number, message)
            self._number += 1
        first = max(len(self._drafts) - 1, 0)  # in earlier turns, only calls receive results
        for place, source in enumerate(conversation.drafts[first:], first):
            if place == len(self._drafts):
                draft = TurnDraft(source.agent)
                recording.begin(draft)
                self._drafts.append(draft)
            self._take(self._drafts[place], source, recording)
        for values in conversation.answered or ():
            call = self._settled.get(id(values))
            if call is not None:  # another result
                self._settle(call, recording)
        conversation.answered = []
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            if call.values["result"] is None and call.values["success"] is None:
                self._waiting.append(call)
            else:
                self._settle(call, recording)
                self._settled[id(call.values)] = call

    def _take(self, draft: TurnDraft, source: Draft, recording: Recording) -> None:
        """Add to a turn what its message, or its items, said since."""
        draft.text, draft.record = "".join(source.texts) or None, None
        if source.usage is not None and draft.usage is None:
            spent = {name: value for name, value in source.usage if value is not None}
            recording.spend(draft, spent)
        for values in source.calls[draft.known_calls :]:
            call = _Call(draft, values)
            draft.calls.append(call.recorded)
            recording.count_call(draft, call.recorded)
            self._waiting.append(call)
        draft.known_calls = len(source.calls)

    def _settle(self, call: _Call, recording: Recording) -> None:
        """Record the result of a call, in place of an earlier one."""
        codes = self._conversation.exit_codes
        if call.shown is not None:
            recording.take_back(call.draft, call.shown)
        call.recorded.update(call.values)
        made_call(call.recorded, exit_codes=codes)
        has_failed = call.recorded["success"] is False
        recording.count_failures(has_failed - call.has_failed)
        call.has_failed = has_failed
        code = codes.get(call.recorded["id"])
        call.shown = recording.settle_call(call.draft, call.recorded, code)

    def fields(self) -> dict[str, Any]:
        """The fields of a trajectory that the messages provide, besides turns and leaks."""
        conversation = self._conversation
        models = (draft.model for draft in reversed(conversation.drafts))
        return {
            "model": next(filter(None, models), None),
            "transcript": "\n\n".join(conversation.transcript) or None,
            "final_output": self._drafts[-1].text if self._drafts else None,
            "dropped_calls": conversation.dropped,
            "unusable": {**conversation.unusable},
        }
