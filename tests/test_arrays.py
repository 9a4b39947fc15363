"""Columns of numbers, and numbers of texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.arrays import coded, numbers


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.float64])
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=20), st.integers(1, 2))
def test_numbers_are_what_pyarrow_makes_of_them(
    kind: type[Any], rows: list[tuple[int, bool]], stride: int
) -> None:
    values = np.array([value for value, _ in rows], kind)[::stride]
    is_absent = np.array([absent for _, absent in rows], np.bool_)[::stride]
    column = numbers(values, is_absent)
    column.validate(full=True)
    assert column.equals(pa.array(values, mask=is_absent))
    assert numbers(values).equals(pa.array(values))


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
