"""Assembles replies from the messages in Claude Code's sessions and streams.

A reply is spread over several lines, one per block, which share its id and repeat its usage: the
last one counts, once. Results are on separate lines, in the order in which the calls finished.
Lines of sub-agents are interleaved. Text that Claude Code itself writes in the model's place, such
as an API error, is not a reply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.limits import is_too_long
from trajmeter.readers._logs.replies import Call, Reply
from trajmeter.readers._logs.sessions import usage_from
from trajmeter.readers._logs.shown import Viewer, texts_of
from trajmeter.readers._logs.values import as_count, as_list, as_object, as_text, epoch_seconds
from trajmeter.readers.claude_code.results import SHELL, finish
from trajmeter.records import Failure
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.readers._logs.sessions import Event
    from trajmeter.records import Usage

__all__ = ["AGENT", "Conversation", "api_failure", "usage_of"]

AGENT = "claude-code"

_SYNTHETIC = "<synthetic>"
_ERRORS = ("API Error", "Prompt is too long")


class Conversation:
    """The replies in the lines so far, ordered by their start."""

    def __init__(self, *, has_usage: bool) -> None:
        """Start without lines.

        Args:
            has_usage: Whether lines record a reply's full usage; those of streams only cover its
                start.
        """
        self.replies: list[Reply] = []
        self.model: str | None = None
        """The model of the first reply."""
        self.said_instead: str | None = None
        """The error that Claude Code wrote in the model's place, if it was the last message."""
        self.unusable: dict[str, str] = {}
        """Lines with blocks that belong to no call, by position."""
        self.dropped = 0
        """Number of such blocks."""
        self.folder: str | None = None
        """The folder in which the session started."""
        self._has_usage = has_usage
        self._viewers: dict[str | None, Viewer] = {}
        self._replies: dict[tuple[str | None, str], Reply] = {}
        self._calls: dict[str, tuple[Reply, Call]] = {}
        self._asked: dict[str | None, float | None] = {}
        self._types: dict[str, str] = {}
        self._seen: set[str] = set()

    def add(self, event: Event, *, agent: str | None = None) -> None:
        """Add a line with a message.

        Args:
            event: The line.
            agent: Id of the line's sub-agent; ``None`` for the main agent.
        """
        value = event.value
        identity = as_text(value.get("uuid"))
        if identity is not None:
            if identity in self._seen:
                return  # a resumed session begins with a copy of the old one
            self._seen.add(identity)
        self.folder = self.folder or as_text(value.get("cwd"))
        message = as_object(value.get("message")) or {}
        now = epoch_seconds(value.get("timestamp"))
        if value.get("type") == "assistant":
            self._add_reply(event, message, agent, now)
        else:
            self._add_results(event, message, agent, now)

    def name_agents(self) -> None:
        """Name the replies of sub-agents after their types, if known."""
        for reply in self.replies:
            if reply.agent is not None:
                reply.agent = self._types.get(reply.agent, reply.agent)

    def _add_reply(
        self, event: Event, message: Mapping[str, Any], agent: str | None, now: float | None
    ) -> None:
        content = message.get("content")
        if message.get("model") == _SYNTHETIC:
            text = "\n".join(texts_of(content))
            if event.value.get("isApiErrorMessage") is True or text.startswith(_ERRORS):
                self.said_instead = text or None
            return
        self.said_instead = None
        self.model = self.model or as_text(message.get("model"))
        identity = as_text(message.get("id")) or str(event.source)
        reply = self._replies.get((agent, identity))
        if reply is None:
            reply = self._replies[agent, identity] = Reply(agent, asked=self._asked.get(agent))
            self.replies.append(reply)
        reply.end(now)
        reply.texts += texts_of(content)
        if self._has_usage:
            cost = finite(event.value.get("costUSD"))
            reply.usage = usage_of(event, message.get("usage"), cost=cost) or reply.usage
        for block in as_list(content):
            if isinstance(block, dict) and block.get("type") == "tool_use":
                self._add_call(event, reply, block)

    def _add_call(self, event: Event, reply: Reply, block: Mapping[str, Any]) -> None:
        name = as_text(block.get("name"))
        if name is None:
            self._drop(event, "a call without a name")
            return
        call = Call(name, block.get("input"), as_text(block.get("id")))
        asked = call.id, call.arguments
        if call.id is not None and asked in [(each.id, each.arguments) for each in reply.calls]:
            return  # the same block on another line
        arguments = as_object(call.arguments) or {}
        if call.name == SHELL:
            call.command = as_text(arguments.get("command"))
        reply.calls.append(call)
        if call.id is not None:
            self._calls[call.id] = reply, call
            kind = as_text(arguments.get("subagent_type"))
            if kind is not None:
                self._types[call.id] = kind
        viewer = self._viewers.setdefault(reply.agent, Viewer())
        viewer.folder = as_text(event.value.get("cwd")) or viewer.folder

    def _add_results(
        self, event: Event, message: Mapping[str, Any], agent: str | None, now: float | None
    ) -> None:
        value = event.value
        blocks = as_list(message.get("content"))
        results = [b for b in blocks if isinstance(b, dict) and b.get("type") == "tool_result"]
        # The copy belongs to one result; some streams spell it with an underscore.
        copy = value.get("toolUseResult", value.get("tool_use_result"))
        for block in results:
            found = self._calls.get(as_text(block.get("tool_use_id")) or "")
            if found is None:
                self._drop(event, "a result without a call")
                continue
            reply, call = found
            reply.end(now)
            own = copy if len(results) == 1 else None
            self._note_type(call, own)
            viewer = self._viewers.setdefault(reply.agent, Viewer())
            viewer.root = self.folder
            finish(call, block, own, viewer)
        self._asked[agent] = now

    def _drop(self, event: Event, why: str) -> None:
        self.dropped += 1
        self.unusable[event.place] = why

    def _note_type(self, call: Call, copy: object) -> None:
        """Record the type of a sub-agent, whose id is in its result."""
        kind = as_text((as_object(call.arguments) or {}).get("subagent_type"))
        sub_agent = as_text((as_object(copy) or {}).get("agentId"))
        if kind is not None and sub_agent is not None:
            self._types[sub_agent] = kind


def api_failure(said: str | None) -> Failure:
    """The failure of a run whose last request was refused, from the error text."""
    return Failure(reason="budget_exhausted" if is_too_long(said) else "api_error", message=said)


def usage_of(event: Event, used: object, *, cost: float | None = None) -> Usage | None:
    """Tokens as Anthropic counts them: cached ones are separate, and are added to the input."""
    counts = as_object(used)
    if counts is None:
        return None if cost is None else usage_from({"cost_usd": cost}, event.problem)
    read, written = counts.get("cache_read_input_tokens"), counts.get("cache_creation_input_tokens")
    parts = [as_count(part) for part in (counts.get("input_tokens"), read, written)]
    details = as_object(counts.get("output_tokens_details")) or {}
    return usage_from(
        {
            "input_tokens": None if parts[0] is None else sum(part or 0 for part in parts),
            "output_tokens": counts.get("output_tokens"),
            "cached_input_tokens": read,
            "cache_write_tokens": written,
            # Also 0 if the provider did not count them.
            "reasoning_tokens": details.get("thinking_tokens") or None,
            "cost_usd": cost,
        },
        event.problem,
    )
