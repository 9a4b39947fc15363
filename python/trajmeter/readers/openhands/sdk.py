"""Runs of OpenHands' SDK: events in a line of its evaluations or in a folder.

Actions from one answer of the model share its ``llm_response_id`` and precede their observations,
which name the call they answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trajmeter.escapes import whole_escapes
from trajmeter.readers._logs.faults import made_trajectory
from trajmeter.readers._logs.values import as_count, as_mapping, as_text, first_object
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.openhands.attempt import (
    Call,
    budget_failure,
    metric_fields,
    seconds,
    task_named,
    usage_by_reply,
)
from trajmeter.readers.openhands.run import Run
from trajmeter.records import Extent, Failure, Trajectory, View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["CARRIED", "SDK_EVENTS", "failure_of", "read_events"]

_SHELLS = frozenset({"terminal", "execute_bash", "bash"})
_READ_FILE = "read_file"
_STATUS, _FULL = "execution_status", "full_state"
_FAILED, _STUCK = "error", "stuck"
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
    "dropped_calls",
    "unusable",
    "leaks",
    "metadata",
)


def read_events(
    events: Iterable[object], usages: Mapping[str, Any], root: str | None
) -> dict[str, Any]:
    """The trajectory fields derived from events.

    Args:
        events: The events in order.
        usages: Tokens of each model answer, by id.
        root: The repository folder; by default where the first command ended that did not change
            the folder.
    """
    run = _Run()
    for index, event in enumerate(events):
        if isinstance(event, Mapping):
            run.add(event, f"events[{index}]")
        else:
            run.pass_over(f"events[{index}]", event)
    return {**run.fields(usages, root), "failure": run.failure}


def failure_of(status: object, error: object) -> Failure | None:
    """Why a run failed, if no event says so.

    Args:
        status: How the conversation ended.
        error: The harness's error message.
    """
    if isinstance(error, str) and error:
        return budget_failure(error)
    return budget_failure("", reason=status) if status in (_FAILED, _STUCK) else None


class _Run(Run):
    """A run under construction from its events."""

    def __init__(self) -> None:
        super().__init__()
        self.failure: Failure | None = None

    def add(self, event: Mapping[str, Any], place: str) -> None:
        kind = event.get("kind")
        if self.failure is not None and kind in ("ActionEvent", "MessageEvent"):
            self.failure = self.status = None  # it continued after an error
        if kind == "ActionEvent":
            self._act(event)
        elif kind == "MessageEvent":
            self._say(event)
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            call = self.calls.get(str(event.get("tool_call_id")))
            if call is None:
                self.drop_result(place)
            elif kind == "ObservationEvent":
                self._observe(call, event)
            else:
                error = event.get("error") or event.get("rejection_reason")
                call.success, call.error, call.ended = False, str(error or ""), seconds(event)
        elif kind == "ConversationErrorEvent":
            self.status = _FAILED
            code, detail = event.get("code"), event.get("detail")
            self.failure = budget_failure(str(detail or ""), reason=str(code) if code else None)
        elif kind == "ConversationStateUpdateEvent":
            key, value = event.get("key"), event.get("value")
            state = as_mapping(value).get(_STATUS) if key == _FULL else value
            if key in (_STATUS, _FULL) and isinstance(state, str):
                self.status = state
        self.pass_time(event)

    def _say(self, event: Mapping[str, Any]) -> None:
        if event.get("source") != "agent":
            return
        text = _text(as_mapping(event.get("llm_message")).get("content"))
        if text:
            self.reply(event.get("llm_response_id")).texts.append(text)
            self.final_output = text

    def _act(self, event: Mapping[str, Any]) -> None:
        reply = self.reply(event.get("llm_response_id"))
        thought = _text(event.get("thought"))
        if thought:
            reply.texts.append(thought)
        name, identity = event.get("tool_name"), event.get("tool_call_id")
        action = event.get("action")
        call = Call(str(name or "unknown"), _arguments(event))
        call.id = identity if isinstance(identity, str) else None
        call.begun = seconds(event)
        command = as_mapping(action).get("command")
        if call.name in _SHELLS and isinstance(command, str):
            call.command = command
        if call.name == "finish":
            message = as_mapping(action).get("message")
            self.final_output = message if isinstance(message, str) else self.final_output
            self.status = _FINISHED
        reply.calls.append(call)
        if call.id is not None:
            self.calls[call.id] = call

    def _observe(self, call: Call, event: Mapping[str, Any]) -> None:
        observation = as_mapping(event.get("observation"))
        content = observation.get("content")
        output = observation.get("output") if content is None else content
        # Early versions have an error instead of a flag.
        error = observation.get("error")
        call.result = _text(output) or _text(error) or ""
        call.ended = seconds(event)
        about = as_mapping(observation.get("metadata"))
        self.end_command(call, about, observation.get("exit_code", about.get("exit_code")))
        is_shell = call.command is not None and call.exit_code is not None
        call.success = call.exit_code == 0 if is_shell else not observation.get("is_error")
        if observation.get("is_error") or error:
            call.success = False
        if call.success is False:
            call.error = _sent(call.result, call.exit_code, about) if is_shell else call.result
        elif call.name == _READ_FILE:
            call.views = _lines_read(call, observation)


def _lines_read(call: Call, observation: Mapping[str, Any]) -> tuple[View, ...] | None:
    """What Gemini's tool, which counts from 0, showed; ``None`` if it does not say."""
    asked, shown = as_mapping(call.arguments), observation.get("lines_shown")
    path, total = as_text(asked.get("file_path")), as_count(observation.get("total_lines"))
    if path is None or total is None:
        return None
    first, last = (as_count(asked.get("offset")) or 0) + 1, total
    match shown:  # if it omitted some
        case [int() as begin, int() as end] if as_count(begin) and as_count(end):
            first, last = begin, end
    if last < first:
        return ()
    return (View(path=path, extent=Extent.LINES, start=first, end=last),)


def _arguments(event: Mapping[str, Any]) -> JsonValue:
    """The arguments as sent by the model."""
    written = as_mapping(event.get("tool_call")).get("arguments")
    if isinstance(written, str):
        try:
            parsed: JsonValue = json.loads(whole_escapes(written))
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
    texts = [as_mapping(part).get("text") for part in content]
    return "\n".join(text for text in texts if isinstance(text, str))


def _sent(output: str, code: int | None, about: Mapping[str, Any]) -> str:
    """Output of a command as the model sees it, ending with its folder and exit code."""
    text = f"{about.get('prefix') or ''}{output}{about.get('suffix') or ''}"
    if about.get("working_dir"):
        text += f"\n[Current working directory: {about['working_dir']}]"
    if about.get("py_interpreter_path"):
        text += f"\n[Python interpreter: {about['py_interpreter_path']}]"
    return f"{text}\n[Command finished with exit code {code}]"


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    history = record.get("history")
    if "history" not in record or not isinstance(history, (list, type(None))):
        return None
    if str(first_object(history or ()).get("kind")).endswith("Event"):
        return Evidence.CERTAIN
    is_empty = not history and "llm" in as_mapping(record.get("metadata"))
    return Evidence.LIKELY if is_empty and "test_result" in record else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a line to a trajectory.

    Raises:
        ReadError: It names no task.
        pydantic.ValidationError: A value has the wrong type.
    """
    metrics, about = as_mapping(record.get("metrics")), as_mapping(record.get("metadata"))
    history = record.get("history")
    events = history if isinstance(history, list) else []
    fields = read_events(events, usage_by_reply(metrics), None)
    attempt = record.get("attempt")
    if fields["failure"] is None:
        fields["failure"] = failure_of(fields["metadata"].get("exit_status"), record.get("error"))
    if history is None:
        fields |= {"turns": None, "leaks": None}
    return made_trajectory(
        {
            **fields,
            **metric_fields(metrics, as_mapping(about.get("llm"))),
            "task_id": task_named(record, "instance_id"),
            "agent": "openhands",
            "attempt": str(attempt) if isinstance(attempt, int) else None,
            "source": source,
            "final_patch": as_mapping(record.get("test_result")).get("git_patch"),
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
