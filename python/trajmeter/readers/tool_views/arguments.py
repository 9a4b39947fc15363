"""Arguments of tool calls: values by any of several names, and the command of a shell."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, TypeAlias

from trajmeter.readers.tool_views.names import RUN_TEXT
from trajmeter.records.openai_calls import parsed_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.records import ToolCall

__all__ = ["Names", "arguments_of", "command_of", "integer_of", "value_of"]

Names: TypeAlias = str | tuple[str, ...]
"""One or several names of an argument."""

_COMMANDS = ("command", "cmd", "script", "commands")
_SHELL_AND_FLAG = 2


def arguments_of(call: ToolCall) -> Mapping[str, Any]:
    """The arguments of a call, parsed if they are JSON text; none unless they are an object."""
    arguments = call.arguments
    if type(arguments) is dict:
        return arguments
    if isinstance(arguments, str):
        arguments = parsed_arguments(arguments)
    return arguments if isinstance(arguments, dict) else {}


def value_of(arguments: Mapping[str, Any], names: Names) -> Any:  # noqa: ANN401 - of any type
    """The value of an argument; of several names, the first present counts."""
    got = arguments.get
    if type(names) is str:
        return got(names)
    for name in names:
        value = got(name)
        if value is not None:
            return value
    return None


def integer_of(value: object) -> int | None:
    """The integer that a value is or states as text; ``None`` for others."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, str) and value.strip().removeprefix("-").isdecimal():
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def command_of(arguments: Mapping[str, Any]) -> str | None:
    """The command of a shell: text, words as of ``["bash", "-lc", "ls"]``, or some commands."""
    command = value_of(arguments, _COMMANDS)
    if isinstance(command, list) and all(isinstance(word, str) for word in command) and command:
        several: object = arguments.get("commands")
        if isinstance(several, list) and several is command:
            return "\n".join(several)
        runs_text = command[0].rpartition("/")[2] in RUN_TEXT and len(command) > _SHELL_AND_FLAG
        if runs_text and command[1].startswith("-"):
            return str(command[2])
        return shlex.join(command)
    return command if isinstance(command, str) else None
