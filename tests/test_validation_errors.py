"""How invalid values are described."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from trajmeter.records import Source, Trajectory
from trajmeter.validation_errors import describe_error, describe_errors


@pytest.mark.parametrize("content", [b"", b" \r\n"])
def test_nothing_is_called_empty(content: bytes) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(list[int]).validate_json(content)
    assert describe_error(caught.value) == "empty, expected JSON"


def test_an_error_is_described_in_one_line() -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(dict[str, list[int]]).validate_python({"a.b": [1, "x" * 500], "c": None})
    message = describe_error(caught.value)
    assert message.startswith('a.b[1]: expected an integer, got "xxx')
    assert message.endswith("(and 1 more)")
    assert len(message) < 200
    assert describe_errors(caught.value).endswith("; c: expected a list, got null")


def place(name: str) -> str:
    raise ValueError("not a place")


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (tuple[int, ...], {"a": None}, 'expected a list, got {"a": null}'),
        (dict[str, int], [True, "b"], 'expected an object, got [true, "b"]'),
        (Source, 3, "expected an object, got 3"),
        (dict[str, str], {"a": None}, "a: expected text, got null"),
        (list[int], [1, 1.5], "[1]: expected an integer, got 1.5"),
        (float, {}, "expected a number, got {}"),
        (Annotated[float, Field(allow_inf_nan=False)], math.nan, "a finite number, got NaN"),
        (bool, "maybe", 'expected true or false, got "maybe"'),
        (None, False, "expected null, got false"),
        (Literal["a", "b"], "\u202ec", "expected 'a' or 'b', got \"\\u202ec\""),
        (Annotated[int, Field(ge=0)], -1, "expected at least 0, got -1"),
        (tuple[int, int], (1,), "[1]: required, but missing from [1]"),
        (Source, {"file": "f", "lines": 3}, "lines: unknown key, with the value 3"),
        (str, [10**5000], "expected text, got [an integer of 16610 bits]"),
        (Annotated[str, AfterValidator(place)], "x", 'not a place, got "x"'),
        (Decimal, "x", 'expected a valid decimal, got "x"'),
    ],
)
def test_an_error_is_described_in_the_words_of_json(kind: Any, value: Any, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    described = describe_error(caught.value)
    assert message in described
    assert not re.search("tuple|dict|None|True|Input", described)


def test_invalid_json_is_described_with_its_beginning() -> None:
    with pytest.raises(ValidationError) as caught:
        Source.model_validate_json(b'{"file": ')
    message = describe_error(caught.value)
    assert re.fullmatch(r"invalid JSON: EOF while .*; it begins .*file.*", message)


def test_what_a_reader_added_is_not_shown_as_input() -> None:
    with pytest.raises(ValidationError) as caught:
        Trajectory.model_validate({"agent": "a", "source": Source(file="f")})
    assert describe_error(caught.value) == 'task_id: required, but missing from {"agent": "a"}'
