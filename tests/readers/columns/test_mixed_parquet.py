"""Parquet files of trajectories in columns, some of whose rows are invalid or in other formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.both_ways import Read, compared
from trajmeter.readers import read_trajectories
from trajmeter.readers.batches import IDENTITY, TrajectoryBatches
from trajmeter.readers.frame_batches import FrameBatches
from trajmeter.readers.frames import read_frame
from trajmeter.schemas import trajectory_batch, trajectory_from_row, trajectory_schema

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from trajmeter.records import ReadProblem, Trajectory

MESSAGES = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]
ROWS: dict[str, dict[str, Any]] = {
    "own": {"task_id": "a", "turn_count": 3, "turns": [{"number": 1, "program": "p"}]},
    "other column": {"task_id": "b", "turn_count": 4, "split": "test"},
    "no task": {"turn_count": 5, "split": "test"},
    "nothing": {},
    "invalid": {"task_id": "c", "turns": [{"number": 1.5}], "transcript": "t"},
    "messages": {"instance_id": "d", "messages": MESSAGES},
    "messages of a task": {"task_id": "e", "turn_count": 6, "messages": MESSAGES},
    "prediction": {"instance_id": "f", "model_patch": "diff --git a/x b/x"},
    "not quite messages": {"task_id": "g", "turn_count": 7, "messages": []},
    "result": {"task_id": "h", "backend": "rust", "turns.outcome": "scored"},
}
COLUMNS: dict[str, pa.DataType] = {
    "messages.count": pa.int64(),
    "task_id": pa.string(),
    "turn_count": pa.int64(),
    "transcript": pa.string(),
    "turns": pa.list_(pa.struct([("number", pa.float64()), ("program", pa.string())])),
    "split": pa.string(),
    "instance_id": pa.string(),
    "messages": pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())])),
    "model_patch": pa.string(),
    "backend": pa.string(),
    "turns.outcome": pa.string(),
}
SCHEMA = pa.schema(COLUMNS)
WANTED = [None, [], ["turns"], ["turn_count"], ["transcript", "final_patch"], ["turns.program"]]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mixed") / "rows.parquet"


def as_rows(batches: Iterable[pa.RecordBatch]) -> list[Any]:
    """Rows with nulls replaced by defaults."""
    rows = [row for batch in batches for row in batch.to_pylist()]
    return compared(trajectory_batch(map(trajectory_from_row, rows)).to_pylist())


def as_batches(records: Iterable[Trajectory], columns: Collection[str] | None) -> list[Any]:
    wanted = None if columns is None else {*columns, *IDENTITY}
    return [trajectory_batch([each], columns=wanted) for each in records]


def by_columns(path: Path, columns: Collection[str] | None) -> Read:
    problems: list[ReadProblem] = []
    rows = as_rows(TrajectoryBatches(path, columns=columns, on_problem=problems.append))
    return Read(rows, problems)


def by_records(path: Path, columns: Collection[str] | None) -> Read:
    problems: list[ReadProblem] = []
    records = [*read_trajectories(path, on_problem=problems.append)]
    return Read(as_rows(as_batches(records, columns)), problems)


@given(
    names=st.lists(st.sampled_from([*ROWS]), min_size=1, max_size=12),
    left_out=st.sets(st.sampled_from([name for name in COLUMNS if name != "task_id"])),
    columns=st.sampled_from(WANTED),
    group=st.integers(1, 5),
)
def test_rows_and_problems_do_not_depend_on_the_wanted_columns(
    names: list[str], left_out: set[str], columns: list[str] | None, group: int, path: Path
) -> None:
    if columns is not None and "turns" not in columns:  # unneeded values are not checked
        names = [name for name in names if name != "invalid"]
    table = pa.Table.from_pylist([ROWS[name] for name in names], schema=SCHEMA)
    pq.write_table(table.drop_columns(sorted(left_out)), path, row_group_size=group)
    assert by_columns(path, columns) == by_records(path, columns)


def test_a_row_in_another_format_is_read_whole(path: Path) -> None:
    names = ["own", "messages", "no task", "messages of a task", "other column"]
    pq.write_table(pa.Table.from_pylist([ROWS[name] for name in names], schema=SCHEMA), path)
    problems: list[ReadProblem] = []
    batches = TrajectoryBatches(path, columns=["turns"], on_problem=problems.append)
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert [(row["task_id"], len(row["turns"] or ())) for row in rows] == [
        ("a", 1),
        ("d", 1),
        ("e", 1),
        ("b", 0),
    ]
    (problem,) = problems
    assert problem.record == "[2]"
    assert "['turn_count', 'split']" in problem.message
    assert batches.lines_as_records == 3


@given(names=st.lists(st.sampled_from([*ROWS]), min_size=1, max_size=12))
def test_so_are_rows_of_a_frame(names: list[str]) -> None:
    table = pa.Table.from_pylist([ROWS[name] for name in names], schema=SCHEMA)
    problems: list[ReadProblem] = []
    batches = FrameBatches(table, ["turns"], on_problem=problems.append)
    rows = [trajectory_from_row(row) for batch in batches for row in batch.to_pylist()]
    expected: list[ReadProblem] = []
    records = [*read_frame(table, on_problem=expected.append)]
    assert problems == expected
    assert [(row.task_id, row.source, row.turns) for row in rows] == [
        (record.task_id, record.source, record.turns) for record in records
    ]


@pytest.mark.parametrize("columns", [None, ["dropped_calls", "unusable"], ["dropped_calls"], []])
def test_defaults_do_not_depend_on_other_columns(path: Path, columns: list[str] | None) -> None:
    """A file with a further column is read as records if ``extra`` is wanted."""
    rows = {
        "task_id": ["a", "b"],
        "dropped_calls": [None, 2],
        "unusable": pa.array([None, [("usage", "x")]], pa.map_(pa.string(), pa.string())),
    }
    expected: dict[str, list[Any]] = {"dropped_calls": [0, 2], "unusable": [[], [("usage", "x")]]}
    absent: dict[str, list[Any]] = {"dropped_calls": [0, 0], "unusable": [[], []]}
    for file in (rows, {**rows, "split": ["x", "y"]}, {"task_id": ["a", "b"]}):
        table = pa.table(file)
        pq.write_table(table, path)
        found = pa.Table.from_batches(TrajectoryBatches(path, columns=columns))
        frame = pa.Table.from_batches(FrameBatches(table, columns or [*expected]))
        for name, values in (expected if "unusable" in file else absent).items():
            if columns is None or name in columns:
                assert found[name].to_pylist() == frame[name].to_pylist() == values
            else:
                assert found[name].null_count == 2


@pytest.mark.parametrize("name", ["split", "steps"])
def test_the_last_of_several_other_columns_of_one_name_is_kept(path: Path, name: str) -> None:
    columns: list[pa.Array[Any]] = [pa.array(["a", None]), pa.array([1, 2]), pa.array([3, 4])]
    table = pa.Table.from_arrays(columns, names=["task_id", name, name])
    pq.write_table(table.replace_schema_metadata(trajectory_schema().metadata), path)
    assert by_columns(path, None) == by_records(path, None)
    read = by_columns(path, ["turns"])
    assert read == by_records(path, ["turns"])
    assert (len(read.rows), [problem.record for problem in read.problems]) == (1, ["[1]"])
    (record,) = read_trajectories(path, on_problem=lambda _: None)
    assert record.extra == {name: 3}


def test_a_row_that_cannot_be_read_whole_is_a_problem(path: Path) -> None:
    """A corrupt page of a column that is not wanted costs the rows that must be read whole."""
    rows = {"task_id": ["a", None, "c", None], "split": [text * 50 for text in "pqrs"]}
    table = pa.table(rows)
    pq.write_table(table, path, row_group_size=2, write_page_checksum=True, use_dictionary=False)
    column = pq.ParquetFile(path).metadata.row_group(0).column(1)
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 3] ^= 0xFF
    path.write_bytes(content)
    read = by_columns(path, ["turns"])
    assert len(read.rows) == 2
    assert [problem.record for problem in read.problems] == ["[1]", "[3]"]
    assert read.problems[0].message.startswith("row group 0 cannot be read, rows ")
    assert read.problems[1].message.startswith("expected a trajectory, ")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("messages", "records with a list of messages"),
        ("not quite messages", "a value in a column that other formats have too"),
        ("no task", "an unknown format"),
        ("invalid", "a value of the wrong type"),
    ],
)
def test_why_rows_are_read_as_records(path: Path, name: str, reason: str) -> None:
    names = ["own"] + [name] * 1_000
    pq.write_table(pa.Table.from_pylist([ROWS[each] for each in names], schema=SCHEMA), path)
    batches = TrajectoryBatches(path, columns=["turns"], on_problem=lambda _: None)
    assert sum(batch.num_rows for batch in batches) <= 1_001
    assert batches.note is not None
    assert f"reason: {reason} (1,000)" in batches.note
