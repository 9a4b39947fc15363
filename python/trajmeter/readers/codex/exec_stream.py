"""Streams of ``codex exec --json``: JSON lines of threads, turns and items, without times.

Items do not say which model reply they belong to. If no message or reasoning separates the calls of
two replies, they form one turn here. Usage is recorded only for the whole thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.outputs import script_of
from trajmeter.readers._logs.replies import (
    TOKENS,
    TURNS,
    Call,
    Reply,
    leaks_of,
    turns_of,
    usage_fields,
)
from trajmeter.readers._logs.sessions import events, evidence_at_start, known_only, stem_of
from trajmeter.readers._logs.shown import Viewer, shown_parts
from trajmeter.readers._logs.values import as_int, as_object, as_text
from trajmeter.readers._recognition.formats import Evidence, FileFormat
from trajmeter.readers.codex.runs import AGENT, failure_of, used_by
from trajmeter.records import Source, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from trajmeter.readers._logs.sessions import Event
    from trajmeter.records import Failure, ReadProblem

__all__ = ["EXEC_STREAMS", "read_events"]

_BEGINS = ("thread.started", "session.created")
_LINES = ("thread.", "session.", "turn.", "item.", "error")
"""Beginnings of the types of all lines."""
_FOLLOWS = ("item.started", "item.completed")
"""Events with an item, which may come first if the lines before them are broken."""
_KINDS = frozenset({"type", "item_type"})
"""Keys for the kind of an item."""
_MESSAGES = ("agent_message", "assistant_message")
_NO_CALLS = ("error", "plan", "todo_list")
_FAILED = ("failed", "declined")


def _recognises(_: Path, head: bytes) -> Evidence | None:
    return evidence_at_start(head, _evidence)


def _evidence(first: Mapping[str, Any]) -> Evidence | None:
    if first.get("type") in _BEGINS:
        return Evidence.CERTAIN
    item = as_object(first.get("item")) or {}
    is_item = first.keys() == {"type", "item"} and not _KINDS.isdisjoint(item)
    follows = first.get("type") in _FOLLOWS if is_item else first == {"type": "turn.started"}
    return Evidence.LIKELY if follows else None


def _read(path: Path, report: Callable[[ReadProblem], None]) -> Iterator[Trajectory]:
    """Read the threads of a file in order."""
    return read_events(events(path, report), stem_of(path))


def read_events(found: Iterable[Event], name: str) -> Iterator[Trajectory]:
    """Read the events of consecutive threads.

    Args:
        found: The events.
        name: Name for a thread without an id.
    """
    thread: _Thread | None = None
    for event in found:
        if event.value.get("type") in _BEGINS or thread is None:
            identity = as_text(event.value.get("thread_id") or event.value.get("session_id"))
            if thread is None or identity is None or identity != thread.identity:
                if thread is not None and thread.is_begun:
                    yield thread.trajectory(name)
                thread = _Thread(identity, event.source)
        thread.add(event)
    if thread is not None:
        yield thread.trajectory(name)


class _Thread:
    """The data from the lines of one thread so far."""

    def __init__(self, identity: str | None, source: Source) -> None:
        self.identity = identity
        self.is_begun = False
        """Whether a line of it was added."""
        self._source = source
        self._replies: list[Reply] = []
        self._is_open = False
        self._items: dict[str, Call] = {}
        self._viewer = Viewer()
        self._used: tuple[Event, JsonValue] | None = None
        self._status: str | None = None
        self._failure: Failure | None = None

    def add(self, event: Event) -> None:
        """Add a line."""
        value = event.value
        kind = as_text(value.get("type")) or ""
        self.is_begun = self.is_begun or kind.startswith(_LINES)
        if kind.startswith("item."):
            self._add_item(as_object(value.get("item")) or {}, is_over=kind == "item.completed")
        elif kind in _BEGINS:
            self._items.clear()  # numbers restart when the thread is resumed
        elif kind == "turn.started":
            self._is_open = False
            self._status, self._failure = None, None
        elif kind == "turn.completed":
            # Counts cover the whole thread, even if resumed. Errors before it were retried.
            self._status, self._failure, self._used = kind, None, (event, value.get("usage"))
        elif kind == "turn.failed":
            self._status, self._failure = kind, failure_of(value.get("error"), status="turn_failed")
        elif kind == "error" and self._failure is None:
            self._failure = failure_of(value.get("message"), status="error")

    def trajectory(self, name: str) -> Trajectory:
        """The thread, after all its lines were added."""
        texts = [reply.text for reply in self._replies if reply.text]
        return Trajectory(
            task_id=self.identity or name,
            agent=AGENT,
            source=self._source,
            turns=turns_of(self._replies),
            leaks=leaks_of(self._replies),
            final_output=texts[-1] if texts else None,
            usage=None if self._used is None else used_by(*self._used),
            failure=self._failure,
            metadata=known_only(exit_status=self._status),
        )

    def _add_item(self, item: Mapping[str, Any], *, is_over: bool) -> None:
        kind = as_text(item.get("type")) or as_text(item.get("item_type")) or ""
        if kind in _MESSAGES or kind == "reasoning":
            if is_over:
                self._say(kind, as_text(item.get("text")))
        elif kind and kind not in _NO_CALLS:
            self._call(kind, item, is_over=is_over)

    def _say(self, kind: str, text: str | None) -> None:
        last = self._reply()
        if last.calls or last.texts:
            last = Reply()
            self._replies.append(last)
        if kind != "reasoning" and text:
            last.texts.append(text)

    def _reply(self) -> Reply:
        """The current reply, which ends with its turn of the thread."""
        if not self._is_open:
            self._replies.append(Reply())
            self._is_open = True
        return self._replies[-1]

    def _call(self, kind: str, item: Mapping[str, Any], *, is_over: bool) -> None:
        identity = as_text(item.get("id"))
        call = self._items.get(identity or "")
        if call is None:
            call = Call(_name(kind, item), id=identity)
            if identity is not None:
                self._items[identity] = call
            self._reply().calls.append(call)
        call.arguments = _arguments(kind, item)
        if kind == "command_execution":
            call.command = script_of(item.get("command"))
        if is_over:
            self._finish(call, item)

    def _finish(self, call: Call, item: Mapping[str, Any]) -> None:
        output, code = as_text(item.get("aggregated_output")), as_int(item.get("exit_code"))
        call.result = output if "aggregated_output" in item else _sent_back(item.get("result"))
        if call.command is not None and call.result is None:
            call.result = ""
        error = as_object(item.get("error")) or {"message": item.get("error")}
        status = as_text(item.get("status"))
        if status in _FAILED or code not in (0, None):
            reason = as_text(error.get("message")) or (output or "").strip()
            call.fail(reason or status, exit_code=code)
        elif status == "completed" or code == 0:
            call.success = True
        if status in _FAILED and code is None and not output:
            call.reads = True  # it was not executed
        else:
            self._viewer.look(call, output or "", exit_code=code)


def _sent_back(result: JsonValue) -> JsonValue:
    """The result of a server's tool, without image bytes."""
    content = result.get("content") if isinstance(result, dict) else None
    return result if content is None else shown_parts(content)


def _name(kind: str, item: Mapping[str, Any]) -> str:
    tool, server = as_text(item.get("tool")), as_text(item.get("server"))
    return ".".join(filter(None, (server, tool))) or kind


def _arguments(kind: str, item: Mapping[str, Any]) -> JsonValue:
    """The arguments of a call: its item without the parts about the result."""
    if "arguments" in item:
        arguments: JsonValue = item["arguments"]
        return arguments
    asked = {"command_execution": "command", "file_change": "changes", "web_search": "query"}
    key = asked.get(kind)
    return {key: item.get(key)} if key else None


EXEC_STREAMS = FileFormat(
    name="codex-exec-streams",
    description="streams of codex exec",
    makes=Trajectory,
    carries=(
        "agent",
        *TURNS,
        *usage_fields(
            "usage",
            names=TOKENS,
        ),
        "final_output",
        "failure",
        "metadata",
    ),
    origin="Codex 0.163.0 (codex exec --json)",
    ignores_others=True,
    recognises=_recognises,
    records=_read,
)
