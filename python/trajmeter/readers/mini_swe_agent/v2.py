"""Runs of mini-swe-agent 2: a JSON object of messages in their provider's shape, and ``extra``.

Each answer of the model is a turn, with the actions listed in its ``extra`` and the observations up
to the next answer. A format error leaves no answer, only a user message whose ``extra`` says so and
contains the model's response; it is a failed turn of its own. Views are the file lines that command
output shows; of long output, those the agent saw.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.mini_swe_agent.contextbench import repository_of, views_shown
from trajmeter.readers.mini_swe_agent.observations import Folder, Observation, steps_of
from trajmeter.readers.mini_swe_agent.run import (
    CARRIED,
    KEYS,
    Message,
    run_fields,
    seconds_between,
    text_of,
    usage_of,
    validated,
)
from trajmeter.records import Failure, ToolCall, Trajectory, Turn

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import JsonValue

    from trajmeter.readers.contextbench.views import NewView
    from trajmeter.readers.mini_swe_agent.run import Run
    from trajmeter.records import Leak, Source, View

__all__ = ["VERSION_2"]

_NOT_EXECUTED = "action was not executed"
_BY_USER = "User"
"""Prefix of the names of interruptions by the user rather than the program."""
_NEW_TASK = "UserNewTask"
"""The interruption that does not concern the preceding answer: the run continues after its
submission."""


class _Action(NamedTuple):
    """A command and its outcome."""

    command: str
    call: ToolCall
    observed: Observation


def _recognises(record: Mapping[str, JsonValue]) -> Evidence | None:
    version = record.get("trajectory_format")
    is_known = isinstance(version, str) and version.startswith("mini-swe-agent-1.")
    return Evidence.DECLARED if is_known else None


def _read(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a run to a trajectory.

    Raises:
        pydantic.ValidationError: There is no list of messages.
    """
    run, unusable = validated(record)
    folder = Folder(run)
    leaks: list[Leak] = []

    def views_of(number: int, actions: list[_Action]) -> tuple[View, ...] | None:
        views: list[View] = []
        for action in actions:
            if action.observed.code is not None:
                seen, found = folder.seen(action.command, action.observed)
                views += seen
                leaks.extend(leak.model_copy(update={"turn": number}) for leak in found)
        return tuple(views) or None

    turns = [Turn.model_validate(turn) for turn in _turns(run, views_of)]
    fields = run_fields(run, source, unusable)
    return Trajectory.model_validate({**fields, "turns": steps_of(run, turns), "leaks": leaks})


def _read_as_contextbench(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a run to a trajectory with views by the rules for version 1."""
    run, unusable = validated(record)
    repository = repository_of(run)

    def views_of(_: int, actions: list[_Action]) -> list[NewView] | None:
        return views_shown((action.command for action in actions), repository)

    return Trajectory.model_validate(
        {**run_fields(run, source, unusable), "turns": [*_turns(run, views_of)]}
    )


def _turns(run: Run, views_of: Callable[[int, list[_Action]], Any]) -> Iterator[dict[str, Any]]:
    messages = run["messages"]
    starts = [n for n, message in enumerate(messages) if _begins_turn(message)]
    for number, (start, end) in enumerate(pairwise([*starts, len(messages)]), start=1):
        before = messages[start - 1] if start else {}
        message, after = messages[start], messages[start + 1 : end]
        actions = [*_actions(message, after)]
        turn = _turn(before, message, after, actions)
        yield {"number": number, **turn, "views": views_of(number, actions)}


def _begins_turn(message: Message) -> bool:
    is_answer = message.get("role") == "assistant" or message.get("object") == "response"
    return is_answer or ("interrupt_type" in _extra(message) and _stopped(message) is None)


def _stopped(message: Message) -> str | None:
    """Name of the user interruption that stopped an answer; ``None`` for other messages."""
    interrupt = _extra(message).get("interrupt_type")
    return interrupt if isinstance(interrupt, str) and interrupt.startswith(_BY_USER) else None


def _turn(
    before: Message, message: Message, after: list[Message], actions: list[_Action]
) -> dict[str, Any]:
    interrupt = _extra(message).get("interrupt_type")
    calls = [action.call for action in actions]
    failed = next((call for call in calls if call.success is False), None)
    by_user = next((m for m in after if _stopped(m) not in (None, _NEW_TASK)), None)
    error: Failure | None = None
    if isinstance(interrupt, str):
        error = Failure(reason=interrupt, message=text_of(message) or None)
        calls = [*_refused(message)]
    elif failed is not None:
        error = Failure(reason="exit_code", message=failed.error)
    elif by_user is not None:
        error = Failure(reason=_stopped(by_user) or _BY_USER, message=text_of(by_user) or None)
    is_known = bool(calls) and all(call.success is not None for call in calls)
    observations = [message, *(other for other in after if other.get("role") != "exit")]
    return {
        "program": "\n".join(action.command for action in actions) if actions else None,
        "text": _answer_text(message),
        "success": False if error else (True if is_known else None),
        "error": error,
        "tool_calls": calls,
        "usage": usage_of(message),
        "duration_seconds": seconds_between(before, observations[-1]),
    }


def _actions(message: Message, after: list[Message]) -> Iterator[_Action]:
    """The commands of a turn with their observations: by call id, else by position.

    Servers may give several calls the same id; their observations are in call order. An observation
    after a user's command belongs to that command.
    """
    own = takewhile(lambda other: not _extra(other).get("actions"), after)
    found = [other for other in own if "returncode" in _extra(other)]
    by_id: dict[str | float, deque[Message]] = {}
    for other in found:
        names = (other.get("tool_call_id"), other.get("call_id"))
        for name in dict.fromkeys(each for each in names if isinstance(each, (str, int, float))):
            by_id.setdefault(name, deque()).append(other)
    actions = _extra(message).get("actions")
    position = 0
    for action in actions if isinstance(actions, list) else ():
        command = action.get("command") if isinstance(action, dict) else None
        if not isinstance(action, dict) or not isinstance(command, str):
            continue
        identity = action.get("tool_call_id")
        observed: Message = {}
        if identity in (None, ""):
            observed = found[position] if position < len(found) else {}
        elif isinstance(identity, (str, int, float)) and by_id.get(identity):
            observed = by_id[identity].popleft()
        position += 1
        identity = identity if isinstance(identity, str) and identity else None
        yield _action(command, identity, observed)


def _action(command: str, identity: str | None, observed: Message) -> _Action:
    extra = _extra(observed)
    code, output, exception = (
        extra.get(key) for key in ("returncode", "raw_output", "exception_info")
    )
    output = output if isinstance(output, str) else None
    exception = exception if isinstance(exception, str) and exception else None
    shown = text_of(observed) or (text if isinstance(text := observed.get("output"), str) else "")
    code = code if isinstance(code, int) and exception != _NOT_EXECUTED else None
    success = None if code is None else code == 0
    call = ToolCall(
        id=identity,
        name="bash",
        arguments={"command": command},
        result=None if code is None else output,
        success=success,
        error=(exception or shown or f"exit code {code}") if success is False else None,
    )
    known = Observation(None, code)
    if output is not None and code is not None:
        known = Observation.of_raw(output, code, shown)
    return _Action(command, call, known)


def _answer_text(message: Message) -> str | None:
    """The model's text in its answer, or in the response that a message rejects."""
    if "interrupt_type" not in _extra(message):
        return (_response_text(message) if "output" in message else text_of(message)) or None
    response, answer = (_extra(message).get(key) for key in ("response", "model_response"))
    text = ""
    if isinstance(response, dict):
        text = _response_text(response) or text_of(_choice(response))
    return text or (answer if isinstance(answer, str) else "") or None


def _response_text(response: Mapping[str, JsonValue]) -> str:
    output = response.get("output")
    items = output if isinstance(output, list) else ()
    said = [item for item in items if isinstance(item, dict) and item.get("type") == "message"]
    return "\n".join(text_of(item) for item in said)


def _choice(response: Mapping[str, JsonValue]) -> Message:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else {}


def _refused(message: Message) -> Iterator[ToolCall]:
    """The calls of a response that the harness could not use, with unparsed arguments."""
    response = _extra(message).get("response")
    if not isinstance(response, dict):
        return
    output = response.get("output")
    items = output if isinstance(output, list) else _choice(response).get("tool_calls")
    for item in items if isinstance(items, list) else ():
        call = item.get("function", item) if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(call, dict):
            continue
        name, identity = call.get("name"), item.get("call_id") or item.get("id")
        if isinstance(name, str):
            yield ToolCall(
                id=identity if isinstance(identity, str) else None,
                name=name,
                arguments=call.get("arguments"),
                success=False,
                error=text_of(message) or None,
            )


def _extra(message: Message) -> Mapping[str, JsonValue]:
    extra = message.get("extra")
    return extra if isinstance(extra, Mapping) else {}


VERSION_2 = RecordFormat(
    name="mini-swe-agent-2",
    description="runs of mini-swe-agent 2",
    makes=Trajectory,
    carries=(*CARRIED, "turns.tool_calls.id"),
    origin="mini-swe-agent 2",
    keys=KEYS,
    recognises=_recognises,
    read=_read,
    profile_reads={"contextbench": _read_as_contextbench},
)
