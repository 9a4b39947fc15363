"""Values of Arrow arrays as numpy arrays, beside those that pyarrow makes Python objects of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.arrays import cast, field, filled, flags, nulls, numbers, present, ragged, taken

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


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float16, np.float32])
def test_numbers_keep_their_type(kind: type[np.number[Any]]) -> None:
    arrow_type = pa.from_numpy_dtype(np.dtype(kind))
    # The oldest pyarrow makes half floats of numpy's alone.
    assert filled(pa.array([kind(1), None], arrow_type), 0).dtype == kind
    assert filled(pa.array([kind(1), kind(2)], arrow_type), 0).dtype == kind


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


def test_a_field_is_null_where_its_record_is() -> None:
    kind = pa.struct([("a", pa.int64()), ("b", pa.string())])
    records = pa.array([{"a": 0}, {"a": 1, "b": "x"}, None, {"b": "y"}], kind).slice(1)
    assert field(records, "a").to_pylist() == [1, None, None]
    assert field(records, "b").to_pylist() == ["x", None, "y"]
    assert field(records.slice(0, 1), "b").to_pylist() == ["x"]


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
