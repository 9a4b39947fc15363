"""Arrow arrays of Python values, beside those that pyarrow makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajmeter.arrays.nested import entries, list_array, map_array, record_array, value_array

_KIND = pa.struct(
    [
        ("count", pa.int64()),
        ("share", pa.float64()),
        ("passed", pa.bool_()),
        ("names", pa.list_(pa.string())),
        ("by_name", pa.map_(pa.string(), pa.struct([("share", pa.float64())]))),
    ]
)
_TEXT = st.text(max_size=3)
_SHARE = st.fixed_dictionaries({}, optional={"share": st.none() | st.floats(allow_nan=False)})
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "count": st.integers(-(2**63), 2**63 - 1),
    "share": st.floats(allow_nan=False),
    "passed": st.booleans(),
    "names": st.lists(st.none() | _TEXT, max_size=3),
    "by_name": st.lists(st.tuples(_TEXT, st.none() | _SHARE), max_size=3),
}
_RECORDS = st.fixed_dictionaries(
    {}, optional={name: st.none() | values for name, values in _FIELDS.items()}
)


@given(st.lists(st.none() | _RECORDS, max_size=8))
def test_values_become_the_arrays_that_pyarrow_makes(values: list[Any]) -> None:
    column = value_array(values, _KIND)
    column.validate(full=True)
    expected: Any = pa.array(values, _KIND)
    assert column.equals(expected)
    assert repr(column.to_pylist()) == repr(expected.to_pylist())  # -0.0 too


@pytest.mark.parametrize(
    ("value", "kind", "error"),
    [
        (2**63, pa.int64(), OverflowError),
        (True, pa.int64(), TypeError),
        (1, pa.float64(), TypeError),
        ("\ud800", pa.string(), UnicodeEncodeError),
        (0, pa.list_(pa.int64()), TypeError),
        ({"a": 1}, pa.list_(pa.string()), TypeError),
        ({"ab": 1}, pa.map_(pa.string(), pa.int64()), TypeError),
        (False, pa.struct([("a", pa.int64())]), TypeError),
    ],
)
def test_other_values_are_left_to_pyarrow(
    value: object, kind: pa.DataType, error: type[Exception]
) -> None:
    with pytest.raises(error):
        value_array([None, value], kind)


def test_absent_rows_are_null_and_the_parts_of_slices_are_kept() -> None:
    numbers = pa.array([9, 1, 2, 3]).slice(1)
    absent, offsets = np.array([False, True]), np.array([0, 3, 3])
    lists = list_array(offsets, numbers, absent)
    maps = map_array(offsets, pa.array(["x", "a", "b", "c"]).slice(1), numbers, absent)
    records = record_array(
        [lists, maps], [pa.field("l", lists.type), pa.field("m", maps.type)], ~absent
    )
    for column in (lists, maps, records):
        column.validate(full=True)
    assert lists.to_pylist() == [[1, 2, 3], None]
    assert maps.to_pylist() == [[("a", 1), ("b", 2), ("c", 3)], None]
    assert records.to_pylist() == [None, {"l": None, "m": None}]


def test_mappings_have_keys_and_values() -> None:
    maps: Any = pa.array(
        [[("z", 0)], [("a", 1), ("b", None)], None, []], pa.map_(pa.string(), pa.int64())
    )
    keys, values, offsets = entries(maps.slice(1))
    assert (keys.to_pylist(), values.to_pylist()) == (["a", "b"], [1, None])
    assert offsets.tolist() == [0, 2, 2, 2]
