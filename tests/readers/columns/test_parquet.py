"""Parquet files of trajectories in columns: read as columns, beside reading their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.both_ways import Read, as_records, compared
from tests.scoring.strategies import any_trajectories, loose_rows
from trajmeter.readers import read_trajectories
from trajmeter.readers._columns import parquet_columns
from trajmeter.readers._files.ranges import RowRange
from trajmeter.readers.batches import IDENTITY, TrajectoryBatches
from trajmeter.records import RunLog, Source, ToolCall, Trajectory, Turn
from trajmeter.schemas import trajectory_batch, trajectory_from_row, trajectory_schema
from trajmeter.writers.arrow import stored_schema

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from trajmeter.records import ReadProblem

SCHEMA = trajectory_schema()


def as_columns(path: Path, columns: Collection[str] | None = None) -> tuple[Read, int]:
    """Rows as records have them, problems, and how many rows were read as records."""
    problems: list[ReadProblem] = []
    batches = TrajectoryBatches(path, columns=columns, on_problem=problems.append)
    rows: list[Any] = []
    for batch in batches:
        batch.validate(full=True)
        assert batch.schema.equals(SCHEMA, check_metadata=True)
        for row in batch.to_pylist():
            rows += trajectory_batch([trajectory_from_row(row)]).to_pylist()
    return Read(compared(rows), problems), batches.lines_as_records


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("parquet") / "rows.parquet"


def write(path: Path, table: pa.Table, *, marked: bool = True, rows: int = 2) -> Path:
    metadata = SCHEMA.metadata if marked else None
    pq.write_table(table.replace_schema_metadata(metadata), path, row_group_size=rows)
    return path


def as_row(trajectory: Trajectory) -> dict[str, Any]:
    row: dict[str, Any] = trajectory_batch([trajectory]).to_pylist()[0]
    return row


@given(
    rows=st.lists(loose_rows | any_trajectories.map(as_row), max_size=5),
    left_out=st.sets(st.sampled_from([name for name in SCHEMA.names if name != "task_id"])),
    marked=st.booleans(),
    repeated=st.booleans(),
)
def test_same_rows_and_problems_as_records(
    rows: list[dict[str, Any]], left_out: set[str], marked: bool, repeated: bool, path: Path
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        if repeated:  # as texts of many rows are
            patched.setattr(parquet_columns, "_LENGTH_BYTES", 1 << 20)
        _check_both_ways(rows, left_out, path, marked=marked)


def _check_both_ways(
    rows: list[dict[str, Any]], left_out: set[str], path: Path, *, marked: bool
) -> None:
    table = pa.Table.from_pylist(rows, schema=SCHEMA).drop_columns(sorted(left_out))
    write(path, table, marked=marked)
    read = as_columns(path)[0]
    assert read == as_records(path)
    lists = pa.Table.from_pylist(rows, schema=SCHEMA).cast(stored_schema(SCHEMA))
    write(path, lists.drop_columns(sorted(left_out)), marked=marked)
    assert as_columns(path)[0] == as_records(path) == read


def test_only_the_needed_columns_of_mappings_are_read(path: Path) -> None:
    attempt = Trajectory(task_id="a", unusable={"x": "y"}, run_log=RunLog(events={"i": 3}))
    table = pa.Table.from_batches([trajectory_batch([attempt])]).cast(stored_schema(SCHEMA))
    write(path, table)
    for columns in (["run_log.events"], ["unusable"], ["run_log", "measurements.seconds"]):
        (batch,) = TrajectoryBatches(path, columns=columns)
        (row,) = batch.select(["unusable", "run_log"]).to_pylist()
        assert row["unusable"] == ([("x", "y")] if "unusable" in columns else None)
        assert (row["run_log"] or {}).get("events") == (
            None if "unusable" in columns else [("i", 3)]
        )


@pytest.mark.parametrize("repeated", [False, True])
def test_other_types_and_nulls_of_any_field(
    path: Path, repeated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if repeated:
        monkeypatch.setattr(parquet_columns, "_LENGTH_BYTES", 1 << 20)
    table = pa.table(
        {
            "task_id": pa.array(["a", "b", "a"]).dictionary_encode(),
            "dropped_calls": pa.array([None, 3, 4], pa.int32()),
            "turn_count": pa.array([1.0, 2.5, None]),
            "metadata": pa.array([{"x": 1}, None, None]),
            "turns": pa.array(
                [
                    [{"tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]}],
                    None,
                    [{"tool_calls": None}],
                ]
            ),
        }
    )
    write(path, table, marked=False)
    read, as_record = as_columns(path)
    assert read == as_records(path)
    assert [problem.record for problem in read.problems] == ["[1]"]
    assert "turn_count" in read.problems[0].message
    assert (len(read.rows), as_record) == (2, 1)
    (batch,) = TrajectoryBatches(path, columns=["turns.tool_calls.name"], on_problem=print)
    names = [[call["name"] for call in turn["tool_calls"] or ()] for turn in batch[5][0].as_py()]
    assert names == [["f"]]


def test_repeated_texts_of_which_presence_matters_are_left_out(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_columns, "_LENGTH_BYTES", 1 << 20)
    turns = (Turn(program="x", text="y"), Turn(), Turn(program="x"))
    attempts = [Trajectory(task_id="a", turns=turns), Trajectory(task_id="b")]
    write(path, pa.Table.from_batches([trajectory_batch(attempts)]))

    def read(*presence: str) -> list[Any]:
        (batch,) = TrajectoryBatches(path, presence=presence)
        batch.validate(full=True)
        return batch.column("turns").to_pylist()

    whole, lean = read(), read("turns.program", "turns.absent", "absent")
    assert [turn["program"] for turn in whole[0]] == ["x", None, "x"]
    assert [turn["program"] for turn in lean[0]] == ["", None, ""]
    assert (whole[1], lean[1]) == (None, None)
    for turn in (*whole[0], *lean[0]):
        del turn["program"]
    assert lean == whole


def test_a_row_is_checked_with_its_texts_where_only_presence_matters(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_columns, "_LENGTH_BYTES", 1 << 20)
    programs = pa.array([b"x", b"\xff"]).view(pa.string())
    turns = pa.ListArray.from_arrays([0, 1, 2], pa.StructArray.from_arrays([programs], ["program"]))
    write(path, pa.table({"task_id": ["a", "b"], "turns": turns}))
    problems: list[ReadProblem] = []
    batches = TrajectoryBatches(path, presence=["turns.program"], on_problem=problems.append)
    assert [batch["task_id"].to_pylist() for batch in batches] == [["a"]]
    assert problems == as_records(path).problems != []


def without(array: Any, name: str) -> Any:
    """Lists of records without a field."""
    records = array.values
    kept = [field for field in records.type if field.name != name]
    children = [records.field(field.name) for field in kept]
    made = pa.StructArray.from_arrays(children, fields=kept)
    return pa.ListArray.from_arrays(array.offsets, made)


def test_a_file_of_records_before_results_were_kept_is_read(path: Path) -> None:
    call = ToolCall(name="read", arguments={"path": "a.py"}, success=True)
    turn = Turn(program="x", tool_calls=(call,))
    attempts = [Trajectory(task_id=each, turns=(turn,), tool_calls=(call,)) for each in "ab"]
    table = pa.Table.from_batches([trajectory_batch(attempts)])
    for name in ("id", "result", "duration_seconds"):
        calls = without(table["tool_calls"].combine_chunks(), name)
        table = table.set_column(table.schema.names.index("tool_calls"), "tool_calls", calls)
    turns = without(without(table["turns"].combine_chunks(), "text"), "tool_calls")
    table = table.set_column(table.schema.names.index("turns"), "turns", turns)
    write(path, table)
    read, as_record = as_columns(path)
    assert read == as_records(path)
    assert (read.problems, as_record) == ([], 0)
    sources = [Source(file=str(path), record=f"[{row}]") for row in range(2)]
    whole = [
        attempt.model_copy(update={"source": source, "turns": (Turn(program="x"),)})
        for attempt, source in zip(attempts, sources, strict=True)
    ]
    assert [*read_trajectories(path)] == whole


@pytest.mark.parametrize("marked", [True, False])
def test_results_are_read_where_they_are_wanted(path: Path, marked: bool) -> None:
    call = ToolCall(name="read", result="x = 1")
    attempt = Trajectory(task_id="a", turns=(Turn(tool_calls=(call,)),), tool_calls=(call,))
    write(path, pa.Table.from_batches([trajectory_batch([attempt])]), marked=marked)

    def read(*columns: str) -> list[Any]:
        (batch,) = TrajectoryBatches(path, columns=columns)
        (row,) = batch.to_pylist()
        calls = [
            *(row["tool_calls"] or ()),
            *(row["turns"] or [{"tool_calls": ()}])[0]["tool_calls"],
        ]
        return [(call["name"], call["result"]) for call in calls]

    assert read("tool_calls.name", "turns.tool_calls.name") == [("read", None)] * 2
    assert read("tool_calls", "turns") == [("read", '"x = 1"')] * 2


def test_unknown_columns_are_extra(path: Path) -> None:
    write(path, pa.table({"task_id": ["a", "b"], "split": ["test", None]}), marked=False)
    (batch,) = TrajectoryBatches(path)
    assert batch["extra"].to_pylist() == ['{"split": "test"}', None]
    (batch,) = TrajectoryBatches(path, columns=["usage"])
    assert batch["extra"].null_count == 2


def test_only_wanted_columns_are_read(path: Path) -> None:
    call = {"name": "t", "arguments": "{", "success": True}
    turn = {"number": 1, "views": [{"path": "p"}], "tool_calls": [call]}
    rows = [{"task_id": "a", "agent": "x", "turns": [turn], "unusable": [("k", "v")]}]
    write(path, pa.Table.from_pylist(rows, schema=SCHEMA))
    batches = TrajectoryBatches(path, columns=["turns.views.path", "unusable"])
    (row,) = (row for batch in batches for row in batch.to_pylist())
    (turn,) = row["turns"]
    assert {name for name, value in turn.items() if value is not None} == {"views"}
    assert {name for name, value in turn["views"][0].items() if value is not None} == {"path"}
    assert row["unusable"] == [("k", "v")]
    assert row["source"] == {"file": str(path), "line": None, "record": "[0]"}
    filled = {name for name, value in row.items() if value is not None}
    assert filled == {"task_id", "agent", "source", "turns", "unusable"}
    assert batches.lines_as_records == 0
    assert as_records(path).problems  # of the arguments, which were not read above


def test_a_member_that_the_file_lacks(path: Path) -> None:
    table = pa.table({"task_id": ["a"], "turns": [[{"number": 1}, {"number": 2}]]})
    write(path, table, marked=False)
    (batch,) = TrajectoryBatches(path, columns=["turns.views"])
    assert [turn["views"] for turn in batch["turns"][0].as_py()] == [None, None]


def test_rows_of_other_formats_keep_their_format(path: Path) -> None:
    rows = {"task_id": ["a"], "instance_id": ["b"], "model_patch": ["diff"]}
    write(path, pa.table(rows), marked=False)
    read, as_record = as_columns(path)
    assert (read, as_record) == (as_records(path), 0)
    assert "'b'" in read.rows[0]


def test_a_corrupt_page_costs_its_row_group(path: Path) -> None:
    rows = [{"task_id": f"t{number}", "final_output": "x" * 50} for number in range(6)]
    table = pa.Table.from_pylist(rows, schema=SCHEMA).replace_schema_metadata(SCHEMA.metadata)
    pq.write_table(table, path, row_group_size=2, write_page_checksum=True, use_dictionary=False)
    column = pq.ParquetFile(path).metadata.row_group(1).column(0)
    content = bytearray(path.read_bytes())
    at = column.data_page_offset + column.total_compressed_size - 3
    content[at] ^= 0xFF
    path.write_bytes(content)
    read, _ = as_columns(path)
    assert read == as_records(path)
    assert len(read.rows) == 4
    (problem,) = read.problems
    assert (problem.file, problem.record) == (str(path), None)
    assert problem.message.startswith("row group 1 cannot be read, rows [2] to [3]: ")


def test_a_cut_file_is_one_problem(path: Path) -> None:
    write(path, pa.table({"task_id": ["a"]}))
    path.write_bytes(path.read_bytes()[:-1])
    read, _ = as_columns(path)
    assert read == as_records(path)
    assert [problem.message[:16] for problem in read.problems] == ["invalid Parquet:"]


@pytest.mark.parametrize("repeats", [1, 200])
def test_text_that_is_not_utf8_is_a_problem_of_its_row(path: Path, repeats: int) -> None:
    texts = pa.array([b"a", b"\xff", b"c"] + [b"a"] * repeats, pa.binary()).view(pa.string())
    tasks = [str(number) for number in range(len(texts))]
    write(path, pa.table({"task_id": tasks, "final_output": texts}), rows=len(texts))
    read, as_record = as_columns(path)
    assert read == as_records(path)
    assert [problem.record for problem in read.problems] == ["[1]"]
    assert (len(read.rows), as_record) == (2 + repeats, 1)


def test_identity_is_always_read(path: Path) -> None:
    names = {name: name for name in IDENTITY if name != "source"}
    table = pa.Table.from_pylist([names], schema=SCHEMA)
    write(path, table)
    (batch,) = TrajectoryBatches(path, columns=[])
    assert {name for name in SCHEMA.names if not batch[name].null_count} == IDENTITY


@pytest.mark.parametrize("field", ["function", "arguments", "metadata"])
def test_text_that_is_not_utf8_within_other_values_costs_its_row(path: Path, field: str) -> None:
    texts = pa.array([b"{}", b"\xff", b"{}"], pa.binary()).view(pa.string())
    inner = pa.StructArray.from_arrays([texts], ["arguments"])
    column: pa.Array[Any]
    if field == "metadata":
        column = inner
    else:
        calls = pa.StructArray.from_arrays([pa.array(["a"] * 3), inner], ["name", field])
        column = pa.ListArray.from_arrays([0, 1, 2, 3], calls)
    name = "metadata" if field == "metadata" else "tool_calls"
    write(path, pa.table({"task_id": ["1", "2", "3"], name: column}), rows=3)
    read, _ = as_columns(path)
    assert len(read.rows) == 2
    assert len(read.problems) == 1


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_texts_of_any_encoding_are_read(path: Path, encoding: str) -> None:
    table = pa.table({"task_id": [""] * 500, "agent": ["a"] * 500})
    pq.write_table(
        table,
        path,
        use_dictionary=False,
        column_encoding=dict.fromkeys(table.column_names, encoding),
    )
    read, _ = as_columns(path)
    assert (len(read.rows), read.problems) == (500, [])


def test_which_texts_are_read_as_dictionaries(path: Path) -> None:
    few, many = ["a", "b"] * 100, [f"text {number}" for number in range(200)]
    table = pa.table({"task_id": few, "agent": few, "model": many, "final_output": few})
    with pq.ParquetWriter(path, table.schema) as writer:
        writer.write_table(table)
        writer.write_table(table.set_column(1, "agent", pa.array(many)))
    with pq.ParquetFile(path) as content:
        whole, part = (
            parquet_columns.chosen_columns(content, table.column_names, within, may_nest=False)
            for within in (None, RowRange(0, 200))
        )
    assert whole is not None
    assert part is not None
    assert whole.repeated == ["task_id", "final_output"]
    assert part.repeated == ["task_id", "agent", "final_output"]
