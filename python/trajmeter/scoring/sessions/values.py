"""Values that a session is given, and what is wrong with them."""

from __future__ import annotations

from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias

from pydantic import JsonValue, TypeAdapter, ValidationError

from trajmeter.arguments import as_iterable
from trajmeter.errors import InputError
from trajmeter.validation_errors import describe_error

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["JsonInput", "check_text", "checked_json", "checked_names", "checked_number"]

JsonInput: TypeAlias = str | int | float | bool | dict[str, Any] | list[Any] | None
"""A JSON value as a caller's variables are typed: a ``dict[str, str]`` is not a ``JsonValue``."""

_SCALARS = frozenset({str, int, float, bool, type(None)})


def checked_json(value: Any, name: str) -> JsonValue:  # noqa: ANN401 - whatever a harness passes
    """Copy a value, checking that JSON can represent it.

    Raises:
        InputError: JSON cannot represent it.
    """
    kind = type(value)
    if kind in _SCALARS:
        return value  # type: ignore[no-any-return]  # a scalar by its type
    if kind is dict:
        for key, each in value.items():
            if type(key) is not str or type(each) not in _SCALARS:
                break
        else:
            return {**value}
    try:
        return _json().validate_python(value)
    except ValidationError as error:
        raise InputError(f"{name}: {describe_error(error)}") from None


@cache
def _json() -> TypeAdapter[JsonValue]:
    return TypeAdapter(JsonValue)


def check_text(value: object, name: str) -> None:
    """Reject anything but text.

    Raises:
        InputError: It is anything else.
    """
    if not isinstance(value, str):
        raise InputError(f"{name} is {value!r} ({type(value).__name__}), expected text")


def checked_names(symbols: Sequence[str]) -> tuple[str, ...]:
    """The names of symbols.

    Raises:
        InputError: They are anything but a list of texts.
    """
    names = tuple(as_iterable(symbols, "a list of names", name="symbols"))
    for name in names:
        check_text(name, "a symbol")
    return names


def checked_number(value: float, name: str) -> float:
    """A number as a float.

    Raises:
        InputError: It is not a number, or not finite.
    """
    if type(value) not in (int, float) or not isfinite(value):
        raise InputError(f"{name} is {value!r}, expected a number")
    return float(value)
