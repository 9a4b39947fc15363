"""Turns of SWE-agent's steps: what each did and showed, with the calls of the history."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

from trajmeter.escapes import whole_escapes
from trajmeter.readers._logs.values import as_mapping, as_text
from trajmeter.readers.swe_agent.actions import Shown, editor_arguments, shown
from trajmeter.records import Failure, ToolCall, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import JsonValue

    from trajmeter.records import Leak, View

__all__ = ["folder_of", "turns_with", "with_calls", "without_root"]

_REFUSED = "format_error"
_UNPARSED = "exit_format"
_ENDED = frozenset({"exit_api", "exit_context", "exit_cost", "exit_error", _UNPARSED})
"""Actions by which versions before 1.0 ended a run themselves."""


def turns_with(
    steps: list[Any], root: str | None, longest: int | None = None
) -> tuple[tuple[Turn, ...], list[Leak]]:
    """Turns of steps, with what each shows of files by paths relative to the repository root.

    The last step's output was never sent to the model, nor was output beyond the length limit.
    """
    turns: list[Turn] = []
    leaks: list[Leak] = []
    folder = root
    for number, step in enumerate(steps, start=1):
        action = (step.get("action") or "").strip()
        observation = (step.get("observation") or "")[:longest]
        is_last = number == len(steps)
        found = shown(action, observation, folder) if action and not is_last else Shown((), ())
        leaks += [leak.model_copy(update={"turn": number}) for leak in found.leaks]
        folder = folder_of(step.get("state")) or folder
        views = tuple(without_root(view, root) for view in found.views)
        turns.append(
            Turn(number=number, **_step_fields(step, action, is_last=is_last), views=views or None)
        )
    if not any(turn.views for turn in turns):
        turns = [
            turn if turn.program is None else turn.model_copy(update={"views": ()})
            for turn in turns
        ]
    return tuple(turns), leaks


def _step_fields(step: Mapping[str, Any], action: str, *, is_last: bool) -> dict[str, Any]:
    """The fields of a turn that depend only on its step."""
    text = step.get("response") or None
    if is_last and action in _ENDED:
        error = Failure(reason="exit", message=as_text(step.get("thought")))
        return {"text": text if action == _UNPARSED else None, "success": False, "error": error}
    if not action:
        # What ended the run is recorded in place of an answer.
        reason = "exit" if is_last else _REFUSED
        error = Failure(reason=reason, message=text if is_last else None)
        return {"text": None if is_last else text, "success": False, "error": error}
    call = ToolCall(
        name="bash",
        arguments={"command": action},
        result=step.get("observation"),
        duration_seconds=step.get("execution_time"),
    )
    return {"text": text, "program": action, "tool_calls": (call,)}


def folder_of(state: object) -> str | None:
    """The shell's folder after a step; old files store the state as JSON text."""
    if isinstance(state, str):
        try:
            state = json.loads(whole_escapes(state))
        except (ValueError, RecursionError):
            return None
    folder = as_mapping(state).get("working_dir")
    return folder if isinstance(folder, str) and folder.startswith("/") else None


def without_root(view: View, root: str | None) -> View:
    """A view with its path relative to the repository root."""
    if root is None or not view.path.startswith(f"{root}/"):
        return view
    return view.model_copy(update={"path": view.path.removeprefix(f"{root}/")})


def with_calls(
    history: Iterable[Mapping[str, JsonValue]], turns: tuple[Turn, ...]
) -> Iterator[Turn]:
    """The turns with the model's original calls, if the history has them."""
    actions = [message for message in history if _is_action(message)]
    place = 0
    for turn in turns:
        same = next(
            (at for at in range(place, len(actions)) if _action(actions[at]) == turn.program), None
        )
        if turn.program is None or same is None:
            yield turn
            continue
        place = same + 1
        calls = actions[same].get("tool_calls")
        made = as_mapping(calls[0]) if isinstance(calls, list) and len(calls) == 1 else {}
        yield turn.model_copy(update={"tool_calls": (_call(turn.tool_calls[0], made),)})


def _is_action(message: Mapping[str, JsonValue]) -> bool:
    return message.get("role") == "assistant" and not message.get("is_demo")


def _action(message: Mapping[str, JsonValue]) -> str | None:
    action = message.get("action")
    return action.strip() if isinstance(action, str) else None


def _call(call: ToolCall, made: Mapping[str, JsonValue]) -> ToolCall:
    function = as_mapping(made.get("function"))
    name, arguments, identity = function.get("name"), function.get("arguments"), made.get("id")
    if not isinstance(name, str):
        edited = editor_arguments(str(as_mapping(call.arguments).get("command", "")))
        if edited is None:
            return call
        return call.model_copy(update={"name": "str_replace_editor", "arguments": edited})
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError, RecursionError):
            arguments = json.loads(whole_escapes(arguments))
    identity = identity if isinstance(identity, str) else None
    return call.model_copy(update={"name": name, "arguments": arguments, "id": identity})
