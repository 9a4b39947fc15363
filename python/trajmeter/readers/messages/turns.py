"""Turns from a list of messages: each answer of the model with the results of its calls."""

from __future__ import annotations

from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from trajmeter.readers.messages.conversation import Conversation, UsageReader
from trajmeter.readers.messages.drafts import FailureTest, finished
from trajmeter.readers.messages.usage import message_usage
from trajmeter.readers.tool_views import TOOL_VIEWS, ToolViews

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trajmeter.records import Leak, Turn

__all__ = ["MessageTurns", "message_turns"]


class MessageTurns(NamedTuple):
    """The turns and other data derived from a list of messages."""

    turns: tuple[Turn, ...]
    """A turn for each answer of the model."""
    final_output: str | None
    """Text of the last answer."""
    transcript: str | None
    """All text of messages and results in order; ``None`` if there is none."""
    dropped_calls: int
    """Number of calls without a name, and of results without a call."""
    unusable: dict[str, str]
    """Messages that could not be used, by position, such as ``messages[7]``."""
    leaks: tuple[Leak, ...] | None
    """Parts of the solution that calls read; ``None`` if no tool is known to read files."""
    model: str | None
    """The model named by the last answers."""
    starts: tuple[int, ...]
    """Position of the first message of each turn."""


def message_turns(
    messages: Iterable[object],
    *,
    places: Iterable[int] | None = None,
    views: ToolViews | None = TOOL_VIEWS,
    failed: FailureTest | None = None,
    usage: UsageReader = message_usage,
    exit_codes: Mapping[str, int] = MappingProxyType({}),
    durations: Mapping[str, float] = MappingProxyType({}),
) -> MessageTurns:
    """Convert a list of messages, in any known shape, to turns.

    Args:
        messages: Mappings, or objects with ``model_dump``.
        places: Position of each message in its log, if these are only some of the log's.
        views: Determines what calls show; ``None`` to record no views.
        failed: Whether a call failed, for calls whose messages do not say.
        usage: Reads the usage of an answer; by default from its message.
        exit_codes: Exit codes of commands by call id, if recorded separately from results.
        durations: Duration of calls in seconds by call id, if recorded separately.
    """
    conversation = Conversation(usage)
    for index, message in zip(count() if places is None else places, messages, strict=False):
        conversation.add(index, message)
    drafts = conversation.drafts
    for draft in drafts if durations else ():
        for call in draft.calls:
            call["duration_seconds"] = durations.get(call["id"])
    codes = {**conversation.exit_codes, **exit_codes}
    turns, leaks = finished(drafts, views=views, failed=failed, exit_codes=codes)
    return MessageTurns(
        turns=turns,
        final_output=turns[-1].text if turns else None,
        transcript="\n\n".join(conversation.transcript) or None,
        dropped_calls=conversation.dropped,
        unusable=conversation.unusable,
        leaks=leaks,
        model=next((draft.model for draft in reversed(drafts) if draft.model), None),
        starts=tuple([draft.start for draft in drafts]),
    )
