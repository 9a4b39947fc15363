from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from trajmeter import records
from trajmeter.records import Extent, Failure, ToolCall, Trajectory, Turn, View
from trajmeter.records._base import Record

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


def test_the_schema_names_what_a_trajectory_is_made_of() -> None:
    schema = Trajectory.model_json_schema()

    assert schema["required"] == ["task_id"]
    assert schema["additionalProperties"] is False
    assert {"Turn", "ToolCall", "View", "Usage", "Failure"} <= set(schema["$defs"])


def test_a_record_equals_what_is_read_of_its_json() -> None:
    assert Trajectory.model_validate_json(ATTEMPT.model_dump_json()) == ATTEMPT


def test_records_are_frozen() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        ATTEMPT.task_id = "b"  # type: ignore[misc] # what is refused
