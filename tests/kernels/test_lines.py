"""Line kernels: worked cases, and laws that tie lines and bytes together."""

from __future__ import annotations

import json
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.strategies import columns, integers
from trajmeter.errors import InputError, TrajmeterError

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
    starts = kernels.line_starts(text)
    assert starts.tolist() == case["starts"]
    ranges = columns(case["ranges"])
    if "error" in case:
        with pytest.raises(TrajmeterError) as caught:
            kernels.lines_to_bytes(starts, len(text), *ranges)
        assert (caught.value.code, str(caught.value)) == tuple(case["error"].values())
        return
    assert listed(kernels.lines_to_bytes(starts, len(text), *ranges)) == case["bytes"]


@pytest.mark.parametrize("case", CASES["touched"], ids=by_name)
def test_lines_that_spans_touch(kernels: Kernels, case: dict[str, Any]) -> None:
    text = case["text"].encode()
    starts = kernels.line_starts(text)
    lines = kernels.bytes_to_lines(starts, len(text), *columns(case["spans"]))
    assert listed(lines) == case["lines"]


@given(text=texts)
def test_lines_are_what_splitting_gives(kernels: Kernels, text: bytes) -> None:
    starts = kernels.line_starts(text)
    lines = text.split(b"\n")
    assert starts.tolist() == [0, *accumulate(len(line) + 1 for line in lines[:-1])]
    numbers = np.arange(1, len(lines) + 1)
    spans = listed(kernels.lines_to_bytes(starts, len(text), numbers, numbers))
    assert b"".join(text[start:end] for start, end in spans) == text
    assert [text[start:end].removesuffix(b"\n") for start, end in spans] == lines


@given(text=texts.filter(len), data=st.data())
def test_bytes_lie_within_the_lines_they_touch(
    kernels: Kernels, text: bytes, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    starts = kernels.line_starts(text)
    first, last = kernels.bytes_to_lines(starts, len(text), *columns([(start, end)]))
    assert first[0] == text[:start].count(b"\n") + 1
    assert last[0] == text[: end - 1].count(b"\n") + 1
    [[begin, stop]] = listed(kernels.lines_to_bytes(starts, len(text), first, last))
    assert begin <= start < end <= stop


@given(files=st.lists(texts, min_size=1, max_size=4), data=st.data())
def test_a_batch_converts_each_range_by_its_own_file(
    kernels: Kernels, files: list[bytes], data: st.DataObject
) -> None:
    tables = [kernels.line_starts(text) for text in files]
    bounds = integers([0, *accumulate(map(len, tables))])
    sizes = integers([len(text) for text in files])
    line = st.integers(1, 8)
    a_range = st.tuples(st.integers(0, len(files) - 1), line, line)
    ranges = data.draw(st.lists(a_range, max_size=6))
    ranges = [(file, min(lines), max(lines)) for file, *lines in ranges]
    file, first, last = (integers([one[part] for one in ranges]) for part in range(3))
    got = kernels.lines_to_bytes_batched(np.concatenate(tables), bounds, sizes, file, first, last)
    assert listed(got) == [
        listed(kernels.lines_to_bytes(tables[file], len(files[file]), *columns([(begin, stop)])))[0]
        for file, begin, stop in ranges
    ]


@pytest.mark.parametrize("code", [-1, 2, 2**62])
def test_a_file_that_is_not_there(kernels: Kernels, code: int) -> None:
    starts, bounds, sizes = integers([0, 0, 3]), integers([0, 1, 3]), integers([0, 4])
    one, two = integers([1, 1]), integers([2, 2])
    message = rf"^file 1 is {code}, expected at least 0 and less than 2, the number of files$"
    with pytest.raises(InputError, match=message):
        kernels.lines_to_bytes_batched(starts, bounds, sizes, integers([1, code]), one, two)


def test_a_bad_file_comes_before_a_bad_range_of_the_same_index(kernels: Kernels) -> None:
    starts, bounds, sizes = integers([0]), integers([0, 1]), integers([0])
    zero, one = integers([0]), integers([1])
    with pytest.raises(InputError, match=r"^file 0 is 1,"):
        kernels.lines_to_bytes_batched(starts, bounds, sizes, one, zero, zero)


@pytest.mark.parametrize("size", [-1, 1.0, True, 2**63, None])
def test_a_size_that_is_no_number_of_bytes(kernels: Kernels, size: Any) -> None:
    with pytest.raises(InputError, match=r"^size is .*expected an int of 0 or more"):
        kernels.lines_to_bytes(integers([0]), size, integers([1]), integers([1]))


@pytest.mark.parametrize("buffer", ["text", bytearray(b"ab"), None])
def test_a_buffer_that_is_not_bytes(kernels: Kernels, buffer: Any) -> None:
    with pytest.raises(InputError, match=r"^buffer is a .*, expected bytes$"):
        kernels.line_starts(buffer)
