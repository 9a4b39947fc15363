"""Arguments of tool calls: parses them from text, and compares them as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Hashable
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, NoReturn, TypeAlias, TypeGuard, cast

from trajmeter.json_input import MOST_DIGITS, type_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import JsonValue

__all__ = [
    "DEEPEST",
    "Arguments",
    "JsonKey",
    "Malformed",
    "are_simple",
    "json_key",
    "keyed_arguments",
    "read_arguments",
]

Arguments: TypeAlias = "dict[str, JsonValue]"
JsonKey: TypeAlias = Hashable

# In Python, true equals 1; in JSON they are different values.
_TRUE, _FALSE = object(), object()

DEEPEST = 100
"""Maximum nesting depth of objects and lists: far deeper than any tool's arguments, and a depth
that every later step can handle."""

# Values of these types are their own keys, and most arguments contain no others.
_THEIR_OWN_KEY = frozenset((str, int, type(None)))


@dataclass(frozen=True, slots=True)
class Malformed:
    """Arguments that are not a JSON object; their call matches nothing, not even itself."""

    reason: str
    """What was found, and what was expected."""


def read_arguments(recorded: JsonValue) -> Arguments | Malformed:
    """Return the arguments as an object, whether they were recorded as one or as JSON text.

    Null and absent arguments are an empty object. NaN and infinities are invalid, as text or as
    numbers; integers of more than 4,300 digits are refused, as in all JSON input.

    Example:
        >>> read_arguments('{"q": 1}')
        {'q': 1}
        >>> read_arguments("[1]")
        Malformed(reason='the arguments are a list, expected an object')
    """
    arguments = recorded
    if arguments is None:
        return {}
    if isinstance(arguments, str):
        try:
            # Only a long text can hold a long number; others are read faster without this check.
            read_integer = _read_integer if len(arguments) > MOST_DIGITS else None
            arguments = json.loads(
                arguments, parse_constant=_refuse_constant, parse_int=read_integer
            )
        except _TooLongError as error:
            return Malformed(f"the arguments contain {error}")
        except ValueError as error:
            return Malformed(f"the arguments are not valid JSON: {error}")
        except RecursionError:
            return _TOO_DEEP
    if not isinstance(arguments, dict):
        return Malformed(f"the arguments are {type_name(arguments)}, expected an object")
    return arguments


def json_key(value: object, *, depth: int = 0) -> JsonKey:
    """Return a hashable key; two JSON values have the same key if and only if they are equal.

    Numbers are compared by value, so 1 equals 1.0, and integers of any size are compared exactly;
    true does not equal 1. The order of an object's keys does not matter; that of a list does.

    Args:
        value: The value.
        depth: How deeply it is nested in another.

    Raises:
        ValueError: The value contains NaN, an infinity or something that JSON does not have, or is
            nested more than 100 deep.

    Example:
        >>> json_key({"a": 1, "b": None}) == json_key({"b": None, "a": 1.0})
        True
        >>> json_key([True]) == json_key([1])
        False
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, (int, float)):
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{value} is not a JSON number")
        return value
    if depth > DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} deep")
    if isinstance(value, dict):
        if _THEIR_OWN_KEY.issuperset(map(type, value.values())):
            return frozenset(value.items())
        return frozenset([(name, json_key(item, depth=depth + 1)) for name, item in value.items()])
    if isinstance(value, (list, tuple)):
        return tuple([json_key(item, depth=depth + 1) for item in value])
    raise ValueError(f"a {type(value).__name__} is not a JSON value")


def keyed_arguments(recorded: JsonValue) -> tuple[Arguments, JsonKey] | Malformed:
    """Read the arguments, and return them with their :func:`json_key`."""
    if type(recorded) is dict:
        for value in recorded.values():
            if type(value) not in _THEIR_OWN_KEY:
                break
        else:
            return recorded, frozenset(recorded.items())
    arguments = read_arguments(recorded)
    if isinstance(arguments, Malformed):
        return arguments
    try:
        return arguments, json_key(arguments)
    except ValueError as error:
        return Malformed(f"the arguments cannot be compared: {error}")


def are_simple(recorded: Sequence[JsonValue]) -> TypeGuard[Sequence[Arguments]]:
    """Whether all are objects of texts, integers and nulls, whose frozen items serve as keys."""
    values = chain.from_iterable(map(dict.values, cast("Sequence[Arguments]", recorded)))
    try:
        return _THEIR_OWN_KEY.issuperset(map(type, values))
    except TypeError:  # one is not an object
        return False


_TOO_DEEP = Malformed(f"the arguments are nested too deeply to be read, more than {DEEPEST} deep")


class _TooLongError(ValueError):
    """An integer has more digits than can be read."""


def _read_integer(text: str) -> int:
    digits = len(text.removeprefix("-"))
    if digits > MOST_DIGITS:
        raise _TooLongError(
            f"an integer of {digits:,} digits, expected {MOST_DIGITS:,} digits at most"
        )
    return int(text)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
