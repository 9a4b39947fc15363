"""Codes of JSON objects, which Rust finds, beside the definition in Python."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter import json_input, kernels
from trajmeter.arrays.json_objects import NO_OBJECT, UNCERTAIN, object_codes
from trajmeter.errors import ReadError
from trajmeter.metrics.tools.arguments import Malformed, keyed_arguments

# Few different values, so that equal ones meet; some are equal only as numbers or as escapes.
_NUMBERS = "1 1.0 10e-1 0.5 5e-1 -0.0 0 9007199254740993 9007199254740993.0 18446744073709551616"
_ODD = r'1e400 NaN "\ud800" " [ tru'
_PLAIN = r'true null "1" "a" "\u0061" "\ud83d\ude00" "😀"'
_SCALARS = st.sampled_from([*_NUMBERS.split(), *_PLAIN.split(), *_ODD.split(), ""])
_KEYS = st.sampled_from(['"a"', r'"\u0061"', '"b"', '"ab"', '""', "a"])


def _containers(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    members = st.tuples(_KEYS, values).map(lambda member: f"{member[0]}: {member[1]}")
    return st.lists(values, max_size=3).map(lambda items: f"[{', '.join(items)}]") | st.lists(
        members, max_size=3
    ).map(lambda items: f"{{{','.join(items)}}}")


_TEXTS = st.recursive(_SCALARS, _containers, max_leaves=8)


def _key(text: str) -> Any:
    """The key of arguments; ``None`` where they are malformed, and an error for invalid JSON."""
    read = keyed_arguments(json_input.parse(text.encode()))
    return None if isinstance(read, Malformed) else (read[1],)


def _compared(texts: Any) -> list[int]:
    """Codes of texts of one run."""
    codes: list[int] = object_codes(texts, runs=np.array([0, len(texts)])).tolist()
    return codes


@given(st.lists(_TEXTS | _containers(_TEXTS), max_size=12))
def test_a_code_is_given_to_what_is_equal_in_python(texts: list[str]) -> None:
    codes = _compared(pa.array(texts, pa.string()))
    kinds = object_codes(pa.array(texts, pa.string())).tolist()
    key_of_code: dict[int, Any] = {}
    code_of_key: dict[Any, int] = {}
    for text, code, kind in zip(texts, codes, kinds, strict=True):
        if kind != UNCERTAIN:
            assert isinstance(json_input.parse(text.encode()), dict) == (kind == 0)
        if code == UNCERTAIN:
            continue
        assert min(code, 0) == kind
        if code == NO_OBJECT:
            assert _key(text) is None
        else:
            assert key_of_code.setdefault(code, _key(text)) == _key(text)
            assert code_of_key.setdefault(_key(text), code) == code


@pytest.mark.skipif(kernels.backend() == "python", reason="Python reads every text")
def test_plain_objects_are_certain() -> None:
    texts = [json.dumps({"path": f"src/é{i % 3}.py", "lines": [i % 3, None]}) for i in range(9)]
    array = pa.array(["", *texts]).slice(1)  # what lies before a slice does not count
    assert _compared(array) == [0, 1, 2] * 3
    assert object_codes(array).tolist() == [0] * 9
    assert _compared(pa.array([], pa.string())) == []


@pytest.mark.parametrize("text", ["", "null", '"{}"', "{", '{"a": 1, "a": 2}', "[" * 101])
def test_what_is_rare_is_left_to_python(text: str) -> None:
    assert _compared(pa.array([text])) == [UNCERTAIN]


def test_invalid_json_is_never_certain() -> None:
    texts = ["{}}", '{"a":}', "[1,]", "01", "+1", "{'a': 1}", '{"a": 1}{"b": 2}', "\ufeff{}"]
    for text in texts:
        with pytest.raises(ReadError):
            json_input.parse(text.replace("\ufeff{}", "{").encode())
    codes = object_codes(pa.array(texts))
    assert np.all(codes == UNCERTAIN)
