"""Runs of OpenHands' SDK: events of several kinds, in a line of its evaluations or in a folder.

Actions of one answer of the model share its ``llm_response_id`` and come before their
observations, which name the call that they answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trajmeter.readers._formats import Evidence, RecordFormat
from trajmeter.readers.openhands.attempt import (
    Call,
    Reply,
    budget_failure,
    mapping,
    metric_fields,
    seconds,
    turns_of,
    usage_by_reply,
)
from trajmeter.records import Failure, Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["CARRIED", "SDK_EVENTS", "read_events"]

_SHELLS = frozenset({"terminal", "execute_bash", "bash"})
_FAILED = "error"
_FINISHED = "finished"

CARRIED = (
    "agent",
    "model",
    "turns.number",
    "turns.text",
    "turns.program",
    "turns.success",
    "turns.error",
    "turns.tool_calls",
    "turns.views",
    "turns.usage.input_tokens",
    "turns.usage.output_tokens",
    "turns.usage.cached_input_tokens",
    "turns.usage.cache_write_tokens",
    "turns.usage.reasoning_tokens",
    "turns.duration_seconds",
    "final_output",
    "usage",
    "duration_seconds",
    "failure",
    "leaks",
    "metadata",
)


def read_events(
    events: Iterable[object], usages: Mapping[str, Any], root: str | None
) -> dict[str, Any]:
    """The fields of a trajectory that its events tell.

    Args:
        events: The events in order.
        usages: Tokens of each answer of the model, by its id.
        root: Folder of the repository; else where the first command ended that changed no folder.
    """
    run = _Run()
    for event in events:
        run.add(mapping(event))
    turns, leaks = turns_of(run.replies, usages, root or run.root)
    times = [time for time in (run.first, run.last) if time is not None]
    return {
        "turns": turns,
        "leaks": leaks,
        "final_output": run.final_output,
        "failure": run.failure,
        "duration_seconds": times[1] - times[0] if len(times) == 2 else None,  # noqa: PLR2004 - the first and the last
        "metadata": {} if run.status is None else {"exit_status": run.status},
    }


class _Run:
    """A run as its events are read."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.final_output: str | None = None
        self.failure: Failure | None = None
        self.status: str | None = None
        self.root: str | None = None
        self.first: float | None = None
        self.last: float | None = None
        self._calls: dict[str, Call] = {}

    def add(self, event: Mapping[str, Any]) -> None:
        kind = event.get("kind")
        if kind == "ActionEvent":
            self._act(event)
        elif kind == "MessageEvent":
            self._say(event)
        elif kind == "ObservationEvent":
            self._observe(event)
        elif kind in ("AgentErrorEvent", "UserRejectObservation"):
            self._refuse(event)
        elif kind == "ConversationErrorEvent":
            self.status = _FAILED
            code, detail = event.get("code"), event.get("detail")
            self.failure = budget_failure(str(detail or ""), reason=str(code) if code else None)
        elif kind == "ConversationStateUpdateEvent":
            state = event.get("value") if event.get("key") == "execution_status" else None
            self.status = state if isinstance(state, str) else self.status
        time = seconds(event)
        self.first = time if self.first is None else self.first
        self.last = self.last if time is None else time

    def _reply(self, event: Mapping[str, Any]) -> Reply:
        """The answer that an event is part of."""
        identity = event.get("llm_response_id")
        identity = identity if isinstance(identity, str) else None
        if identity is None or not self.replies or self.replies[-1].id != identity:
            self.replies.append(Reply(identity, before=self.last))
        return self.replies[-1]

    def _say(self, event: Mapping[str, Any]) -> None:
        if event.get("source") != "agent":
            return
        text = _text(mapping(event.get("llm_message")).get("content"))
        if text:
            self._reply(event).texts.append(text)
            self.final_output = text

    def _act(self, event: Mapping[str, Any]) -> None:
        reply = self._reply(event)
        thought = _text(event.get("thought"))
        if thought:
            reply.texts.append(thought)
        name, identity = event.get("tool_name"), event.get("tool_call_id")
        action = event.get("action")
        call = Call(str(name or "unknown"), _arguments(event))
        call.id = identity if isinstance(identity, str) else None
        call.begun = seconds(event)
        command = mapping(action).get("command")
        if call.name in _SHELLS and isinstance(command, str):
            call.command = command
        if call.name == "finish":
            message = mapping(action).get("message")
            self.final_output = message if isinstance(message, str) else self.final_output
            self.status = _FINISHED
        reply.calls.append(call)
        if call.id is not None:
            self._calls[call.id] = call

    def _observe(self, event: Mapping[str, Any]) -> None:
        call = self._calls.get(str(event.get("tool_call_id")))
        observation = mapping(event.get("observation"))
        if call is None:
            return
        content = observation.get("content")
        output = observation.get("output") if content is None else content
        call.result = _text(output) or ""
        call.ended = seconds(event)
        about = mapping(observation.get("metadata"))
        code = observation.get("exit_code", about.get("exit_code"))
        call.exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
        folder = about.get("working_dir")
        if isinstance(folder, str) and folder.startswith("/"):
            call.folder = folder
            if self.root is None and "cd " not in (call.command or ""):
                self.root = folder
        is_shell = call.command is not None and call.exit_code is not None
        call.success = call.exit_code == 0 if is_shell else not observation.get("is_error")
        if observation.get("is_error"):
            call.success = False
        if call.success is False:
            call.error = _sent(call.result, call.exit_code, about) if is_shell else call.result

    def _refuse(self, event: Mapping[str, Any]) -> None:
        call = self._calls.get(str(event.get("tool_call_id")))
        error = event.get("error") or event.get("rejection_reason")
        if call is not None:
            call.success, call.error, call.ended = False, str(error or ""), seconds(event)


def _arguments(event: Mapping[str, Any]) -> JsonValue:
    """The arguments as the model sent them."""
    written = mapping(event.get("tool_call")).get("arguments")
    if isinstance(written, str):
        try:
            parsed: JsonValue = json.loads(written)
        except (ValueError, RecursionError):
            return written
        return parsed
    action = event.get("action")
    return dict(action) if isinstance(action, Mapping) else written


def _text(content: object) -> str | None:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [mapping(part).get("text") for part in content]
    return "\n".join(text for text in texts if isinstance(text, str))


def _sent(output: str, code: int | None, about: Mapping[str, Any]) -> str:
    """What the model is told of a command, which ends with where and how it ended."""
    text = f"{about.get('prefix') or ''}{output}{about.get('suffix') or ''}"
    if about.get("working_dir"):
        text += f"\n[Current working directory: {about['working_dir']}]"
    if about.get("py_interpreter_path"):
        text += f"\n[Python interpreter: {about['py_interpreter_path']}]"
    return f"{text}\n[Command finished with exit code {code}]"


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    history = record.get("history")
    if not isinstance(history, list):
        return None
    first = history[0] if history else None
    if isinstance(first, dict) and str(first.get("kind")).endswith("Event"):
        return Evidence.CERTAIN
    is_empty = not history and "llm" in mapping(record.get("metadata"))
    return Evidence.LIKELY if is_empty and "test_result" in record else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Turn a line into a trajectory.

    Raises:
        pydantic.ValidationError: A value has the wrong type.
    """
    metrics, about = mapping(record.get("metrics")), mapping(record.get("metadata"))
    history = record.get("history")
    events = history if isinstance(history, list) else []
    fields = read_events(events, usage_by_reply(metrics), None)
    error, attempt = record.get("error"), record.get("attempt")
    if fields["failure"] is None and isinstance(error, str) and error:
        fields["failure"] = budget_failure(error)
    return Trajectory.model_validate(
        {
            **fields,
            **metric_fields(metrics, mapping(about.get("llm"))),
            "task_id": record.get("instance_id"),
            "agent": "openhands",
            "attempt": str(attempt) if isinstance(attempt, int) else None,
            "source": source,
            "final_patch": mapping(record.get("test_result")).get("git_patch"),
        }
    )


SDK_EVENTS = RecordFormat(
    name="openhands-sdk",
    description="runs of OpenHands' SDK",
    makes=Trajectory,
    carries=(*CARRIED, "attempt", "final_patch"),
    origin="OpenHands SDK 1",
    keys=frozenset({"history", "test_result"}),
    recognises=_recognises,
    read=_read,
)
