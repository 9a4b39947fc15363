"""Assembles a model's replies from the lines of a log, and turns from replies.

A log written during a session spreads a reply over several lines: its text, each call, and later
each result, in the order in which the calls finished.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.values import seconds_between
from trajmeter.records import Failure, ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pydantic import JsonValue

    from trajmeter.records import Leak, Usage, View

__all__ = [
    "TOKENS",
    "TURNS",
    "Call",
    "Reply",
    "in_order_of_time",
    "leaks_of",
    "turns_of",
    "usage_fields",
]

TURNS = (
    "turns.number",
    "turns.program",
    "turns.success",
    "turns.error",
    "turns.text",
    "turns.tool_calls",
    "turns.views",
    "leaks",
)
"""Fields that formats with replies, calls and results can provide."""

TOKENS = (
    "input_tokens",
    "cached_input_tokens",
    "cache_write_tokens",
    "output_tokens",
    "reasoning_tokens",
)
"""Kinds of tokens that a format may report separately."""


def usage_fields(*places: str, names: Iterable[str]) -> tuple[str, ...]:
    """Fields of usage that a format can provide.

    Example:
        >>> usage_fields("turns.usage", "usage", names=["cost_usd"])
        ('turns.usage.cost_usd', 'usage.cost_usd')
    """
    return tuple(f"{place}.{name}" for name in names for place in places)


@dataclass(slots=True)
class Call:
    """A call, with the data that the log has recorded so far."""

    name: str
    arguments: JsonValue = None
    id: str | None = None
    result: JsonValue = None
    success: bool | None = None
    error: str | None = None
    reason: str = "tool_error"
    """Structured reason, if the call failed."""
    duration_seconds: float | None = None
    command: str | None = None
    """The command, if a shell ran one."""
    program: str | None = None
    """The program it ran, if not a shell command."""
    views: Sequence[View] = ()
    """What its result showed."""
    reads: bool = False
    """Whether its tool is known to read files and its result was recorded."""
    leaks: Sequence[Leak] = ()
    """Parts of the solution that it read."""

    def fail(self, error: str | None, *, exit_code: int | None = None) -> None:
        """Record that the call failed."""
        self.success = False
        if exit_code is not None:
            self.reason = "exit_code"
        self.error = error or (None if exit_code is None else f"exit code {exit_code}")

    def record(self) -> ToolCall:
        """The call as a record."""
        return ToolCall(
            name=self.name,
            id=self.id,
            arguments=self.arguments,
            result=self.result,
            success=self.success,
            error=self.error,
            duration_seconds=self.duration_seconds,
        )


@dataclass(slots=True)
class Reply:
    """One reply of the model, and the outcome of its calls."""

    agent: str | None = None
    """The agent that gave it, in a run of several."""
    texts: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    usage: Usage | None = None
    asked: float | None = None
    """When its input was complete, in seconds since 1970."""
    began: float | None = None
    """When the first of its lines was written."""
    ended: float | None = None
    """When the last of its lines was written."""
    error: Failure | None = None
    """What went wrong with the reply itself."""
    extra: dict[str, Any] = field(default_factory=dict)
    """Other data about it in the log."""
    is_done: bool = False
    """Whether the log says that a request other than a call was carried out."""

    def end(self, now: float | None) -> None:
        """Record the time of one of its lines."""
        self.began = now if self.began is None else self.began
        if now is not None:
            self.ended = now if self.ended is None else max(self.ended, now)

    @property
    def text(self) -> str | None:
        """The agent's text, without reasoning."""
        return "\n".join(self.texts) if self.texts else None

    def turn(self, number: int) -> Turn:
        """Make a turn from the reply."""
        programs = [call.command or call.program for call in self.calls]
        failed = next((call for call in self.calls if call.success is False), None)
        error = self.error
        if error is None and failed is not None:
            error = Failure(reason=failed.reason, message=failed.error)
        is_known = bool(self.calls) and all(call.success is not None for call in self.calls)
        is_known = is_known or (self.is_done and not self.calls)
        views = [view for call in self.calls for view in call.views]
        seconds = seconds_between(self.asked, self.ended)
        return Turn(
            number=number,
            program="\n".join(filter(None, programs)) or None,
            success=False if error else (True if is_known else None),
            error=error,
            agent=self.agent,
            text=self.text,
            tool_calls=tuple(call.record() for call in self.calls),
            views=tuple(views) or None,
            usage=self.usage,
            # A clock that was set back gives no duration.
            duration_seconds=seconds if seconds is not None and seconds >= 0 else None,
            extra=self.extra,
        )


def leaks_of(replies: Sequence[Reply]) -> tuple[Leak, ...]:
    """Parts of the solution that the calls of a run read."""
    return tuple(
        leak.model_copy(update={"turn": number})
        for number, reply in enumerate(replies, start=1)
        for call in reply.calls
        for leak in call.leaks
    )


def turns_of(replies: Sequence[Reply]) -> tuple[Turn, ...]:
    """The turns of a run, numbered from 1.

    A turn that showed nothing has no views. If no turn showed anything although some called tools
    that read files, those turns have empty views: the run looked and saw nothing.
    """
    turns = [reply.turn(number) for number, reply in enumerate(replies, start=1)]
    if any(turn.views for turn in turns):
        return tuple(turns)
    reads = [any(call.reads for call in reply.calls) for reply in replies]
    return tuple(
        turn.model_copy(update={"views": ()}) if looked else turn
        for turn, looked in zip(turns, reads, strict=True)
    )


def in_order_of_time(replies: Sequence[Reply]) -> list[Reply]:
    """Replies of several agents by starting time, if all have one."""
    if any(reply.began is None for reply in replies):
        return list(replies)
    return sorted(replies, key=lambda reply: reply.began or 0.0)
