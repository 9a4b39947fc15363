"""Arrow arrays of texts, beside those that pyarrow makes."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter import kernels
from trajmeter.arrays.text import (
    coded,
    empty_texts,
    filled_texts,
    is_among,
    repeated_text,
    text_array,
    text_codes,
    text_scalar,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.kernels import Kernels

_SLICES = st.builds(
    lambda values, start, stop: (pa.array(values, pa.string())[start:stop], values[start:stop]),
    st.lists(st.none() | st.text(max_size=3), max_size=30),
    st.integers(0, 20),
    st.integers(0, 40),
)
"""Parts of arrays, and the texts that they hold."""


@given(st.lists(st.none() | st.text(max_size=5), max_size=12))
def test_texts_are_those_that_pyarrow_makes(values: list[str | None]) -> None:
    made = text_array(values)
    made.validate(full=True)
    assert made.equals(pa.array(values, pa.string()))
    assert [text_scalar(value) for value in values] == [*made]


def test_half_a_surrogate_pair_is_not_text() -> None:
    with pytest.raises(UnicodeEncodeError):
        text_array(["a", "\ud800"])


def test_a_text_is_repeated() -> None:
    assert repeated_text("é", 3).equals(pa.array(["é", "é", "é"]))
    assert len(repeated_text("", 0)) == 0


@pytest.mark.parametrize("rows", [0, 1, 64, 65, 5_000, 1 << 14, (1 << 14) + 1])
def test_repeated_texts_are_pickled_with_little_more(rows: int) -> None:
    made = repeated_text("scored", rows)
    pickled = pickle.dumps(made)
    assert pickle.loads(pickled).equals(pa.array(["scored"] * rows, pa.string()))  # noqa: S301 - our own object
    assert len(pickled) < 4 * made.nbytes + 2_000


@given(_SLICES)
def test_nulls_of_texts_are_replaced(given: tuple[pa.Array[Any], list[Any]]) -> None:
    array, values = given
    assert filled_texts(array, "é").to_pylist() == [
        "é" if text is None else text for text in values
    ]


@given(_SLICES, st.lists(st.text(max_size=1), max_size=3))
def test_which_texts_are_among_others(
    given: tuple[pa.Array[Any], list[Any]], sought: list[str]
) -> None:
    array, values = given
    assert is_among(array, sought).tolist() == [text in sought for text in values]


@pytest.mark.parametrize("encode", [pa.Array.slice, pa.Array.dictionary_encode])
def test_texts_are_numbered(encode: Callable[[Any], Any]) -> None:
    found = coded(encode(pa.array(["b", None, "a", "b"])))
    assert (found.texts, found.codes.tolist()) == (["b", "a"], [0, -1, 1, 0])


@given(st.lists(st.booleans(), max_size=20))
def test_empty_texts_are_null_where_there_are_none(is_there: list[bool]) -> None:
    column = empty_texts(np.array(is_there, np.bool_))
    column.validate(full=True)
    assert column.to_pylist() == ["" if each else None for each in is_there]


@given(st.lists(_SLICES, min_size=1, max_size=3))
def test_texts_are_numbered_across_parts(
    rust: Kernels, drawn: list[tuple[pa.Array[Any], list[Any]]]
) -> None:
    del rust  # is there
    found = text_codes([array for array, _ in drawn])
    values = [value for _, part in drawn for value in part]
    if None in values:
        assert found is None
        return
    assert found is not None
    codes, held, bounds = found
    different = [*dict.fromkeys(values)]
    assert [held[begin:end].decode() for begin, end in pairwise(bounds.tolist())] == different
    assert codes.tolist() == [different.index(value) for value in values]


def test_arrow_numbers_texts_where_rust_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    column = pa.array(["b", "a", "b"], pa.string())
    monkeypatch.setattr(kernels, "backend", lambda: "python")
    assert text_codes([column]) is None
    texts, codes = coded(column)
    assert (texts, codes.tolist()) == (["b", "a"], [0, 1, 0])


@given(
    texts=st.one_of(
        st.lists(st.sampled_from([None, "", "a", "aa", "ab", "b", "é"])),
        st.builds(lambda text, count: [text] * count, st.text(max_size=3), st.integers(0, 9)),
    ),
    bounds=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    arrow_type=st.sampled_from([pa.string(), pa.large_string()]),
)
def test_texts_are_numbered_in_the_order_in_which_they_occur(
    texts: list[str | None], bounds: tuple[int, int], arrow_type: pa.DataType
) -> None:
    part = slice(min(bounds), max(bounds))
    column = pa.array(texts, arrow_type)[part]
    found = list(dict.fromkeys(text for text in texts[part] if text is not None))
    numbered = coded(column)
    assert numbered.texts == found
    assert numbered.codes.dtype == np.int64
    codes = [-1 if text is None else found.index(text) for text in texts[part]]
    assert numbered.codes.tolist() == codes
