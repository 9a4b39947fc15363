"""A session of Codex, from the lines of its rollout.

A reply of the model consists of the items up to its end: its usage record, an output, or the user's
next message. Events repeat the items, and are read only for what items lack: tokens, the end of a
task, exit codes and durations. The token total is the last cumulative count; it is never added to
those of single replies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.readers._logs.outputs import Output, output_of, script_of
from trajmeter.readers._logs.replies import Call, Reply, leaks_of, turns_of
from trajmeter.readers._logs.sessions import Clock, known_only
from trajmeter.readers._logs.shown import Viewer, shown_parts, texts_of
from trajmeter.readers._logs.values import as_int, as_object, as_text, epoch_seconds
from trajmeter.readers.codex.runs import AGENT, aborted, failure_of, used_by
from trajmeter.records import Source, Trajectory
from trajmeter.records.measurements import finite
from trajmeter.records.openai_calls import parsed_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from trajmeter.readers._logs.sessions import Event
    from trajmeter.records import Failure

__all__ = ["Session"]

_SHELLS = ("shell", "shell_command", "exec_command", "local_shell", "container.exec")
_PATCH = "apply_patch"
_UNPARSED = "failed to parse function arguments"
_NANO = 1e-9


class _Open(NamedTuple):
    """A call whose output has not arrived yet."""

    reply: Reply
    call: Call


class Session:
    """The data from the lines so far."""

    def __init__(self) -> None:
        self.clock = Clock()
        self._meta: dict[str, Any] = {}
        self._model: str | None = None
        self._viewer = Viewer()
        self._replies: list[Reply] = []
        self._is_open = False
        self._calls: dict[str, _Open] = {}
        self._now: float | None = None
        self._asked: float | None = None
        self._total: tuple[Event, object] | None = None
        self._output: str | None = None
        self._status: str | None = None
        self._failure: Failure | None = None
        self._compactions = 0
        self._unusable: dict[str, str] = {}
        self._silent: Reply | None = None

    def is_followed_by(self, value: Mapping[str, Any]) -> bool:
        """Whether a line begins another session; a fork also has its parents' before any reply."""
        if value.get("type") != "session_meta" or not self._replies:
            return False
        other = as_text((as_object(value.get("payload")) or {}).get("id"))
        return None not in (other, own := as_text(self._meta.get("id"))) and other != own

    def add(self, event: Event) -> None:
        """Add a line."""
        value = event.value
        self._now = epoch_seconds(value.get("timestamp"))
        self.clock.tick(self._now)
        payload = as_object(value.get("payload"))
        if payload is None:
            self._add_bare(event, value)
            return
        match value.get("type"):
            case "session_meta":
                self._meta = self._meta or payload
                self._set_folder(payload)
            case "turn_context":
                self._model = self._model or as_text(payload.get("model"))
                self._set_folder(payload)
            case "response_item":
                self._add_item(event, payload)
            case "event_msg":
                self._add_event(event, payload)
            case "token_usage_record":
                self._begin_silent()
                self._count(event, payload.get("usage"))
            case "compacted":
                self._compactions += 1
                if self._silent is not None and self._replies[-1] is self._silent:
                    self._replies.pop()  # the summary, which is made outside the agent's loop
                self._is_open = False

    def trajectory(self, source: Source, name: str) -> Trajectory:
        """The session, after all its lines were added."""
        git = as_object(self._meta.get("git")) or {}
        texts = [reply.text for reply in self._replies if reply.text]
        return Trajectory(
            task_id=as_text(self._meta.get("id")) or name,
            agent=AGENT,
            model=self._model,
            source=source,
            turns=turns_of(self._replies),
            leaks=leaks_of(self._replies),
            final_output=self._output or (texts[-1] if texts else None),
            usage=None if self._total is None else used_by(*self._total),
            duration_seconds=self.clock.passed,
            failure=self._failure,
            dropped_calls=len(self._unusable),
            unusable=self._unusable,
            metadata=known_only(
                exit_status=self._status,
                version=as_text(self._meta.get("cli_version")),
                started_at=as_text(self._meta.get("timestamp")),
                commit=as_text(git.get("commit_hash")),
                compactions=self._compactions or None,
            ),
        )

    def _set_folder(self, payload: Mapping[str, Any]) -> None:
        self._viewer.root = self._viewer.root or as_text(payload.get("cwd"))

    def _add_bare(self, event: Event, value: dict[str, Any]) -> None:
        """Add a line of the first versions: metadata, then items."""
        if "type" in value:
            self._add_item(event, value)
        elif "id" in value:
            self._meta = self._meta or value

    def _reply(self) -> Reply:
        """The current reply."""
        if not self._is_open:
            self._replies.append(Reply(asked=self._asked))
            self._is_open = True
        reply = self._replies[-1]
        reply.end(self._now)
        return reply

    def _begin_silent(self) -> None:
        """Start a reply without items, for usage that belongs to no other reply."""
        if not self._is_open and (not self._replies or self._replies[-1].usage is not None):
            self._silent = self._reply()

    def _close(self) -> None:
        """End the current reply: whatever follows responds to it."""
        self._is_open = False
        self._asked = self._now

    def _add_item(self, event: Event, item: Mapping[str, Any]) -> None:
        kind = as_text(item.get("type")) or ""
        is_said = kind == "message" and item.get("role") == "assistant"
        if self._failure is not None and (is_said or kind == "reasoning" or kind.endswith("_call")):
            self._status = self._failure = None  # the session continued without a new task
        if is_said:
            self._reply().texts += texts_of(item.get("content"))
        elif kind == "message":
            self._close()
        elif kind == "reasoning":
            self._reply()
        elif kind.endswith("_output"):
            self._add_output(event, item)
        elif kind.endswith("_call"):
            self._add_call(kind, item)

    def _add_call(self, kind: str, item: Mapping[str, Any]) -> None:
        name = as_text(item.get("name")) or kind.removesuffix("_call")
        space = as_text(item.get("namespace"))
        identity = as_text(item.get("call_id")) or as_text(item.get("id"))
        call = Call(f"{space}.{name}" if space else name, _arguments(item), id=identity)
        arguments = as_object(call.arguments) or {}
        if name in _SHELLS:
            call.command = script_of(arguments.get("command") or arguments.get("cmd"))
        elif name == _PATCH:
            call.program = as_text(call.arguments) or as_text(arguments.get("input"))
        if kind == "web_search_call":
            _note_status(call, item.get("status"))
        reply = self._reply()
        reply.calls.append(call)
        if identity is not None:
            self._calls[identity] = _Open(reply, call)

    def _add_output(self, event: Event, item: Mapping[str, Any]) -> None:
        self._close()
        found = self._calls.get(as_text(item.get("call_id")) or "")
        if found is None:
            self._unusable[event.place] = "a result without a call"
            return
        reply, call = found
        reply.end(self._now)
        sent = item.get("output")
        payload = as_object(sent)
        call.result = shown_parts(sent if payload is None else payload.get("content"))
        output = output_of("\n".join(texts_of(call.result)))
        call.duration_seconds = call.duration_seconds or output.seconds
        _judge(call, output, None if payload is None else payload.get("success"))
        arguments = as_object(call.arguments) or {}
        if not output.is_refusal:
            self._viewer.look(
                call,
                output.text,
                exit_code=output.exit_code,
                folder=as_text(arguments.get("workdir"))
                or as_text(arguments.get("working_directory")),
            )

    def _add_event(self, event: Event, payload: Mapping[str, Any]) -> None:
        match payload.get("type"):
            case "token_count":
                info = as_object(payload.get("info")) or {}
                total = info.get("total_token_usage")
                # The same event is repeated before the next reply is counted.
                if self._total is None or total != self._total[1]:
                    self._count(event, info.get("last_token_usage"))
                if as_object(total) is not None:
                    self._total = event, total
            case "task_complete" | "turn_complete":
                self._end("task_complete", payload)
            case "turn_aborted":
                reason = as_text(payload.get("reason"))
                self._close()
                self._status, self._failure = reason or "turn_aborted", aborted(reason)
            case "error":
                self._close()
                self._failure = failure_of(dict(payload), status="error")
            case "task_started" | "turn_started":
                self._close()
                self._status, self._failure, self._output = None, None, None
            case "item_completed":
                self._note(as_object(payload.get("item")) or {}, "id")
            case "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end":
                self._note(payload, "call_id")

    def _end(self, status: str, payload: Mapping[str, Any]) -> None:
        """Record the end of a task."""
        self._close()
        error = payload.get("error")
        self._status = status
        self._output = as_text(payload.get("last_agent_message"))
        if error is not None:
            self._failure = failure_of(error, status="task_error")
        elif self._output is not None:
            self._failure = None

    def _count(self, event: Event, used: object) -> None:
        """Record the usage of the last reply, which ends it."""
        if self._replies and self._replies[-1].usage is None:
            self._replies[-1].usage = used_by(event, used)
        if as_object(used) is not None:
            self._is_open = False

    def _note(self, event: Mapping[str, Any], key: str) -> None:
        """Record data about a call from an event."""
        found = self._calls.get(as_text(event.get(key)) or "")
        if found is None:
            return
        duration = as_object(event.get("duration")) or {}
        seconds, nanos = finite(duration.get("secs")), finite(duration.get("nanos"))
        if seconds is not None:
            found.call.duration_seconds = seconds + (nanos or 0) * _NANO
        code = as_int(event.get("exit_code"))
        if code is not None:
            _judge(found.call, Output("", code), None)
        elif isinstance(event.get("success"), bool):
            _judge(found.call, Output(""), event["success"])
        else:
            _note_status(found.call, event.get("status"))


def _arguments(item: Mapping[str, Any]) -> JsonValue:
    """The arguments of a call, in whichever form it has them."""
    for key in ("arguments", "input", "action"):
        if item.get(key) is not None:
            value: JsonValue = item[key]
            return parsed_arguments(value) if key == "arguments" else value
    return None


def _judge(call: Call, output: Output, success: object) -> None:
    """Record whether a call succeeded, as far as its output says."""
    if output.exit_code is not None:
        call.success = output.exit_code == 0
        if not call.success:
            call.fail(output.text.strip(), exit_code=output.exit_code)
    elif output.is_refusal or success is False:
        call.fail(output.text.strip())
        if output.text.startswith(_UNPARSED):
            call.reason = "parse_error"
    elif isinstance(success, bool):
        call.success = success
    elif call.success is False:  # an event said so without the text
        call.error = output.text.strip() or call.error


def _note_status(call: Call, status: object) -> None:
    if call.success is None and status in ("failed", "declined"):
        call.fail(str(status))
    elif call.success is None and status == "completed":
        call.success = True
