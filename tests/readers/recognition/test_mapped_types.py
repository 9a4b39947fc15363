"""Columns of Parquet files under names of fields: those that are absent or of another type."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.errors import ConfigurationError
from trajmeter.readers import ReadProblem, read_tasks, read_trajectories
from trajmeter.readers.batches import TrajectoryBatches

if TYPE_CHECKING:
    from pathlib import Path

TYPES = {
    "text": pa.array(["[]"]),
    "coded": pa.array(["a"]).dictionary_encode(),
    "whole": pa.array([1], pa.int32()),
    "real": pa.array([1.0]),
    "decimal": pa.array([Decimal(1)]),
    "truth": pa.array([True]),
    "nothing": pa.nulls(1),
    "list": pa.array([[]], pa.list_(pa.string())),
    "record": pa.array([{"name": "m", "deep": {"x": "y"}}]),
    "bytes": pa.array([b"a"]),
    "time": pa.array([0], pa.timestamp("s")),
    "map": pa.array([[("k", "v")]], pa.map_(pa.string(), pa.string())),
}
TEXTS = {"text", "coded", "whole", "nothing"}
NUMBERS = {"whole", "real", "decimal", "truth", "nothing"}
HELD = {
    "model": TEXTS,
    "task.gold_patch": TEXTS,
    "passed": NUMBERS,
    "duration_seconds": NUMBERS,
    "usage.cost_usd": NUMBERS,
    "turns": {"text", "coded", "nothing", "list"},
    "messages": {"text", "coded", "nothing", "list"},
    "task.expected_tool_calls": {"text", "coded", "nothing", "list"},
    "usage": {"text", "coded", "nothing", "record"},
    "metadata.x": {*TYPES},
    "task.metadata.x": {*TYPES},
}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    columns = {"id": pa.array(["a"]), **TYPES}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


def read_all(path: Path, mapping: dict[str, str]) -> None:
    """Read tasks, attempts and batches; values that are refused later are no matter here."""
    problems: list[ReadProblem] = []
    for each in (
        read_tasks(path, mapping=mapping, on_problem=problems.append),
        read_trajectories(path, mapping=mapping, on_problem=problems.append),
        TrajectoryBatches(path, mapping=mapping, on_problem=problems.append),
    ):
        found: Any = each
        list(found)


@pytest.mark.parametrize("field", HELD)
@pytest.mark.parametrize("column", TYPES)
def test_a_column_holds_its_field_or_is_an_error(rows: Path, field: str, column: str) -> None:
    mapping = {"task_id": "id", field: column}
    if column in HELD[field]:
        read_all(rows, mapping)
        return
    with pytest.raises(ConfigurationError) as caught:
        read_all(rows, mapping)
    assert str(caught.value).startswith(f"{rows}: map: column {column!r} is ")
    assert str(caught.value).endswith(f"cannot hold {field.removeprefix('task.')!r}")


@pytest.mark.parametrize(
    ("column", "hint"),
    [
        ("relcord", "; did you mean 'record'?"),
        ("record.nme", "; did you mean 'record.name'?"),
        ("map.k", "; found: id, text, coded, "),
        ("record.deep.x.y", "; did you mean 'record.deep.x'?"),
    ],
)
@pytest.mark.parametrize("field", ["model", "task.question"])
def test_an_absent_column_is_an_error(rows: Path, field: str, column: str, hint: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_all(rows, {"task_id": "id", field: column})
    named = field.removeprefix("task.")
    assert f"{rows}: map: no column {column!r} for {named!r}{hint}" in str(caught.value)


def test_what_lies_within_a_structure_is_a_column(rows: Path) -> None:
    mapping = {"task_id": "id", "model": "record.name", "task.question": "record.deep.x"}
    (attempt,) = read_trajectories(rows, mapping=mapping)
    (task,) = read_tasks(rows, mapping=mapping)
    assert (attempt.model, task.id, task.question) == ("m", "a", "y")


def test_columns_of_another_format_have_to_be_there(rows: Path) -> None:
    mapping = {"instance_id": "id", "model_patch": "patch"}
    with pytest.raises(ConfigurationError, match="no column 'patch' for 'model_patch'"):
        list(read_trajectories(rows, input_format="swe-bench-predictions", mapping=mapping))


def test_a_file_that_is_cut_off_is_a_problem_as_ever(rows: Path) -> None:
    rows.write_bytes(rows.read_bytes()[:-4])
    problems: list[ReadProblem] = []
    mapping = {"task_id": "id", "model": "text"}
    assert [*read_trajectories(rows, mapping=mapping, on_problem=problems.append)] == []
    assert len(problems) == 1
