from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.scoring.strategies import any_trajectories
from trajmeter.errors import ExtraMissingError, InputError, ReadError
from trajmeter.records import (
    Failure,
    Measurement,
    Measurements,
    RunLog,
    ToolCall,
    Trajectory,
    Turn,
    Verdict,
    View,
)
from trajmeter.schemas import trajectory_batch, trajectory_from_row, trajectory_schema
from trajmeter.shapes import trajectory_shape

if TYPE_CHECKING:
    from trajmeter.records import Record
    from trajmeter.shapes import Shape


def _records(batch: pa.RecordBatch) -> list[Trajectory]:
    return [trajectory_from_row(row) for row in batch.to_pylist()]


def _inner(name: str, *names: str) -> pa.DataType:
    found: pa.DataType = trajectory_schema().field(name).type
    for step in names:
        if isinstance(found, pa.ListType):
            found = found.value_type
        elif isinstance(found, pa.MapType):
            found = found.item_type
        assert isinstance(found, pa.StructType)
        found = found.field(step).type
    return found


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (("task_id",), pa.string()),
        (("turn_count",), pa.int64()),
        (("passed",), pa.bool_()),
        (("duration_seconds",), pa.float64()),
        (("sources",), pa.list_(pa.string())),
        (("unusable",), pa.map_(pa.string(), pa.string())),
        (("metadata",), pa.string()),
        (("turns", "extra"), pa.string()),
        (("turns", "error", "reason"), pa.string()),
        (("turns", "tool_calls", "arguments"), pa.string()),
        (("turns", "views", "extent"), pa.string()),
        (("turns", "views", "symbols"), pa.list_(pa.string())),
        (("measurements", "seconds", "value"), pa.float64()),
        (("measurements", "ratios"), pa.string()),
        (("pytest_summary", "problem"), pa.string()),
        (("run_log", "events"), pa.map_(pa.string(), pa.int64())),
    ],
)
def test_types_follow_from_those_of_the_models(
    path: tuple[str, ...], expected: pa.DataType
) -> None:
    assert _inner(*path) == expected


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ((), Trajectory),
        (("turns",), Turn),
        (("turns", "tool_calls"), ToolCall),
        (("turns", "views"), View),
        (("failure",), Failure),
        (("verdicts",), Verdict),
        (("measurements",), Measurements),
        (("measurements", "seconds"), Measurement),
        (("run_log",), RunLog),
    ],
)
def test_every_field_of_a_record_has_its_place(path: tuple[str, ...], model: type[Record]) -> None:
    kind = _inner(*path) if path else pa.struct(list(trajectory_schema()))
    if isinstance(kind, pa.ListType):
        kind = kind.value_type
    if isinstance(kind, pa.MapType):
        kind = kind.item_type
    assert isinstance(kind, pa.StructType)
    assert [field.name for field in kind] == list(model.model_fields)


def _members(shape: Shape, path: str = "") -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for member in shape.members:
        if not member.required:
            found.append((f"{path}{member.name}", member.default))
        found += _members(member.shape, f"{path}{member.name}.")
    return found + (_members(shape.item, path) if shape.item else [])


def test_null_in_every_field_that_is_not_required_is_its_default() -> None:
    nulls = dict.fromkeys(Trajectory.model_fields)
    row = {**nulls, "task_id": "a", "turns": [dict.fromkeys(Turn.model_fields)]}
    assert trajectory_from_row(row) == Trajectory(task_id="a", turns=(Turn(),))
    defaults = dict(_members(trajectory_shape()))
    assert defaults["turns.views.listed"] is True
    assert defaults["turns.tool_calls"] == ()


@given(st.lists(any_trajectories, max_size=3))
def test_records_come_back_as_they_were(records: list[Trajectory]) -> None:
    batch = trajectory_batch(records)
    assert batch.schema.equals(trajectory_schema(), check_metadata=True)
    assert _records(batch) == records


@given(st.lists(any_trajectories, min_size=1, max_size=3))
def test_few_records_become_the_columns_that_many_do(records: list[Trajectory]) -> None:
    many = [*records, *[Trajectory(task_id="b")] * 300]
    few = trajectory_batch(records)
    few.validate(full=True)
    assert few.equals(trajectory_batch(many).slice(0, len(records)))


def test_structures_are_json_and_empty_defaults_are_null() -> None:
    call = ToolCall(name="grep", arguments={"q": ["a"]})
    attempt = Trajectory(task_id="a", tool_calls=(call, ToolCall(name="ls", arguments="{")))
    (row,) = trajectory_batch([attempt]).to_pylist()
    assert [json.loads(call["arguments"]) for call in row["tool_calls"]] == [{"q": ["a"]}, "{"]
    assert (row["metadata"], row["turns"], row["unusable"]) == (None, None, [])
    measured = Trajectory(task_id="a", measurements=Measurements(ratios={}))
    assert trajectory_batch([measured]).to_pylist()[0]["measurements"]["ratios"] == "{}"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            Trajectory(task_id="b", final_views=(View(path="p", start=2**63),)),
            r"trajectory 1 cannot be a row of columns: ",
        ),
        (Trajectory(task_id="\udcff"), r"trajectory 1 cannot be a row of columns: "),
        (
            Trajectory(task_id="b", metadata={"x": object()}),
            r"trajectory 1 holds a value that is not valid JSON: .*object",
        ),
    ],
)
def test_a_value_without_a_place_names_its_record(bad: Trajectory, message: str) -> None:
    with pytest.raises(InputError, match=message):
        trajectory_batch([Trajectory(task_id="a"), bad])


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ({}, ValidationError),
        ({"task_id": "a", "turns": [None]}, ValidationError),
        ({"task_id": "a", "metadata": "[1]"}, ValidationError),
        ({"task_id": "a", "metadata": "{"}, ReadError),
        ({"task_id": "a", "final_views": [{"path": "p", "extent": "half"}]}, ValidationError),
    ],
)
def test_a_row_that_is_not_a_record_is_refused(row: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        trajectory_from_row(row)


def test_without_pyarrow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    trajectory_schema.cache_clear()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExtraMissingError, match=r"record batches need pyarrow.*trajmeter\[data\]"):
        trajectory_schema()
