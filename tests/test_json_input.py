"""Lines of JSON as real files hold them."""

from __future__ import annotations

import io
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter import json_input
from trajmeter.errors import ReadError

TEXTS = st.text(st.characters())  # halves of surrogate pairs included
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=10,
)


def test_lines_have_numbers_and_offsets_and_are_not_blank() -> None:
    # Bytes: BOM 3, "1\r\n" 3 -> line 2 at 6; "\n" 1; "  \r\n" 4; "2" at 11.
    content = b"\xef\xbb\xbf1\r\n\n  \r\n2"
    assert list(json_input.lines(io.BytesIO(content))) == [
        (1, 0, b"\xef\xbb\xbf1\r\n"),
        (4, 11, b"2"),
    ]


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n\r\n \t\n"])
def test_a_file_of_blanks_has_no_lines(content: bytes) -> None:
    assert list(json_input.lines(io.BytesIO(content))) == []


@pytest.mark.parametrize(
    ("content", "value"),
    [
        (b'\xef\xbb\xbf{"a": 1}\r\n', {"a": 1}),
        (rb'"a\u0000b"', "a\0b"),
        (rb'"\ud83d\ude00"', "\N{GRINNING FACE}"),
        # A half alone becomes the replacement character, before, after and between whole pairs.
        (rb'"\ud83d"', "\ufffd"),
        (rb'"\uDE00\ud83d\ude00\udcff"', "\ufffd\N{GRINNING FACE}\ufffd"),
        (rb'"\ud83d\ud83d\ude00"', "\ufffd\N{GRINNING FACE}"),
        # An escaped backslash before "ud83d" makes it four letters and two digits.
        (rb'["\\ud83d", "\ud83d"]', [r"\ud83d", "\ufffd"]),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b"[1e400, -Infinity, Infinity]", [math.inf, -math.inf, math.inf]),
        (b"123456789012345678901234567890", 123456789012345678901234567890),
        (b"9" * 4300, 10**4300 - 1),
        # Before 2.13 pydantic takes the sign for a digit.
        (b"-" + b"9" * 4299, 1 - 10**4299),
        ('"a\u2028b"'.encode(), "a\u2028b"),
    ],
)
def test_what_is_accepted(content: bytes, value: object) -> None:
    assert json_input.parse(content) == value


def test_a_bare_nan_is_a_float() -> None:
    value = json_input.parse(b"NaN")
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": [1, 2', "EOF while parsing a list at column 11; it begins '{"),
        (b"{'a': 1}", "key must be a string at column 2;"),
        (b'{\n"a": }', "expected value at line 2 column 6;"),
        (b'{"a": 1} {"b": 2}', "trailing characters"),
        (b'"\xff"', "invalid unicode"),
        (b'"a\x00b"', "control character"),
        (b'"\\ud83d', "EOF while parsing a string"),
        (b"[" * 10_000, "it is nested more than 200 deep at column 202"),
        (b"[" * 201 + b"1" + b"]" * 201, "it is nested more than 200 deep at column 202"),
        (b"[1, -" + b"9" * 4301 + b"]", "a number has more than 4,300 digits at column"),
        (b"9" * 4301 + b".5", "a number has more than 4,300 digits at column"),
    ],
)
def test_what_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ReadError, match="invalid JSON") as caught:
        json_input.parse(content)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("content", [b"", b" \r\n"])
def test_nothing_is_called_empty(content: bytes) -> None:
    with pytest.raises(ReadError, match=r"^empty, expected JSON$"):
        json_input.parse(content)


@given(VALUES)
def test_any_json_text_is_parsed_the_same_except_half_surrogates(value: object) -> None:
    text = json.dumps(value)
    parsed = json_input.parse(text.encode())
    assert json.dumps(parsed, ensure_ascii=False).encode()  # no half is left to stop an output
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert parsed == value


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({}, "an object"),
        ([], "a list"),
        ("", "text"),
        (True, "true or false"),
        (0, "a number"),
        (0.5, "a number"),
        (None, "null"),
    ],
)
def test_kinds_are_named_as_json_does(value: None, kind: str) -> None:
    assert json_input.type_name(value) == kind


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (b"[1, 2, [3]]", 4),
        (b'{"a": [1], "b": "[,{"}', 3),
        (rb'["\\", "\\\",", ""]', 3),
        (b"[{}, {}]", 4),
    ],
)
def test_values_are_counted_without_keys_and_texts(content: bytes, count: int) -> None:
    assert json_input.parse(content, most_values=count) == json.loads(content)
    with pytest.raises(ReadError, match=f"^it has more than {count - 1} JSON values$"):
        json_input.parse(content, most_values=count - 1)


def test_a_text_of_too_many_values_is_refused_before_it_is_parsed() -> None:
    content = b"[" + b"{}," * (json_input.MOST_VALUES // 2)
    with pytest.raises(ReadError, match=r"^it has more than 10,000,000 JSON values$"):
        json_input.parse(content)
    assert json_input.parse(b'"' + content + b'"') == content.decode()
