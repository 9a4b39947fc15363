"""Columns of results tables as JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import Decimal
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from trajmeter.readers._results.batches import (  # noqa: E402 - which imports pyarrow
    arrow_batch,
    row_batch,
)

_NUMBERS: list[list[float | None] | None] = [
    [0.1, None, float("nan"), 0.1],
    None,
    [],
    [1e300, -0.0, 0.0, float("inf")],
    [2.0],
]


def values(column: Any) -> list[str | None]:
    batch = pa.record_batch([column], names=["x"])
    found: list[str | None] = arrow_batch(batch, (), (), "table", ["x"]).column("x").to_pylist()
    return found


@pytest.mark.parametrize(("start", "count"), [(0, 5), (1, 4), (2, 2), (1, 1), (0, 0)])
def test_lists_of_numbers_are_written_like_any_other_value(start: int, count: int) -> None:
    expected = [each and json.dumps(each) for each in _NUMBERS][start : start + count]
    expected = ["[]" if each == [] else each for each in expected]
    assert values(pa.array(_NUMBERS).slice(start, count)) == expected


def test_lists_of_integers_stay_integers() -> None:
    held = pa.array([[1, None], [2**60], None], pa.list_(pa.int64()))
    assert values(held) == ["[1, null]", "[1152921504606846976]", None]


def test_the_items_of_a_null_list_are_not_read() -> None:
    mask = pa.array([True, False])
    held = pa.ListArray.from_arrays(
        pa.array([0, 2, 3], pa.int32()), pa.array([1.0, 2.0, 3.0]), mask=mask
    )
    assert values(held) == [None, "[3.0]"]


def test_mappings_and_lists_of_text_are_json() -> None:
    assert values(pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64()))) == [
        '{"a": 1}',
        None,
    ]
    empty = pa.array([[], [("a", 1), ("b", 2)], None, []], pa.map_(pa.string(), pa.int64()))
    assert values(empty) == ["{}", '{"a": 1, "b": 2}', None, "{}"]
    pairs = pa.array(
        [[], [{"key": "a", "value": 1}], None],
        pa.list_(pa.struct({"key": pa.string(), "value": pa.int64()})),
    )
    assert values(pairs) == ["{}", '{"a": 1}', None]
    assert values(pairs.slice(1)) == ['{"a": 1}', None]
    assert values(pa.array([["a", None]])) == ['["a", null]']


def test_mappings_to_texts_numbers_and_lists_are_json() -> None:
    texts = pa.array(
        [[("b", "x"), ('"', None)], None, [("a", "ü")]], pa.map_(pa.string(), pa.string())
    )
    assert values(texts) == ['{"b": "x", "\\"": null}', None, '{"a": "\\u00fc"}']
    shares = pa.array([[("a", 0.5)], [("a", None)]], pa.map_(pa.string(), pa.float64()))
    assert values(shares.slice(1)) == ['{"a": null}']
    lists = pa.array([[("a", [1, 2])], []], pa.map_(pa.string(), pa.list_(pa.int64())))
    assert values(lists) == ['{"a": [1, 2]}', "{}"]


def test_the_last_value_of_a_repeated_key_counts() -> None:
    held = pa.array([[("a", 1), ("b", 2), ("a", 3)], [("a", 1)]], pa.map_(pa.string(), pa.int64()))
    assert values(held) == ['{"a": 3, "b": 2}', '{"a": 1}']
    pairs = pa.array([[("a", 1)], [("a", 2)]], pa.map_(pa.string(), pa.int64()))
    assert values(pairs) == ['{"a": 1}', '{"a": 2}'], "in two mappings it is not repeated"


def test_columns_of_rows_may_mix_types() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "a", "flag": True, "count": 1, "large": 2**60 + 1, "list": [1, None]},
        {"text": 2, "flag": None, "count": 0.5, "large": 10**400, "list": {"k": "v"}},
        {"text": True, "flag": "NaN", "count": False},
    ]
    batch, wrong = row_batch(rows, ["text"], ["flag", "count", "large"], ["list"])
    assert not wrong
    assert batch.column("text").to_pylist() == ["a", "2", "true"]
    assert str(batch.column("flag").to_pylist()) == "[1.0, None, nan]"
    assert batch.column("count").to_pylist() == [1.0, 0.5, 0.0]
    assert batch.column("large").to_pylist() == [float(2**60), float("inf"), None]
    assert batch.column("list").to_pylist() == ["[1, null]", '{"k": "v"}', None]
    booleans, _ = row_batch([{"flag": True}, {"flag": None}, {}], [], ["flag"])
    assert booleans.column("flag").to_pylist() == [1.0, None, None]


def test_rows_with_a_wrong_value_are_left_out_with_their_first_error() -> None:
    circular: list[Any] = []
    circular.append(circular)
    rows: list[dict[str, Any]] = [
        {"text": "a", "count": 1},
        {"text": "\ud800", "count": "x"},
        {"text": "b", "count": "x"},
        {"text": "c", "list": circular},
        {"text": "d", "count": 2},
    ]
    batch, wrong = row_batch(rows, ["text"], ["count"], ["list"])
    assert wrong == [
        (1, r"text is '\ud800', which has half of a surrogate pair"),
        (2, "count is 'x', expected a number or true or false"),
        (3, "Circular reference detected"),
    ]
    assert batch.to_pylist() == [
        {"text": "a", "count": 1.0, "list": None},
        {"text": "d", "count": 2.0, "list": None},
    ]


def test_rows_that_make_what_they_lack_are_not_changed() -> None:
    rows: list[Any] = [defaultdict(float, {"a": 1.0}), {"a": 2.0, "b": 3.0}]
    batch, wrong = row_batch(rows, [], ["a", "b"])
    assert not wrong
    assert batch.to_pylist() == [{"a": 1.0, "b": None}, {"a": 2.0, "b": 3.0}]
    assert [*rows[0]] == ["a"]


def test_small_decimals_are_json_as_large_ones() -> None:
    small = getattr(pa, "decimal32", pa.decimal128)(5, 2)  # pyarrow 19 added it
    held = [Decimal("1.50"), None]
    assert values(pa.array([held, None], pa.list_(small))) == ['["1.50", null]', None]
    pairs = pa.array([[("a", held[0])], None], pa.map_(pa.string(), small))
    assert values(pairs) == ['{"a": "1.50"}', None]
