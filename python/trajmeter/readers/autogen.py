"""Results and saved states of AutoGen's agents and teams.

A result is what ``run`` returns (``TaskResult``): the events of all agents, with the tokens of each
model call. A state is what ``save_state`` returns for an agent (the messages of its model, without
tokens) or for a team (the events that its manager saw).

Each answer of the model is a turn, with the calls it requests and their results. Summaries of calls
and handoffs, which AutoGen makes without a model, are not turns, nor is what people typed in.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from trajmeter.errors import ReadError
from trajmeter.json_input import type_name
from trajmeter.readers._logs.values import as_list, as_object, as_text, first_object
from trajmeter.readers._recognition.formats import Evidence, RecordFormat
from trajmeter.readers.messages.fields import CARRIED_BY_MESSAGES, fields_of, name_of
from trajmeter.readers.messages.turns import message_turns
from trajmeter.records import Failure, Trajectory, Usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.records import Source

__all__ = ["AUTOGEN_RESULTS", "AUTOGEN_STATES"]

_AGENT_STATE = "AssistantAgentState"
_TEAM_STATE = "TeamState"
_STATES = (_AGENT_STATE, _TEAM_STATE)
_REQUEST = "ToolCallRequestEvent"
_RESULTS = ("ToolCallExecutionEvent", "FunctionExecutionResultMessage")
_USER = "user"
_USER_ASKED = "UserInputRequestedEvent"
_STRUCTURED = "StructuredMessage"
"""How the type of a message with an object as content begins, followed by the object's class."""
_CODE = "CodeGenerationEvent"
_RAN = "CodeExecutionEvent"
_SAID = ("TextMessage", "StopMessage", "MultiModalMessage", _CODE)
_TYPED_IN = (*_SAID, "HandoffMessage")
_BUDGETS = (
    "Maximum number of messages",
    "Maximum number of turns",
    "Max rounds reached",
    "Token usage limit",
    "Timeout",
)


def _is_result(record: Mapping[str, JsonValue]) -> Evidence | None:
    """Whether it is a list of events that name their source and type, and maybe a stop reason."""
    events = record.get("messages")
    first = first_object(as_list(events))
    is_event = {"source", "models_usage", "type"} <= first.keys()
    return Evidence.CERTAIN if is_event else None


def _read_result(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a result to a trajectory; the file name gives the task.

    Raises:
        ReadError: There is no list of events.
        pydantic.ValidationError: A value has the wrong type.
    """
    return _of_events(record.get("messages"), source, record.get("stop_reason"))


def _is_state(record: Mapping[str, JsonValue]) -> Evidence | None:
    known = record.get("type") in _STATES and isinstance(record.get("version"), str)
    return Evidence.DECLARED if known else None


def _read_state(record: Mapping[str, JsonValue], source: Source) -> Trajectory:
    """Convert a saved state to a trajectory.

    Raises:
        ReadError: There are no messages.
        pydantic.ValidationError: A value has the wrong type.
    """
    if record.get("type") == _TEAM_STATE:
        for state in _values(record.get("agent_states")):
            if isinstance(state, dict) and isinstance(state.get("message_thread"), list):
                return _of_events(state["message_thread"], source, None)
        raise ReadError("agent_states: expected the state of a manager, with its message_thread")
    context = record.get("llm_context")
    messages = context.get("messages") if isinstance(context, dict) else None
    if not isinstance(messages, list):
        raise ReadError(f"llm_context.messages: expected a list, got {type_name(messages)}")
    return _trajectory(messages, source, None)


def _values(value: JsonValue) -> list[JsonValue]:
    return [*value.values()] if isinstance(value, dict) else []


def _of_events(events: JsonValue, source: Source, reason: JsonValue) -> Trajectory:
    if not isinstance(events, list):
        raise ReadError(f"messages: expected a list, got {type_name(events)}")
    return _trajectory(events, source, reason)


def _trajectory(events: list[JsonValue], source: Source, reason: JsonValue) -> Trajectory:
    read = [*_plain(events)]
    held = message_turns(
        [message for _, message in read], places=[place for place, _ in read], usage=_usage
    )
    code_runs = _code_runs(events)
    turns = [
        turn.model_copy(update=code_runs.get(start, {}) | {"agent": _source(events[start])})
        for turn, start in zip(held.turns, held.starts, strict=True)
    ]
    names = {turn.agent for turn in turns}
    is_over = isinstance(reason, str) and reason.startswith(_BUDGETS)
    return Trajectory.model_validate(
        {
            **fields_of(held),
            "task_id": name_of(source),
            "agent": next(iter(names)) if len(names) == 1 else None,
            "source": source,
            "turns": turns,
            "failure": {"reason": "budget_exhausted", "message": reason} if is_over else None,
            "metadata": {"stop_reason": reason} if isinstance(reason, str) else {},
        }
    )


def _plain(events: list[JsonValue]) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Events as OpenAI-style messages with their positions, without summaries and the like."""
    people = {_USER, *(_source(event) for event in events if _kind(event) == _USER_ASKED)}
    for place, event in enumerate(events):
        if not isinstance(event, dict):
            yield place, {"role": None, "content": event}
            continue
        kind, content = _kind(event), event.get("content")
        about = {"role": "assistant", "models_usage": event.get("models_usage")}
        if kind in _RESULTS:
            yield from ((place, result) for result in _given_back(content))
        elif kind == "UserMessage" or (kind in _TYPED_IN and _source(event) in people):
            yield place, {"role": "user", "content": content}
        elif kind == _REQUEST or (kind == "AssistantMessage" and isinstance(content, list)):
            calls: list[JsonValue] = [
                {"id": call.get("id"), "type": "function", "function": call}
                for call in (content if isinstance(content, list) else ())
                if isinstance(call, dict)
            ]
            yield place, {**about, "tool_calls": calls}
        elif kind.startswith(_STRUCTURED):
            text = None if content is None else json.dumps(content, ensure_ascii=False)
            yield place, {**about, "content": text}
        elif kind == "AssistantMessage" or kind in _SAID:
            yield place, {**about, "content": content}


def _kind(event: JsonValue) -> str:
    return as_text((as_object(event) or {}).get("type")) or ""


def _source(event: JsonValue) -> str | None:
    name = (as_object(event) or {}).get("source")
    return name if isinstance(name, str) else None


def _code_runs(events: list[JsonValue]) -> dict[int, dict[str, Any]]:
    """The code that agents wrote, and whether it succeeded, by the position of the answer."""
    runs: dict[int, dict[str, Any]] = {}
    latest: dict[str | None, dict[str, Any]] = {}  # by agent: those of a graph work side by side
    for place, event in enumerate(events):
        if isinstance(event, dict) and _kind(event) == _CODE:
            blocks = [as_object(each) or {} for each in as_list(event.get("code_blocks"))]
            codes = [code.rstrip("\n") for each in blocks if (code := as_text(each.get("code")))]
            latest[_source(event)] = runs[place] = {"program": "\n".join(codes) or None}
        elif isinstance(event, dict) and _kind(event) == _RAN:
            code = (as_object(event.get("result")) or {}).get("exit_code")
            answer = latest.get(_source(event))
            if type(code) is int and answer is not None:
                error = Failure(reason="exit_code", message=f"exit code {code}") if code else None
                answer |= {"success": code == 0, "error": error}
    return runs


def _given_back(results: JsonValue) -> Iterator[dict[str, JsonValue]]:
    for result in results if isinstance(results, list) else ():
        if isinstance(result, dict):
            failed = result.get("is_error")
            status: dict[str, JsonValue] = {}
            if isinstance(failed, bool):
                status["status"] = "error" if failed else "success"
            yield {
                "role": "tool",
                "tool_call_id": result.get("call_id"),
                "name": result.get("name"),
                "content": result.get("content"),
                **status,
            }


def _usage(message: Mapping[str, Any]) -> Usage | None:
    """Tokens of the model call that produced an answer; AutoGen writes 0 if none were recorded."""
    used = message.get("models_usage")
    if not isinstance(used, dict):
        return None
    counts = {
        "input_tokens": used.get("prompt_tokens"),
        "output_tokens": used.get("completion_tokens"),
    }
    kept = {
        name: count
        for name, count in counts.items()
        if isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 1 << 63
    }
    return Usage(**kept) if any(kept.values()) else None


_CARRIES = (*(field for field in CARRIED_BY_MESSAGES if field != "model"), "agent", "metadata")

AUTOGEN_RESULTS = RecordFormat(
    name="autogen-results",
    description="results of AutoGen",
    makes=Trajectory,
    carries=(*_CARRIES, "failure"),
    origin="autogen-agentchat 0.7.5, TaskResult",
    keys=frozenset({"messages"}),
    recognises=_is_result,
    read=_read_result,
)

AUTOGEN_STATES = RecordFormat(
    name="autogen-states",
    description="saved states of AutoGen",
    makes=Trajectory,
    carries=_CARRIES,
    origin="autogen-agentchat 0.7.5, save_state of agents and teams",
    keys=frozenset({"llm_context", "agent_states"}),
    recognises=_is_state,
    read=_read_state,
)
