"""Lines of OpenHands' evaluations before its SDK: a history of actions and observations.

An observation names the action it answers by its ``cause``; in old files the two form a pair.
Actions from the same answer of the model share the id of its response. Line numbers of the action
``read`` count from 0 and exclude the last one, unless it has a ``view_range``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.faults import made_trajectory
from trajmeter.readers._logs.values import as_int, as_list, as_mapping, as_text, first_object
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.messages.usage import openai_usage
from trajmeter.readers.openhands.attempt import (
    Call,
    budget_failure,
    metric_fields,
    seconds,
    task_named,
    usage_by_reply,
)
from trajmeter.readers.openhands.contextbench import commands_show, fields_with_steps
from trajmeter.readers.openhands.run import Run
from trajmeter.readers.openhands.sdk import CARRIED
from trajmeter.readers.tool_views.evidence import numbered
from trajmeter.records import Extent, Trajectory, View

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.records import Failure, Source, Usage

__all__ = ["EVENTS"]

_SILENT = frozenset(
    {
        "change_agent_state",
        "condensation",
        "condensation_request",
        "loop_recovery",
        "null",
        "pause",
        "recall",
        "resume",
        "start",
        "stop",
        "system",
    }
)
"""Actions that are not model calls, unless the model called a tool for them."""
_FAILED = ("error", "user_rejected")
"""Observations of calls that were not executed."""
_LISTING = "Here's the files and directories"
"""How a folder view begins."""
_NOTHING = ("None", "-1")
"""Causes of observations that answer no action."""
_NAMES = {
    "run": "execute_bash",
    "run_ipython": "execute_ipython_cell",
    "read": "str_replace_editor",
    "edit": "str_replace_editor",
}
"""Tools for actions without a recorded call."""


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    history = record.get("history")
    if history is None or isinstance(history, list):
        first = first_object(
            each[0] if isinstance(each, list) and each else each for each in history or ()
        )
        if "kind" in first:
            return None
        if first.keys() & {"action", "observation"}:
            is_event = first.keys() & {"args", "extras", "source", "cause"}
            return Evidence.CERTAIN if is_event else Evidence.LIKELY
        if not history and "llm_config" in as_mapping(record.get("metadata")):
            return Evidence.LIKELY
    return None


def _events(record: Mapping[str, Any]) -> Iterator[tuple[str, object, bool]]:
    """The events of a history in order, with positions and whether each answers the one before."""
    history = record.get("history")
    for index, item in enumerate(history if isinstance(history, list) else ()):
        if isinstance(item, list):
            for place, event in enumerate(item[:2]):
                yield f"history[{index}][{place}]", event, place == 1
        else:
            yield f"history[{index}]", item, False


class _Run(Run):
    """A run under construction from its actions and observations."""

    def __init__(self) -> None:
        super().__init__()
        self._previous: Call | None = None
        self._silent: set[str] = set()
        self.usages: dict[str, Usage] = {}
        """Tokens of each model answer, from its events."""
        self.failure: Failure | None = None
        """Why the agent stopped, if its last state is an error."""

    def add(self, event: Mapping[str, Any], place: str, *, answers_previous: bool) -> None:
        if "action" in event and not answers_previous:
            self._previous = None
            is_called = "function_name" in as_mapping(event.get("tool_call_metadata"))
            is_agents = event.get("source", "agent") == "agent"
            if is_agents and (is_called or str(event["action"]) not in _SILENT):
                self._act(event)
            self._silent.add(str(event.get("id")))
        elif event.get("observation") == "agent_state_changed":
            self._change_state(as_mapping(event.get("extras")))
        elif "observation" in event:
            cause = str(event.get("cause"))
            call = self._previous if answers_previous else self.calls.get(cause)
            if call is not None:
                self._observe(call, event)
            elif not answers_previous and cause not in _NOTHING and cause not in self._silent:
                self.drop_result(place)
        self.pass_time(event)

    def _change_state(self, extras: Mapping[str, Any]) -> None:
        state = as_text(extras.get("agent_state"))
        if state is not None:
            is_error = state == "error"
            self.status = state
            self.failure = budget_failure(str(extras.get("reason") or "")) if is_error else None

    def _act(self, event: Mapping[str, Any]) -> None:
        action, args = str(event["action"]), as_mapping(event.get("args"))
        about = as_mapping(event.get("tool_call_metadata"))
        response = as_mapping(about.get("model_response"))
        reply = self.reply(response.get("id"))
        usage = openai_usage(as_mapping(response.get("usage")))
        if reply.id is not None and usage is not None:
            self.usages[reply.id] = usage
        text = args.get("content") if action == "message" else args.get("thought")
        if isinstance(text, str) and text and text not in reply.texts:
            reply.texts.append(text)
        if action == "message":
            self.final_output = text if isinstance(text, str) else self.final_output
            return
        if action in ("finish", "reject"):
            outcome = args.get("final_thought") or as_mapping(args.get("outputs")).get("content")
            outcome = outcome or text  # versions that record neither
            self.final_output = str(outcome) if outcome else self.final_output
        call = _call(action, args, about)
        call.begun = seconds(event)
        reply.calls.append(call)
        self._previous = call
        if event.get("id") is not None:
            self.calls[str(event["id"])] = call

    def _observe(self, call: Call, event: Mapping[str, Any]) -> None:
        extras = as_mapping(event.get("extras"))
        about = as_mapping(extras.get("metadata"))
        content = event.get("content")
        call.result = content if isinstance(content, str) else ""
        call.ended = seconds(event)
        self.end_command(call, about, about.get("exit_code", extras.get("exit_code")))
        if event.get("observation") in _FAILED:
            call.success = False
        elif call.exit_code is not None:
            call.success = call.exit_code == 0
        else:
            success = event.get("success", extras.get("success"))
            call.success = success if isinstance(success, bool) else True
        if call.success is False:
            call.error = call.result or f"exit code {call.exit_code}"
            call.views = () if call.command is None else None


def _call(action: str, args: Mapping[str, Any], about: Mapping[str, Any]) -> Call:
    name, identity = about.get("function_name"), about.get("tool_call_id")
    left_out = ("thought", "blocking", "is_input", "hidden", "confirmation_state", "security_risk")
    arguments = {key: value for key, value in args.items() if key not in left_out}
    call = Call(name if isinstance(name, str) else _NAMES.get(action, action), arguments)
    call.id = identity if isinstance(identity, str) else None
    command = args.get("command") if action == "run" else None
    call.command = command if isinstance(command, str) else None
    call.program = as_text(args.get("code")) if action == "run_ipython" else None
    if action in ("edit", "write"):
        call.views = ()
    return call


def _read_views(call: Call) -> tuple[View, ...]:
    """Views of an action ``read``: lines numbered in the result, otherwise those requested."""
    arguments = as_mapping(call.arguments)
    path = arguments.get("path")
    if not isinstance(path, str) or call.result is None or call.success is False:
        return ()
    if call.result.startswith(_LISTING):
        return ()
    first, last = _requested_lines(arguments)
    if ranges := numbered(call.result, first, last):
        return tuple(
            View(path=path, extent=Extent.LINES, start=begin, end=end) for begin, end in ranges
        )
    if first is None and last is None:
        return (View(path=path, extent=Extent.WHOLE),)
    begin = first or 1
    shown = begin + call.result.rstrip("\n").count("\n")
    end = shown if last is None else min(last, shown)
    return (View(path=path, extent=Extent.LINES, start=begin, end=end),)


def _requested_lines(arguments: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """The requested lines, from 1, inclusive; ``None`` where the file begins or ends."""
    match arguments.get("view_range"):
        case [int(first), int(last)]:
            return as_int(first), as_int(last) if last > 0 else None
    start, end = arguments.get("start"), arguments.get("end")
    begin = as_int(start + 1) if isinstance(start, int) and start > 0 else None
    return begin, as_int(end) if isinstance(end, int) and end > 0 else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a line to a trajectory.

    Raises:
        ReadError: It names no task.
        pydantic.ValidationError: A value has the wrong type.
    """
    run = _run(record)
    for reply in run.replies:
        for call in reply.calls:
            if call.views is None and "path" in as_mapping(call.arguments):
                call.views = _read_views(call)
    return made_trajectory(_fields(record, run, source))


def _read_as_contextbench(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a line to a trajectory with views as ContextBench counts them.

    These are what ``read`` and ``run`` request. Their union is the final context. A history of
    pairs yields none.
    """
    fields = _fields(record, _run(record), source) | {"leaks": None}
    history = as_list(record.get("history"))
    has_pairs = any(isinstance(event, list) for event in history)
    steps = () if has_pairs else (commands_show(as_mapping(event)) for event in history)
    return made_trajectory({**fields, **fields_with_steps(fields["turns"] or (), steps)})


def _run(record: Mapping[str, JsonValue]) -> _Run:
    run = _Run()
    for place, event, answers_previous in _events(record):
        if isinstance(event, dict):
            run.add(event, place, answers_previous=answers_previous)
        elif event is not None:  # one of a pair is missing
            run.pass_over(place, event)
    return run


def _fields(record: Mapping[str, JsonValue], run: _Run, source: Source) -> dict[str, Any]:
    about = as_mapping(record.get("metadata"))
    metrics, error = as_mapping(record.get("metrics")), record.get("error")
    is_failed = isinstance(error, str) and bool(error)
    agent = about.get("agent_class")
    turns = run.fields(run.usages | usage_by_reply(metrics), None)
    if record.get("history") is None:
        turns |= {"turns": None, "leaks": None}
    return {
        **turns,
        **metric_fields(metrics, as_mapping(about.get("llm_config"))),
        "task_id": task_named(record, "instance_id", "original_inst_id"),
        "agent": agent if isinstance(agent, str) else "openhands",
        "source": source,
        "final_patch": as_mapping(record.get("test_result")).get("git_patch"),
        "failure": budget_failure(str(error)) if is_failed else run.failure,
    }


EVENTS = RecordFormat(
    name="openhands",
    description="runs of OpenHands",
    makes=Trajectory,
    carries=(*CARRIED, "final_patch"),
    origin="OpenHands 0",
    keys=frozenset({"history", "test_result"}),
    recognises=_recognises,
    read=_read,
    profile_reads={"contextbench": _read_as_contextbench},
)
