"""Claude Code sessions: ``<session>.jsonl``, with sub-agents' files ``agent-<id>.jsonl``.

Only lines of the types ``user`` and ``assistant`` are turns; some of the others repeat messages. A
sub-agent's lines are in the session's file (older versions) or in separate files, beside it or in
``<session>/subagents``. These are read with the session, ordered by time among its turns; such a
file is read separately only if the session's file is missing.
"""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.errors import ReadError
from trajmeter.readers._files.content import open_content
from trajmeter.readers._logs.replies import (
    TOKENS,
    TURNS,
    in_order_of_time,
    leaks_of,
    turns_of,
    usage_fields,
)
from trajmeter.readers._logs.sessions import (
    STRANGERS,
    Clock,
    events,
    first_objects,
    known_only,
    stem_of,
    usage_from,
)
from trajmeter.readers._logs.shown import texts_of
from trajmeter.readers._logs.values import as_count, as_object, as_text, epoch_seconds
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.claude_code.conversation import AGENT, Conversation, api_failure
from trajmeter.records import Failure, Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from trajmeter.readers._logs.sessions import Event
    from trajmeter.records import ReadProblem, Usage

__all__ = ["SESSIONS"]

_TYPES = frozenset(("assistant", "attachment", "progress", "queue-operation", "system", "user"))
_SUMMARY, _SNAPSHOT = "summary", "file-history-snapshot"
_LINKS = {"type", "parentUuid", "isSidechain"}
_AGENT_FILE = "agent-*.jsonl*"
_COMPACTED = "compact_boundary"
_INTERRUPTED = "[Request interrupted by user"


def _recognises(_: Path, head: bytes) -> Evidence | None:
    found: Evidence | None = None
    strangers = 0
    for first in first_objects(head):
        kind = as_text(first.get("type"))
        # Newer versions write the session id after the message, which may be long.
        is_linked = "sessionId" in first or first.keys() >= _LINKS
        if is_linked and kind in _TYPES:
            return Evidence.CERTAIN
        # Each version puts lines of more types before the first message.
        if kind == _SNAPSHOT or (is_linked and kind is not None):
            found = Evidence.LIKELY
        elif kind != _SUMMARY or "leafUuid" not in first:
            strangers += 1
        if strangers > STRANGERS:
            return None
    return found


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the session of a file, or several; nothing of one that is part of another file's."""
    for session in _sessions(events(path, report)):
        if not session.is_begun or _is_part(path, session.identity):
            continue
        for file in _agent_files(path, session.identity):
            session.add_agent(events(file, report))
        yield session.trajectory(path)


def _sessions(lines: Iterable[Event]) -> Iterator[_Session]:
    """The sessions of a file: another begins with a first message, and some lines before it.

    A session that was resumed begins with a copy of the one before, and goes on from there.
    """
    session = _Session()
    waiting: list[Event] = []
    for event in lines:
        if not waiting and not session.is_followed_by(event.value):
            session.add(event)
            continue
        waiting.append(event)
        if event.value.get("type") in ("user", "assistant"):
            if session.is_followed_by(event.value) and _is_first(event, waiting):
                yield session
                session = _Session()
            for each in waiting:
                session.add(each)
            waiting = []
    for each in waiting:
        session.add(each)
    yield session


def _is_first(message: Event, waiting: Iterable[Event]) -> bool:
    """Whether a message follows no other but lines since the last one, which are waiting."""
    value: Mapping[str, Any] | None = message.value
    before = {as_text(each.value.get("uuid")): each.value for each in waiting}
    while value is not None:
        if "parentUuid" not in value or value.get("isSidechain") is True:
            return False
        if value.get("subtype") == _COMPACTED:
            return False
        if value["parentUuid"] is None:
            return True
        value = before.pop(as_text(value["parentUuid"]), None)
    return False


def _is_part(path: Path, identity: str | None) -> bool:
    """Whether a file belongs to a sub-agent whose session exists at its usual place."""
    if not path.match(_AGENT_FILE) or identity is None:
        return False
    folders = (path.parent, path.parent.parent.parent)
    return any(True for folder in folders for _ in folder.glob(f"{glob.escape(identity)}.jsonl*"))


def _agent_files(path: Path, identity: str | None) -> list[Path]:
    """Files of the session's sub-agents; those next to it may belong to any session there."""
    if path.match(_AGENT_FILE):
        return []
    beside = [
        file for file in sorted(path.parent.glob(_AGENT_FILE)) if _session_of(file) == identity
    ]
    return [*beside, *sorted((path.parent / stem_of(path) / "subagents").glob(_AGENT_FILE))]


def _session_of(file: Path) -> str | None:
    try:
        with open_content(file) as opened:
            first = as_object(json_input.parse(opened.readline())) or {}
            return as_text(first.get("sessionId"))
    except (OSError, ReadError):
        return None


class _Session:
    """The data from the lines so far."""

    def __init__(self) -> None:
        self.identity: str | None = None
        """Id of the session; the last one, if it begins with a copy of another."""
        self.is_begun = False
        """Whether there was a message."""
        self._agent: str | None = None
        self._conversation = Conversation(has_usage=True)
        self._clock = Clock()
        self._has_agents = False
        self._version: str | None = None
        self._started: str | None = None
        self._cost: tuple[Event, dict[str, Any]] | None = None
        self._status: str | None = None
        self._failure: Failure | None = None
        self._compactions = 0

    def is_followed_by(self, value: Mapping[str, Any]) -> bool:
        """Whether a line is of another session than the messages so far."""
        other = as_text(value.get("sessionId"))
        return self.is_begun and None not in (other, self.identity) and other != self.identity

    def add(self, event: Event) -> None:
        """Add a line of the session's file."""
        value = event.value
        self.identity = as_text(value.get("sessionId")) or self.identity
        self._version = as_text(value.get("version")) or self._version
        self._clock.tick(epoch_seconds(value.get("timestamp")))
        self._started = self._started or as_text(value.get("timestamp"))
        attached = as_object(value.get("attachment")) or {}
        match value.get("type"):
            case "user" | "assistant":
                self._add_message(event)
            case "attachment" if attached.get("type") == "max_turns_reached":
                self._status = "max_turns_reached"
                self._failure = Failure(
                    reason="max_turns_exceeded",
                    message=f"reached the limit of {attached.get('maxTurns')} turns",
                )
            case "system" if value.get("subtype") == _COMPACTED:
                self._compactions += 1
            case "cost-state":
                self._cost = event, value

    def add_agent(self, lines: Iterable[Event]) -> None:
        """Add the file of a sub-agent."""
        for event in lines:
            if event.value.get("type") in ("user", "assistant"):
                self._has_agents = True
                self._conversation.add(event, agent=as_text(event.value.get("agentId")))

    def trajectory(self, path: Path) -> Trajectory:
        """The session, after all its lines were added."""
        conversation = self._conversation
        conversation.name_agents()
        replies = conversation.replies
        if self._has_agents:
            replies = in_order_of_time(replies)
        instead = conversation.said_instead
        texts = [reply.text for reply in replies if reply.text and reply.agent == self._agent]
        return Trajectory(
            task_id=self.identity or stem_of(path),
            agent=AGENT,
            model=conversation.model,
            attempt=self._agent,
            source=Source(file=str(path)),
            turns=turns_of(replies),
            leaks=leaks_of(replies),
            final_output=texts[-1] if texts else None,
            usage=None if self._cost is None else _total(*self._cost),
            duration_seconds=self._clock.passed,
            failure=self._failure if instead is None else api_failure(instead),
            dropped_calls=conversation.dropped,
            unusable=conversation.unusable,
            metadata=known_only(
                exit_status=self._status,
                version=self._version,
                started_at=self._started,
                compactions=self._compactions or None,
            ),
        )

    def _add_message(self, event: Event) -> None:
        value = event.value
        agent = None
        if value.get("isSidechain") is True:
            agent = as_text(value.get("agentId")) or "sidechain"
        if not self.is_begun:
            self._agent = agent
        self.is_begun = True
        self._status = self._failure = None
        message = as_object(value.get("message")) or {}
        text = next(iter(texts_of(message.get("content"))), "")
        if value.get("type") == "user" and text.startswith(_INTERRUPTED):
            self._failure = Failure(reason="interrupted", message=text)
        self._conversation.add(event, agent=agent)


def _total(event: Event, value: Mapping[str, Any]) -> Usage | None:
    """The totals over all models from the session's last line."""
    models = [as_object(used) or {} for used in (as_object(value.get("modelUsage")) or {}).values()]

    def total(*keys: str) -> int | None:
        counts = [as_count(used.get(key)) for used in models for key in keys]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) > 0 else None

    read, written = "cacheReadInputTokens", "cacheCreationInputTokens"
    return usage_from(
        {
            "input_tokens": total("inputTokens", read, written),
            "output_tokens": total("outputTokens"),
            "cached_input_tokens": total(read),
            "cache_write_tokens": total(written),
            "cost_usd": value.get("totalCostUSD"),
        },
        event.problem,
        name="cost-state",
    )


SESSIONS = FileFormat(
    name="claude-code-sessions",
    description="sessions of Claude Code",
    makes=Trajectory,
    carries=(
        "agent",
        "model",
        "attempt",
        *TURNS,
        *usage_fields(
            "turns.usage",
            names=(*TOKENS, "cost_usd"),
        ),
        *usage_fields(
            "usage",
            names=(
                "input_tokens",
                "cached_input_tokens",
                "cache_write_tokens",
                "output_tokens",
                "cost_usd",
            ),
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
    origin="Claude Code 2.1.330 (and earlier layouts)",
    ignores_others=True,
    recognises=_recognises,
    records=_read,
)
