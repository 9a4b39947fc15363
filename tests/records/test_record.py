"""What all records have in common: a schema, equality, and counts that fit a column."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError, create_model

from trajmeter import records
from trajmeter.metrics.context import EditLocation
from trajmeter.records import (
    LARGEST_COUNT,
    Extent,
    Failure,
    Outcome,
    Record,
    RunLog,
    Task,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
    View,
)
from trajmeter.records.record import default_fields, field_descriptions, frozen

RECORDS = [
    record
    for name in records.__all__
    if isinstance(record := getattr(records, name), type) and issubclass(record, Record)
]

ATTEMPT = Trajectory(
    task_id="a",
    turns=(
        Turn(
            error=Failure(reason="parse_error"),
            tool_calls=(ToolCall(name="grep", arguments={"path": "src"}),),
            views=(View(path="src/a.py", extent=Extent.LINES, start=1, end=9),),
        ),
    ),
)


@pytest.mark.parametrize("record", RECORDS)
def test_a_json_schema_describes_every_field(record: type[Record]) -> None:
    schema: dict[str, Any] = record.model_json_schema()

    assert set(schema["properties"]) == set(record.model_fields)
    assert [
        name for name, field in schema["properties"].items() if "description" not in field
    ] == []


def test_the_schema_names_the_parts_of_a_trajectory() -> None:
    schema = Trajectory.model_json_schema()

    assert schema["required"] == ["task_id"]
    assert schema["additionalProperties"] is False
    assert {"Turn", "ToolCall", "View", "Usage", "Failure"} <= set(schema["$defs"])


def test_a_record_equals_the_record_read_from_its_json() -> None:
    assert Trajectory.model_validate_json(ATTEMPT.model_dump_json()) == ATTEMPT


@pytest.mark.parametrize(
    ("record", "given"),
    [
        pytest.param(Task, {"id": "a"}, id="task"),
        pytest.param(Trajectory, {"task_id": "a"}, id="trajectory"),
        pytest.param(ToolCall, {"name": "a"}, id="call"),
        pytest.param(Turn, {}, id="turn"),
        pytest.param(Usage, {"input_tokens": 3}, id="usage"),
        pytest.param(View, {"path": "a"}, id="view"),
        pytest.param(EditLocation, {"outcome": Outcome.ABSTAINED}, id="group"),
    ],
)
def test_default_fields_are_those_of_the_validated_record(
    record: type[BaseModel], given: dict[str, Any]
) -> None:
    fields = default_fields(record, **given)
    assert frozen(record, fields) == record(**given)
    assert [*fields] == [*record.model_fields]
    assert frozen(record, fields).model_dump_json() == record(**given).model_dump_json()


def test_records_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        ATTEMPT.task_id = "b"  # type: ignore[misc] # what is refused


@pytest.mark.parametrize("count", [LARGEST_COUNT, 0, -LARGEST_COUNT - 1])
def test_counts_that_a_column_holds(count: int) -> None:
    assert Usage(total_tokens=count).total_tokens == count
    assert Turn(number=count).number == count


@pytest.mark.parametrize("count", [2**63, -(2**63) - 1, 10**400])
def test_counts_that_no_column_holds(count: int) -> None:
    for name in ("input_tokens", "output_tokens", "total_tokens"):
        with pytest.raises(ValidationError, match=name):
            Usage.model_validate({name: count})
    with pytest.raises(ValidationError, match="turn_count"):
        Trajectory(task_id="t", turn_count=count)
    with pytest.raises(ValidationError, match="dropped_calls"):
        Trajectory(task_id="t", dropped_calls=count)
    with pytest.raises(ValidationError, match=r"events\.i"):
        RunLog(events={"i": count})
    with pytest.raises(ValidationError, match="max_turns"):
        Task(id="t", max_turns=count)


class _Outer(Record):
    """A record of a test."""

    count: int = 0
    """How many.

    In two paragraphs.
    """
    other: int = 0


def test_descriptions_are_the_docstrings_below_the_fields_inherited_or_local() -> None:
    class Inner(_Outer):
        count: int = 1
        """How many inside."""
        more: int = 0
        """More."""

    assert field_descriptions(_Outer) == {"count": "How many.\n\nIn two paragraphs."}
    assert field_descriptions(Inner) == {"count": "How many inside.", "more": "More."}
    assert field_descriptions(create_model("Made", __base__=_Outer)) == field_descriptions(_Outer)


def test_a_model_without_sources_has_no_descriptions() -> None:
    module = "a_module_without_sources"
    scope: dict[str, Any] = {"__name__": module, "Record": Record}
    exec('class Made(Record):\n    count: int = 0\n    """How many."""', scope)  # noqa: S102 - as a notebook does
    assert field_descriptions(scope["Made"]) == {}
    assert scope["Made"](count=3).count == 3


def test_several_threads_may_be_the_first_to_use_a_record() -> None:
    for _ in range(20):

        class Part(Record):
            number: int = 0

        class Whole(Record):
            parts: tuple[Part, ...] = ()

        values = {"parts": [{"number": 3}]}
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(Whole.model_validate, [values] * 16))
        assert {len(whole.parts) for whole in made} == {1}
