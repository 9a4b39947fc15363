"""Describes invalid values in one line, in the words of JSON."""

from __future__ import annotations

import json
import reprlib
from typing import TYPE_CHECKING

from pydantic import BaseModel

from trajmeter.json_input import NOTHING, SHOWN

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

__all__ = ["describe_detail", "describe_error", "describe_errors"]

# Expected values, by the type of pydantic's error, whose own messages name Python types. Braces are
# filled in from the error's context.
_EXPECTED = {
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list"),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type"), "an object"
    ),
    "string_type": "text",
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing"), "an integer"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    "finite_number": "a finite number",
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    "none_required": "null",
    **dict.fromkeys(("enum", "literal_error"), "{expected}"),
    "greater_than": "more than {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "less than {lt}",
    "less_than_equal": "at most {le}",
    "too_short": "at least {min_length} items",
    "too_long": "at most {max_length} items",
}


def describe_detail(error: ErrorDetails) -> str:
    """Describe an invalid field: where it is, what was expected, and its value as JSON."""
    where = "".join(
        f"[{key}]" if isinstance(key, int) else f".{key}" for key in error["loc"]
    ).removeprefix(".")
    what = _fault(error)
    return f"{where}: {what}" if where else what


def describe_error(error: ValidationError) -> str:
    """Describe an invalid record in one line: place, expectation, and value as JSON."""
    first, *more = error.errors(include_url=False)
    rest = f" (and {len(more)} more)" if more else ""
    return describe_detail(first) + rest


def describe_errors(error: ValidationError) -> str:
    """Like :func:`describe_error`, for all errors of a record."""
    return "; ".join(map(describe_detail, error.errors(include_url=False)))


def _fault(error: ErrorDetails) -> str:
    known, given = error.get("ctx", {}), error["input"]
    if isinstance(given, dict):  # beside a value of ours, which was not in the input
        given = {key: each for key, each in given.items() if not isinstance(each, BaseModel)}
    shown = _SHORT.repr(given)
    match error["type"]:
        case "missing":
            what = f"required, but missing from {shown}"
        case "extra_forbidden":
            what = f"unknown key, with the value {shown}"
        case "json_invalid" if not error["input"].strip():
            what = NOTHING
        case "json_invalid":
            what = f"invalid JSON: {known['error']}; it begins {shown}"
        case "value_error":
            what = f"{known['error']}, got {shown}"
        case kind if kind in _EXPECTED:
            what = f"expected {_EXPECTED[kind].format(**known)}, got {shown}"
        case _:
            what = f"{error['msg'].replace('Input should be', 'expected')}, got {shown}"
    return what


class _Short(reprlib.Repr):
    """The beginning of a value's JSON text."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2
        self.maxstring = SHOWN

    def repr_str(self, x: str, level: int) -> str:
        del level
        start = x if len(x) <= self.maxstring else f"{x[: self.maxstring - 3]}..."
        return json.dumps(start, ensure_ascii=not start.isprintable())

    def repr_bytes(self, x: bytes, level: int) -> str:
        return self.repr_str(x[: self.maxstring].decode(errors="replace"), level)

    def repr_int(self, x: int, level: int) -> str:
        try:
            repr(x)
        except ValueError:  # exceeds Python's limit; later releases describe it themselves
            return f"an integer of {x.bit_length()} bits"
        return super().repr_int(x, level)

    def repr_float(self, x: float, level: int) -> str:
        del level
        return json.dumps(x)

    def repr_bool(self, x: bool, level: int) -> str:  # noqa: FBT001 - called by its base
        del level
        return json.dumps(x)

    def repr_NoneType(self, x: None, level: int) -> str:  # noqa: N802 - named after the type
        del level
        return json.dumps(x)

    def repr_tuple(self, x: tuple[object, ...], level: int) -> str:
        return self.repr_list([*x], level)


_SHORT = _Short()
