from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.scoring.strategies import any_trajectories, loose_rows
from trajmeter.conforming.casting import conform, misfits
from trajmeter.conforming.checking import faulty
from trajmeter.errors import ConfigurationError, ReadError
from trajmeter.records import Failure, RunLog, ToolCall, Trajectory, Turn
from trajmeter.schemas import trajectory_batch, trajectory_from_row, trajectory_schema


def _records(batch: pa.RecordBatch) -> list[Trajectory]:
    conformed = conform(batch)
    assert conformed.schema.equals(trajectory_schema())
    conformed.validate(full=True)
    return [trajectory_from_row(row) for row in conformed.to_pylist()]


def test_the_schema_itself_is_not_touched() -> None:
    batch = trajectory_batch([Trajectory(task_id="a")])
    assert conform(batch) is batch


def test_calls_in_the_shape_of_openai_are_read() -> None:
    calls: list[list[dict[str, Any]]] = [
        [
            {"name": None, "function": {"name": "f", "arguments": '{"q": 1}'}},
            {"name": None, "function": {"name": "g", "arguments": "{"}},
        ],
        [{"name": "h", "arguments": '{"n": 2}', "function": None}],
        [{"name": "h", "function": {"name": "other", "arguments": None}}],
        [{"function": {"name": "f"}}],
    ]
    records = _records(pa.record_batch({"task_id": list("abcd"), "tool_calls": calls}))
    assert [record.tool_calls for record in records] == [
        (ToolCall(name="f", arguments={"q": 1}), ToolCall(name="g", arguments="{")),
        (ToolCall(name="h", arguments={"n": 2}),),
        (ToolCall(name="h"),),
        (ToolCall(name="f"),),
    ]


def test_calls_of_turns_in_the_shape_of_openai_are_read() -> None:
    function = {"name": "f", "arguments": '{"q": 1}'}
    turns = [[{"tool_calls": [{"type": "function", "function": function}]}]]
    (record,) = _records(pa.record_batch({"task_id": ["a"], "turns": turns}))
    assert [turn.tool_calls for turn in record.turns or ()] == [
        (ToolCall(name="f", arguments={"q": 1}),)
    ]


def test_absent_columns_are_missing_and_others_passed_over() -> None:
    batch = pa.record_batch({"task_id": ["a"], "other": [1]})
    assert _records(batch) == [Trajectory(task_id="a")]


@pytest.mark.parametrize(
    ("name", "column", "expected"),
    [
        ("agent", pa.array(["owl", None]).dictionary_encode(), ["owl", None]),
        ("agent", pa.DictionaryArray.from_arrays([0, 1], ["owl", None]), ["owl", None]),
        ("agent", pa.array(["owl", None], pa.large_string()), ["owl", None]),
        ("agent", pa.array([b"owl", None]), ["owl", None]),
        ("agent", pa.array([7, None]), ["7", None]),
        ("turn_count", pa.array([7, None], pa.int16()), [7, None]),
        ("turn_count", pa.array([7.0, None]), [7, None]),
        ("duration_seconds", pa.array([7, None]), [7.0, None]),
        ("failure", pa.nulls(2), [None, None]),
        ("failure", pa.nulls(2).dictionary_encode(), [None, None]),
        ("sources", pa.array([["s"], None], pa.large_list(pa.large_string())), [("s",), None]),
        ("sources", pa.array([["s"], None], pa.list_(pa.string(), 1)), [("s",), None]),
        (
            "unusable",
            pa.array([[("x", "y")], None], pa.map_(pa.large_string(), pa.string())),
            [{"x": "y"}, {}],
        ),
        ("unusable", pa.array([[{"key": "x", "value": "y"}], None]), [{"x": "y"}, {}]),
        (
            "unusable",
            pa.array(
                [[{"value": "y", "key": "x"}], []],
                pa.large_list(pa.struct([("value", pa.string()), ("key", pa.large_string())])),
            ),
            [{"x": "y"}, {}],
        ),
        (
            "run_log",
            pa.array([{"events": [{"key": "x", "value": 3}], "extra": None}, {"events": None}]),
            [RunLog(events={"x": 3}), RunLog()],
        ),
        ("metadata", pa.array([{"budget": 3}, None]), [{"budget": 3}, {}]),
        ("metadata", pa.array(['{"budget": 3}', None], pa.large_string()), [{"budget": 3}, {}]),
    ],
    ids=lambda value: str(getattr(value, "type", "")),
)
def test_other_types_of_the_same_values_are_taken(
    name: str, column: pa.Array[Any], expected: list[object]
) -> None:
    batch = pa.record_batch({"task_id": pa.array(["a", "b"]), name: column})
    assert [getattr(record, name) for record in _records(batch)] == expected


def test_a_dictionary_of_text_views_is_taken() -> None:
    views = pa.array(["owl", "a name too long to be stored in its view"], pa.string_view())
    agents = pa.DictionaryArray.from_arrays(pa.array([1, None, 0]), views)
    batch = pa.record_batch({"task_id": pa.array(["a", "b", "c"]), "agent": agents})
    names = [record.agent for record in _records(batch)]
    assert names == ["a name too long to be stored in its view", None, "owl"]


TURNS = [
    [{"tool_calls": [{"success": True, "arguments": {"q": 1}, "name": "grep"}], "error": None}],
    None,
    [{"error": {"unknown": 0.5, "reason": "r"}, "number": 3}, {"number": 4}],
    [],
]


def test_structures_may_have_their_fields_in_any_order_or_not_at_all() -> None:
    batch = pa.record_batch({"task_id": list("abcd"), "turns": TURNS})
    call = ToolCall(name="grep", arguments={"q": 1}, success=True)
    expected = [
        (Turn(tool_calls=(call,)),),
        None,
        (Turn(number=3, error=Failure(reason="r")), Turn(number=4)),
        (),
    ]
    assert [record.turns for record in _records(batch)] == expected
    assert [record.turns for record in _records(batch.slice(1, 2))] == expected[1:3]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"instance_id": ["a"]}, "expected a column task_id; found: instance_id"),
        ({"task_id": ["a"], "turns": ["x"]}, "turns is string, expected list<…>: "),
        ({"task_id": ["a"], "turn_count": [1.5]}, "column turn_count is double, expected int64: "),
        ({"task_id": ["a"], "turns": [[{"success": "no idea"}]]}, r"column turns\.success is str"),
    ],
    ids=["absent", "list", "number", "nested"],
)
def test_a_column_that_cannot_hold_its_field_is_named(
    columns: dict[str, list[Any]], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        conform(pa.record_batch(columns))


def test_a_key_that_is_null_costs_its_row() -> None:
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.string())]))
    pairs = pa.array([[("a", "x")], [(None, "y")], [None]], kind)
    batch = pa.record_batch({"task_id": pa.array(["a", "b", "c"]), "unusable": pairs})
    with pytest.raises(ConfigurationError, match="column unusable has a key that is null"):
        conform(batch)
    assert list(misfits(batch)) == [1, 2]


def test_rows_that_no_cast_fits_are_found_whatever_the_column() -> None:
    batch = pa.record_batch(
        {
            "task_id": list("abcdef"),
            "turn_count": [1.0, 2.5, None, float("nan"), 5.0, 6.5],
            "turns": [None, [{"number": 3.5}], [{"number": 4.0}], [], None, None],
            "metadata": [None, None, None, None, {"at": b"\xff"}, None],
        }
    )
    found = misfits(batch.slice(1))  # whose memory begins above 0
    assert sorted(found) == [0, 2, 3, 4]
    assert found[0].startswith("column turns.number is double, expected int64: Float value 3.5")
    assert found[2].startswith("column turn_count is double, expected int64: Float value nan")
    assert found[3].startswith("column metadata holds invalid JSON: 'utf-8' codec")
    assert misfits(batch.slice(0, 1)) == {}


@given(st.lists(st.none() | st.integers(-2, 2).map(float) | st.floats(-9, 9), max_size=9))
def test_just_the_rows_without_a_whole_number_are_found(counts: list[float | None]) -> None:
    batch = pa.record_batch(
        {"task_id": ["a"] * len(counts), "turn_count": pa.array(counts, pa.float64())}
    )
    wrong = [row for row, each in enumerate(counts) if each is not None and each % 1]
    assert list(misfits(batch)) == wrong


def test_a_type_that_holds_no_value_of_its_field_is_no_fault_of_rows() -> None:
    with pytest.raises(ConfigurationError, match="column turns is string, expected list<…>: "):
        misfits(pa.record_batch({"task_id": ["a", "b"], "turns": ["x", None]}))


def test_a_column_that_occurs_twice_is_refused() -> None:
    ids = pa.array(["a"])
    batch = pa.record_batch([ids, ids, ids], ["task_id", "agent", "agent"])
    with pytest.raises(ConfigurationError, match="two columns are named agent"):
        conform(batch)


VIEW = {"path": "p", "extent": "lines"}


def _is_record(row: dict[str, Any]) -> bool:
    try:
        trajectory_from_row(row)
    except (ValidationError, ReadError):
        return False
    return True


@pytest.mark.parametrize(
    "bad",
    [
        {"task_id": None},
        {"turns": [{}, None]},
        {"turns": [{"tool_calls": [{"name": None}]}]},
        {"turns": [{"tool_calls": [{"name": "x", "arguments": "{"}]}]},
        {"turns": [{}, {"extra": "[]"}]},
        {"turns": [{"views": [VIEW, {**VIEW, "extent": "half"}]}]},
        {"final_views": [VIEW, {"extent": "lines"}]},
        {"sources": ["s", None]},
        {"source": {"line": 3}},
        {"metadata": "7"},
        {"unusable": [("x", None)]},
        {"measurements": {"seconds": [("b", {"reason": "tired"})]}},
        {"measurements": {"seconds": [("b", None)]}},
        {"pytest_summary": {"problem": "other"}},
        {"run_log": {"events": [("i", None)]}},
    ],
    ids=str,
)
def test_only_the_row_that_is_not_a_record_is_faulty(bad: dict[str, Any]) -> None:
    rows = [{"task_id": "a"}, {"task_id": "b", **bad}, {"task_id": "c"}]
    batch = pa.RecordBatch.from_pylist(rows, schema=trajectory_schema())
    assert faulty(batch).tolist() == [False, True, False]
    assert faulty(batch.slice(1)).tolist() == [True, False]
    assert [_is_record(row) for row in batch.to_pylist()] == [True, False, True]


@given(st.lists(any_trajectories, max_size=4), st.integers(0, 3))
def test_a_valid_record_is_never_faulty(records: list[Trajectory], start: int) -> None:
    batch = trajectory_batch(records).slice(min(start, len(records)))
    assert not faulty(batch).any()


@given(st.lists(loose_rows, max_size=4), st.integers(0, 2))
def test_columns_show_the_same_faults_as_reading_the_rows(
    rows: list[dict[str, Any]], start: int
) -> None:
    batch = pa.RecordBatch.from_pylist(rows, schema=trajectory_schema()).slice(
        min(start, len(rows))
    )
    assert faulty(batch).tolist() == [not _is_record(row) for row in batch.to_pylist()]
