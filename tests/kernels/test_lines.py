"""Line kernels: worked cases, and laws that tie lines and bytes together."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.strategies import columns, integers
from trajmeter.errors import InputError

if TYPE_CHECKING:
    from trajmeter.kernels import Kernels, SpanArrays

CASES = json.loads((Path(__file__).parents[1] / "cases" / "lines.json").read_text())

texts = st.text(alphabet="ab\r\n\u2028é", max_size=30).map(str.encode)


def listed(arrays: SpanArrays) -> list[list[int]]:
    return [list(pair) for pair in zip(*(array.tolist() for array in arrays), strict=True)]


def by_name(case: dict[str, Any]) -> str:
    name: str = case["name"]
    return name


@pytest.mark.parametrize("case", CASES["cases"], ids=by_name)
def test_worked_case(kernels: Kernels, case: dict[str, Any]) -> None:
    text = case["text"].encode()
    assert kernels.line_starts(text).tolist() == case["starts"]


@pytest.mark.parametrize("case", CASES["touched"], ids=by_name)
def test_lines_that_spans_touch(kernels: Kernels, case: dict[str, Any]) -> None:
    text = case["text"].encode()
    starts = kernels.line_starts(text)
    lines = kernels.bytes_to_lines(starts, len(text), *columns(case["spans"]))
    assert listed(lines) == case["lines"]


@given(text=texts)
def test_lines_are_the_same_as_by_splitting(kernels: Kernels, text: bytes) -> None:
    starts = kernels.line_starts(text)
    lines = text.split(b"\n")
    assert starts.tolist() == [0, *accumulate(len(line) + 1 for line in lines[:-1])]


@given(text=texts.filter(len), data=st.data())
def test_bytes_are_within_the_lines_they_touch(
    kernels: Kernels, text: bytes, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    starts = kernels.line_starts(text)
    first, last = kernels.bytes_to_lines(starts, len(text), *columns([(start, end)]))
    assert first[0] == text[:start].count(b"\n") + 1
    assert last[0] == text[: end - 1].count(b"\n") + 1


@pytest.mark.parametrize("size", [-1, 1.0, True, 2**63, None])
def test_a_size_that_is_not_a_number_of_bytes(kernels: Kernels, size: Any) -> None:
    with pytest.raises(InputError, match=r"^size is .*expected an int of 0 or more"):
        kernels.bytes_to_lines(integers([0]), size, integers([1]), integers([1]))


@pytest.mark.parametrize("buffer", ["text", bytearray(b"ab"), None])
def test_a_buffer_that_is_not_bytes(kernels: Kernels, buffer: Any) -> None:
    with pytest.raises(InputError, match=r"^buffer is a .*, expected bytes$"):
        kernels.line_starts(buffer)
