"""Tool calls in the shape of OpenAI's messages: name and arguments under ``function``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NoReturn, TypeGuard, cast

from trajmeter.escapes import whole_escapes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

__all__ = ["is_openai_call", "parsed_arguments", "plain_call"]

_IN_THE_MESSAGE = ("function", "id", "index", "type")


def is_openai_call(call: object) -> TypeGuard[dict[str, JsonValue]]:
    """Whether a call has its name under ``function`` instead of ``name``."""
    return (
        isinstance(call, dict)
        and call.get("name") is None
        and isinstance(call.get("function"), dict)
    )


def plain_call(call: JsonValue) -> JsonValue:
    """Convert an OpenAI-style call to Trajmeter's keys; other values are returned unchanged.

    Example:
        >>> function = {"name": "open", "arguments": '{"page": 2}'}
        >>> plain_call({"id": "c1", "type": "function", "function": function})
        {'name': 'open', 'arguments': {'page': 2}}
        >>> plain_call({"name": "open"})
        {'name': 'open'}
    """
    if not is_openai_call(call):
        return call
    function = cast("Mapping[str, JsonValue]", call["function"])
    others = {key: value for key, value in call.items() if key not in _IN_THE_MESSAGE}
    return {
        **others,
        "name": function.get("name"),
        "arguments": parsed_arguments(function.get("arguments")),
    }


def parsed_arguments(arguments: JsonValue) -> JsonValue:
    """Parse arguments that are the text of a JSON object; any other value is returned unchanged.

    Example:
        >>> parsed_arguments('{"page": 2}'), parsed_arguments("{"), parsed_arguments("")
        ({'page': 2}, '{', {})
    """
    if not isinstance(arguments, str):
        return arguments
    text = whole_escapes(arguments.strip(_BLANKS))
    if not text.startswith("{"):
        return arguments if arguments.strip() else {}  # a call without arguments
    parsed: JsonValue
    try:
        parsed, end = _decode(text)
    except (ValueError, RecursionError):
        return arguments
    return parsed if end == len(text) else arguments


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


_BLANKS = " \t\r\n"
_decode = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode
