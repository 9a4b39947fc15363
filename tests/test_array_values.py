"""Values of Arrow arrays as numpy arrays, beside those that pyarrow makes Python objects of."""

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
from trajmeter.arrays import (
    cast,
    coded,
    empty_texts,
    field,
    filled,
    filled_texts,
    flags,
    is_among,
    nulls,
    present,
    ragged,
    repeated_text,
    taken,
    text_array,
    text_codes,
    text_scalar,
)
from trajmeter.nested_arrays import entries

if TYPE_CHECKING:
    from collections.abc import Callable

    from trajmeter.kernels import Kernels

_TYPES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.bool_(): st.booleans(),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.float64(): st.floats(allow_nan=False),
    pa.string(): st.text(max_size=3),
    pa.list_(pa.int64()): st.lists(st.integers(0, 9), max_size=3),
    pa.large_list(pa.int64()): st.lists(st.integers(0, 9), max_size=3),
}


def _slices(*types: pa.DataType) -> st.SearchStrategy[tuple[pa.Array[Any], list[Any]]]:
    """Parts of arrays, and the values that they hold."""

    def part(
        drawn: tuple[tuple[pa.DataType, list[Any]], int, int],
    ) -> tuple[pa.Array[Any], list[Any]]:
        (arrow_type, values), start, length = drawn
        return pa.array(values, arrow_type).slice(start, length), values[start : start + length]

    arrays = st.sampled_from(types).flatmap(
        lambda each: st.tuples(st.just(each), st.lists(st.none() | _TYPES[each], max_size=30))
    )
    return st.tuples(arrays, st.integers(0, 20), st.integers(0, 20)).map(part)


@given(_slices(*_TYPES))
def test_what_is_present(given: tuple[pa.Array[Any], list[Any]]) -> None:
    array, values = given
    assert present(array).tolist() == [value is not None for value in values]


@given(_slices(pa.int64(), pa.int32(), pa.float64()))
def test_nulls_of_numbers_are_replaced(given: tuple[pa.Array[Any], list[Any]]) -> None:
    array, values = given
    found = filled(array, -1)
    assert found.tolist() == [-1 if value is None else value for value in values]
    assert pa.from_numpy_dtype(found.dtype) == array.type


@pytest.mark.parametrize("kind", [pa.uint8(), pa.int16(), pa.float16(), pa.float32()], ids=str)
def test_numbers_keep_their_type(kind: pa.DataType) -> None:
    assert pa.from_numpy_dtype(filled(pa.array([1, None], kind), 0).dtype) == kind
    assert pa.from_numpy_dtype(filled(pa.array([1, 2], kind), 0).dtype) == kind


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


@given(_slices(pa.string()))
def test_nulls_of_texts_are_replaced(given: tuple[pa.Array[Any], list[Any]]) -> None:
    array, values = given
    assert filled_texts(array, "é").to_pylist() == [
        "é" if text is None else text for text in values
    ]


@given(_slices(pa.string()), st.lists(st.text(max_size=1), max_size=3))
def test_which_texts_are_among_others(
    given: tuple[pa.Array[Any], list[Any]], sought: list[str]
) -> None:
    array, values = given
    assert is_among(array, sought).tolist() == [text in sought for text in values]


def test_values_and_rows_are_taken_from_places() -> None:
    column = pa.array([5, 6, None])
    assert taken(column, np.array([2, 1])).to_pylist() == [None, 6]
    assert taken(column, pa.array([0, None])).to_pylist() == [5, None]
    rows = taken(pa.record_batch({"a": column}), np.array([1, 1]))
    assert rows.to_pydict() == {"a": [6, 6]}


@given(_slices(pa.bool_()))
def test_nulls_of_booleans_are_false(given: tuple[pa.Array[Any], list[Any]]) -> None:
    array, values = given
    assert flags(array).tolist() == [value is True for value in values]
    assert flags(pa.chunked_array([array, array], pa.bool_())).tolist() == 2 * flags(array).tolist()


@given(_slices(pa.list_(pa.int64()), pa.large_list(pa.int64())))
def test_values_of_lists_are_contiguous(given: tuple[pa.Array[Any], list[Any]]) -> None:
    array, values = given
    found, offsets = ragged(array)
    assert found.to_pylist() == [item for value in values for item in value or ()]
    lengths = [len(value or ()) for value in values]
    assert offsets.tolist() == [sum(lengths[:end]) for end in range(len(values) + 1)]


def test_values_behind_the_offsets_of_a_null_are_omitted() -> None:
    bounds, valid = pa.py_buffer(b"".join(n.to_bytes(4, "little") for n in (0, 2, 4, 5))), b"\x05"
    lists: Any = pa.ListArray.from_buffers(
        pa.list_(pa.int64()), 3, [pa.py_buffer(valid), bounds], children=[pa.array([1, 2, 3, 4, 5])]
    )
    assert lists.to_pylist() == [[1, 2], None, [5]]
    found, offsets = ragged(lists)
    assert (found.to_pylist(), offsets.tolist()) == ([1, 2, 5], [0, 2, 2, 3])


def test_mappings_have_keys_and_values() -> None:
    maps: Any = pa.array(
        [[("z", 0)], [("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int64())
    )
    keys, values, offsets = entries(maps.slice(1))
    assert (keys.to_pylist(), values.to_pylist()) == (["a", "b"], [1, None])
    assert offsets.tolist() == [0, 2, 2, 2]


def test_a_field_is_null_where_its_record_is() -> None:
    kind = pa.struct([("a", pa.int64()), ("b", pa.string())])
    records = pa.array([{"a": 0}, {"a": 1, "b": "x"}, None, {"b": "y"}], kind).slice(1)
    assert field(records, "a").to_pylist() == [1, None, None]
    assert field(records, "b").to_pylist() == ["x", None, "y"]
    assert field(records.slice(0, 1), "b").to_pylist() == ["x"]


@pytest.mark.parametrize("encode", [pa.Array.slice, pa.Array.dictionary_encode])
def test_texts_are_numbered(encode: Callable[[Any], Any]) -> None:
    found = coded(encode(pa.array(["b", None, "a", "b"])))
    assert (found.texts, found.codes.tolist()) == (["b", "a"], [0, -1, 1, 0])


def test_a_value_that_does_not_fit_is_refused() -> None:
    assert cast(pa.array([1, None]), pa.string()).to_pylist() == ["1", None]
    with pytest.raises(pa.ArrowInvalid):
        cast(pa.array(["x"]), pa.int64())


@pytest.mark.parametrize("rows", [0, 1, 1 << 10, (1 << 10) + 1, (1 << 17) + 1])
@pytest.mark.parametrize("arrow_type", _TYPES, ids=str)
def test_nulls_of_any_number(arrow_type: pa.DataType, rows: int) -> None:
    column = nulls(rows, arrow_type)
    column.validate(full=True)
    assert (column.type, len(column), column.null_count) == (arrow_type, rows, rows)


def test_nulls_of_a_type_share_their_memory() -> None:
    few, more = nulls(9, pa.int64()).buffers(), nulls(99, pa.int64()).buffers()
    assert [each and each.address for each in few] == [each and each.address for each in more]


@given(st.lists(st.booleans(), max_size=20))
def test_empty_texts_are_null_where_there_are_none(is_there: list[bool]) -> None:
    column = empty_texts(np.array(is_there, np.bool_))
    column.validate(full=True)
    assert column.to_pylist() == ["" if each else None for each in is_there]


@given(st.lists(_slices(pa.string()), min_size=1, max_size=3))
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
