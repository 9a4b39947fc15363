"""Reading JSON lines into columns in Rust, beside reading them as records."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.readers.both_ways import as_batches, as_records, same, write
from trajmeter.errors import InputError, ReadError
from trajmeter.readers import read_trajectories
from trajmeter.readers._columns.column_reader import trajectory_description
from trajmeter.readers.batches import IDENTITY, TrajectoryBatches
from trajmeter.records import ReadProblem, Source, ToolCall, Trajectory, Turn, View
from trajmeter.schemas import trajectory_batch, trajectory_from_row

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.usefixtures("rust")


def test_an_own_record() -> None:
    trajectory = Trajectory(
        task_id="a",
        source=Source(file="f", line=3),
        turns=(Turn(number=1, tool_calls=(ToolCall(name="t", arguments={"x": [1]}),)),),
        final_views=(View(path="p"),),
        metadata={"budget": 1e22},
    )
    path = write(trajectory.model_dump_json().encode())
    (batch,) = list(TrajectoryBatches(path))
    assert trajectory_from_row(batch.to_pylist()[0]) == trajectory
    path.unlink()


def test_lines_of_both_formats_and_neither(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text(
        '{"task_id": "a"}\n'
        '{"instance_id": "b", "model_patch": "p"}\n'
        "\n"
        '{"what": 1}\n'
        '{"task_id": 5}\n'
        '{"task_id": "c", "unknown": NaN}\n'
        '{"instance_id": "d", "traj_data": {"pred_files": ["x"]}}\n'
    )
    read, as_record = as_batches(path)
    assert read == as_records(path)
    assert [problem.line for problem in read.problems] == [4, 5]
    assert as_record == 3
    rows: list[Any] = []
    for batch in TrajectoryBatches(path, on_problem=read.problems.append):
        rows += batch.to_pylist()
    ids = [(row["task_id"], row["source"]["line"]) for row in rows]
    assert ids == [("a", 1), ("b", 2), ("c", 6), ("d", 7)]


def test_unknown_lines_are_one_problem() -> None:
    strange = b'{"what": 1}\n'
    assert same(strange * 3) == 3
    assert same(strange * 25) == 20
    assert same(strange * 3 + b'{"task_id": "a"}\n' + strange) == 4
    assert same(strange * 19 + b'{"task_id": "a", "source": 5}\n' + strange * 30) == 50


def test_without_a_listener_a_problem_raises(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"task_id": "a"}\n{"task_id": 5}\n')
    with pytest.raises(ReadError, match=r"bad\.jsonl:2: task_id"):
        list(TrajectoryBatches(path))


def test_a_value_that_no_column_holds_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    line = '{"task_id": "%s", "final_views": [{"path": "p", "start": %d}]}\n'
    path.write_text(line % ("a", 1) + line % ("b", 2**64) + line % ("c", 3))
    read, as_record = as_batches(path)
    assert (len(read.rows), as_record) == (2, 1)
    assert [(problem.line, problem.message[:12]) for problem in read.problems] == [
        (2, "trajectory 0")
    ]


def test_other_files_are_read_as_records(tmp_path: Path) -> None:
    document = tmp_path / "records.json"
    document.write_text('[{"task_id": "a"},\n {"task_id": 3}]')
    assert as_batches(document)[0] == as_records(document)
    archive = tmp_path / "records.gz"
    archive.write_bytes(b"\x1f\x8b12")
    for path in (archive, tmp_path / "absent", tmp_path):
        assert as_batches(path)[0] == as_records(path)


CONTENT = b"".join(
    [
        b'\xef\xbb\xbf{"task_id": "a", "final_patch": "\xc3\xa9"}\r\n\r\n',
        b'{"task_id": "b", "note": 1}\n  \n{"instance_id": "c", "model_patch": "x"}\n',
        b'{"task_id": 1}\n{"task_id": "d"}',
    ]
)


def test_blocks_may_end_at_any_byte() -> None:
    assert {same(CONTENT, block) for block in range(1, len(CONTENT) + 2)} == {2}


def test_a_file_may_end_at_any_byte() -> None:
    for length in range(len(CONTENT) + 1):
        same(CONTENT[:length], 16)


def test_lines_longer_than_a_piece() -> None:
    line = json.dumps({"task_id": "a", "final_patch": "x\n" * 800_000}).encode() + b"\n"
    assert same(line * 3 + b'{"task_id": "b"}', 1 << 16) == 0


@pytest.mark.parametrize(
    "columns",
    [
        (),
        ("task_id",),
        ("final_views", "extra"),
        ("turns",),
        ("turns.views", "final_patch"),
        ("turns.views.path", "turns.error.reason", "usage.cost_usd"),
        ("turns.extra", "turns.tool_calls.name", "metadata", "unusable"),
    ],
)
@pytest.mark.parametrize("backend", ["rust", "python"])
def test_only_wanted_columns_are_there(
    columns: tuple[str, ...], backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "records.jsonl"
    call = {"name": "t", "arguments": {"x": 1}, "success": True}
    turn = {"number": 1, "views": [{"path": "p"}], "tool_calls": [call], "error": {"reason": "r"}}
    lines = [
        {"task_id": "a", "turns": [turn, {}], "unknown": 1, "usage": {"cost_usd": 2}},
        {"instance_id": "b", "traj_data": {"pred_steps": [{"files": ["p"], "note": 1}]}},
        {"task_id": "c", "turns": [{"number": "x"}]},
        {"task_id": "d", "turns": [{"number": 1.0}], "agent": "z", "unusable": {"k": "v"}},
        {"task_id": "e", "turns": [{"number": 1, "views": [{"path": 1}]}]},
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    monkeypatch.setattr("trajmeter.readers.batches.backend", lambda: backend)
    problems: list[ReadProblem] = []
    batches = TrajectoryBatches(path, columns=columns, on_problem=problems.append)
    rows = [row for batch in batches for row in batch.to_pylist()]
    whole = [
        row
        for batch in TrajectoryBatches(path, on_problem=problems.append)
        for row in batch.to_pylist()
    ]
    assert [row["task_id"] for row in rows] == ["a", "b", "d"]
    assert problems[:2] == problems[2:]
    assert rows == [wanted(row, (*columns, *IDENTITY)) for row in whole]


def wanted(value: Any, columns: tuple[str, ...]) -> Any:
    """A row in which all but these columns are null."""
    if isinstance(value, list):
        return [wanted(item, columns) for item in value]
    if not isinstance(value, dict):
        return value

    def member(name: str) -> Any:
        below = tuple(c.removeprefix(f"{name}.") for c in columns if c.startswith(f"{name}."))
        if name in columns:
            return value[name]
        return wanted(value[name], below) if below else None

    return {name: member(name) for name in value}


def test_a_file_that_grows_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "growing.jsonl"
    line = '{"task_id": "a"}\n'

    def grow() -> None:
        with path.open("a") as file:
            file.write(line)

    path.write_text(line * 12_000)
    problems: list[ReadProblem] = []
    batches = iter(TrajectoryBatches(path, on_problem=problems.append, block_bytes=1_000))
    assert 9_000 < next(batches).num_rows <= 10_000
    grow()
    assert sum(batch.num_rows for batch in batches) > 1_000
    records = read_trajectories(path, on_problem=problems.append)
    next(records)
    grow()
    assert len([*records]) == 12_001
    assert [problem.message[:16] for problem in problems] == ["the file changed"] * 2


def test_an_unreadable_folder_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.traj.json").write_text("{}")
    (tmp_path / "a.traj.json").write_text('{"task_id": "a"}')
    scandir = os.scandir

    def guarded(path: Any) -> Any:
        if str(path).endswith("inner"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    read, _ = as_batches(tmp_path)
    assert read == as_records(tmp_path)
    assert len(read.rows) == 1
    assert [str(each) for each in read.problems] == [f"{tmp_path / 'inner'}: Permission denied"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "invalid JSON"),
        ('{"task_id": 3}', "a value of the wrong type"),
        ('{"task_id": "a", "x": NaN}', "a value that columns hold in another form"),
        ('{"trajectory_format": "mini-swe-agent-1", "messages": []}', "runs of mini-swe-agent 1"),
    ],
)
def test_reading_line_by_line_has_its_reason(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    good = '{"task_id": "a"}\n'
    path.write_text(good + f"{line}\n" * 1_500)
    batches = TrajectoryBatches(path, on_problem=lambda _: None)
    assert all(batch.num_rows for batch in batches)
    assert batches.note is not None
    assert "1,500 lines" in batches.note
    assert reason in batches.note
    path.write_text(good * 5_000 + f"{line}\n" * 1_500)
    batches = TrajectoryBatches(path, on_problem=lambda _: None)
    assert sum(batch.num_rows for batch in batches) >= 5_000
    assert (batches.note, batches.lines_as_records) == (None, 1_500)


def test_a_long_line_and_many_steps(tmp_path: Path) -> None:
    step = '{"files": ["a.py"], "spans": {"a.py": [{"start": 1, "end": 2}]}}'
    steps = ",".join([step] * 100_000)
    text = "x" * 20_000_000
    path = tmp_path / "long.jsonl"
    path.write_text(
        f'{{"task_id": "a"}}\n{{"task_id": "b", "final_output": "{text}"}}\n'
        f'{{"instance_id": "c", "traj_data": {{"pred_steps": [{steps}]}}}}\n{{"task_id": "d"}}'
    )
    batches = TrajectoryBatches(path, block_bytes=1 << 20)
    table = pa.Table.from_batches(batches)
    assert table["task_id"].to_pylist() == ["a", "b", "c", "d"]
    assert pc.list_value_length(table["turns"])[2].as_py() == 100_000
    assert batches.lines_as_records == 0


def test_an_unknown_column_is_an_error() -> None:
    for name in ("turn", "turns.view", "turns.views.path.x", "task_id.x", "extra.x", ""):
        with pytest.raises(InputError, match=f"no column '{name}'"):
            TrajectoryBatches("f", columns=[name])


def test_the_only_limits_of_fields_are_those_of_columns() -> None:
    """The reader in Rust checks no others."""
    limits = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
    limits |= {"minLength", "maxLength", "pattern", "minItems", "maxItems", "format"}

    def found(schema: Any) -> Iterable[tuple[str, Any]]:
        if isinstance(schema, dict):
            yield from ((key, schema[key]) for key in limits & schema.keys())
            for inner in schema.values():
                yield from found(inner)
        if isinstance(schema, list):
            for inner in schema:
                yield from found(inner)

    assert set(found(Trajectory.model_json_schema())) == {
        ("minimum", -(2**63)),
        ("maximum", 2**63 - 1),
    }


@pytest.mark.parametrize(
    "file",
    [
        "contextbench/preds-qwen25-32b.jsonl",
        "contextbench/preds-qwen3-coder-next.jsonl",
    ],
)
def test_published_predictions(reference_data: Path, file: str) -> None:
    read, as_record = as_batches(reference_data / file)
    assert read == as_records(reference_data / file)
    assert (len(read.rows), read.problems, as_record) == (50, [], 0)


def test_python_backend_reads_everything_as_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trajmeter.readers.batches.backend", lambda: "python")
    assert same(CONTENT) == 0


def test_python_backend_gathers_files_of_one_record_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abdef":
        (tmp_path / f"{name}.traj.json").write_text(f'{{"task_id": "{name}"}}')
    (tmp_path / "c.traj.json").write_text("{")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"task_id": ["d2"]}), tmp_path / "d2.traj.json")
    made: list[int] = []

    def batch_of(records: list[Trajectory], **options: Any) -> pa.RecordBatch:
        made.append(len(records))
        return trajectory_batch(records, **options)

    monkeypatch.setattr("trajmeter.readers.batches.backend", lambda: "python")
    monkeypatch.setattr("trajmeter.readers._columns.batch_maker.trajectory_batch", batch_of)
    problems: list[ReadProblem] = []
    batches = [*TrajectoryBatches(tmp_path, on_problem=problems.append)]
    ids = [name for batch in batches for name in batch["task_id"].to_pylist()]
    assert ids == ["a", "b", "d", "d2", "e", "f"]
    assert [problem.file for problem in problems] == [str(tmp_path / "c.traj.json")]
    assert made == [3, 2]  # before and behind the table


@pytest.mark.parametrize("backend", ["rust", "python"])
def test_a_record_that_is_nested_too_deeply_is_named_and_the_others_are_read(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trajmeter.readers.batches.backend", lambda: backend)
    path = tmp_path / "runs.jsonl"
    deep = "[" * 300 + "]" * 300
    path.write_text(f'{{"task_id": "a"}}\n{{"task_id": "b", "x": {deep}}}\n{{"task_id": "c"}}\n')
    read, _ = as_batches(path)
    assert read == as_records(path)
    assert len(read.rows) == 2
    (problem,) = read.problems
    assert str(problem).startswith(f"{path}:2: invalid JSON: it is nested more than 200 deep")


def test_fuzzing_reads_the_present_records() -> None:
    """The fuzz target ``ingest`` keeps a copy of what the reader in Rust is told of records."""
    copy = Path(__file__).parents[2] / "fuzz" / "trajectory_shape.json"
    assert copy.read_text() == f"{trajectory_description()}\n"
