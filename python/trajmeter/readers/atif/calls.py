"""Calls of an ATIF step with their results, in the various forms of agents and converters.

The format has no success flag, and its tools depend on the agent: results from Codex and
mini-swe-agent state exit codes, harbor's converter from Claude Code keeps the original result
beside its own text, its converter from SWE-agent has commands as ``raw_action``, and terminus-2
types commands into a terminal, one screen of which shows several.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from trajmeter.readers._logs.outputs import output_of, script_of
from trajmeter.readers._logs.replies import Call
from trajmeter.readers._logs.shown import shown_parts, texts_of
from trajmeter.readers._logs.values import as_int, as_list, as_object, as_text
from trajmeter.readers.atif.terminal import printed_by, typed
from trajmeter.readers.claude_code import results as claude_results

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pydantic import JsonValue

    from trajmeter.readers._logs.shown import Viewer

__all__ = ["calls_of"]

_TERMINAL, _SWE_AGENT = "bash_command", "swe_agent_action"
_EDITORS, _RANGE = ("str_replace_editor", "edit_anthropic"), "--view_range"
_SHELLS = frozenset(
    ("bash", "Bash", "exec_command", "execute_bash", "local_shell", "shell", "shell_command")
)
_KEEPS_FOLDER = frozenset((_TERMINAL, _SWE_AGENT, "Bash", "execute_bash"))


def calls_of(
    step: Mapping[str, Any], viewer: Viewer, problem: Callable[[str, str], None]
) -> list[Call]:
    """The calls of a step.

    Args:
        step: The step.
        viewer: Finds what the calls showed.
        problem: Called with the place within the step and what is unusable there.
    """
    calls = []
    for at, value in enumerate(as_list(step.get("tool_calls"))):
        name = as_text((as_object(value) or {}).get("function_name"))
        if name is None:
            problem(f"tool_calls[{at}]", "expected a call with function_name")
            continue
        calls.append(Call(name, value.get("arguments"), as_text(value.get("tool_call_id"))))
    for call in calls:
        call.command = _command(call)
    found = as_object(step.get("observation")) or {}
    results = [result for result in as_list(found.get("results")) if isinstance(result, dict)]
    assigned = _assigned(calls, results)
    kept = [id(result) for result in assigned]
    for at, each in enumerate(results if calls else ()):
        if id(each) not in kept:
            problem(f"observation.results[{at}]", "a result without a call")
    printed = _on_screen(calls, results)
    for at, (call, result) in enumerate(zip(calls, assigned, strict=True)):
        if printed is not None:
            _show_screen(call, result, printed[at], viewer)
        elif result is not None:
            _finish(call, result, viewer)
    return calls


def _command(call: Call) -> str | None:
    arguments = as_object(call.arguments) or {}
    if call.name == _TERMINAL:
        return typed(as_text(arguments.get("keystrokes")) or "")
    if call.name == _SWE_AGENT:
        return as_text(arguments.get("raw_action"))
    if call.name not in _SHELLS:
        return None
    return script_of(arguments.get("command") or arguments.get("cmd"))


def _seen_by(call: Call) -> Call:
    """The call that determines the views; SWE-agent's editor is a command with own arguments."""
    match _words(call.command) if call.name == _SWE_AGENT else []:
        case [name, "view", path, *options] if name in _EDITORS:
            arguments: dict[str, JsonValue] = {"command": "view", "path": path}
            if _RANGE in options:
                at = options.index(_RANGE) + 1
                arguments["view_range"] = [as_int(word) for word in options[at : at + 2]]
            return Call(name, arguments, success=call.success)
    return call


def _words(command: str | None) -> list[str]:
    try:
        return shlex.split(command or "")
    except ValueError:
        return []


def _assigned(
    calls: Sequence[Call], results: Sequence[dict[str, Any]]
) -> list[dict[str, Any] | None]:
    """The result of each call: by id, the others in order; a single result is the last call's."""
    by_id = {as_text(result.get("source_call_id")): result for result in results}
    nameless = [result for result in results if as_text(result.get("source_call_id")) is None]
    by_id.pop(None, None)
    found = [by_id.get(call.id) for call in calls]
    open_places = [at for at, result in enumerate(found) if result is None]
    if len(nameless) == 1:
        open_places = open_places[-1:]
    for at, result in zip(open_places, nameless, strict=False):
        found[at] = result
    return found


def _on_screen(calls: Sequence[Call], results: Sequence[dict[str, Any]]) -> list[str | None] | None:
    """What each call printed to the terminal; ``None`` if the agent has none."""
    commands = [call.command for call in calls if call.name == _TERMINAL]
    if not commands:
        return None
    screen = "\n".join(text for result in results for text in texts_of(result.get("content")))
    printed = iter(printed_by([command for command in commands if command], screen))
    return [next(printed) if call.command else None for call in calls]


def _show_screen(
    call: Call, result: dict[str, Any] | None, printed: str | None, viewer: Viewer
) -> None:
    if result is not None:
        call.result = shown_parts(result.get("content"))
    if printed is not None or call.name != _TERMINAL:
        viewer.look(call, printed or "", is_kept=True)


def _finish(call: Call, result: dict[str, Any], viewer: Viewer) -> None:
    extra = as_object(result.get("extra")) or {}
    metadata = as_object(extra.get("tool_result_metadata")) or {}
    original = as_object(metadata.get("raw_tool_result"))
    if original is not None:
        claude_results.finish(call, original, metadata.get("tool_use_result"), viewer)
        return
    call.result = shown_parts(result.get("content"))
    text = "\n".join(texts_of(call.result))
    output = output_of(text)
    if output.exit_code == 0 or extra.get("tool_result_is_error") is False:
        call.success = True
    elif output.exit_code is not None or output.is_refusal:
        call.fail(output.text.strip(), exit_code=output.exit_code)
    elif extra.get("tool_result_is_error") is True:
        call.fail(text.strip())
    if call.result is None:
        call.reads = True  # nothing was shown
    elif call.success is not False or output.exit_code is not None:
        seen = _seen_by(call)
        viewer.look(
            seen,
            None if output.is_cut else output.text,
            exit_code=output.exit_code,
            is_kept=call.name in _KEEPS_FOLDER,
        )
        call.views, call.leaks, call.reads = seen.views, seen.leaks, seen.reads
