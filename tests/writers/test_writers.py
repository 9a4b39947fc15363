from __future__ import annotations

import csv
import gc
import io
import json
import math
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pydantic import Field

import trajmeter
from tests.metrics.fakes import AnswerMetric
from trajmeter.errors import ConfigurationError, ExtraMissingError
from trajmeter.metrics import Result, RowLayout, score_trajectories
from trajmeter.records import Cause, Source, Task, Trajectory, Usage
from trajmeter.text import from_cell
from trajmeter.writers import (
    CsvWriter,
    JsonLinesWriter,
    ParquetWriter,
    TableWriter,
    check_output,
    open_table,
)
from trajmeter.writers.files import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pydantic import JsonValue

TASK = Task(id="one", expected_answer="a b")


class Everything(Result):
    flag: bool | None = None
    count: int = 0
    ratio: float | None = None
    cause: Cause | None = None
    parts: tuple[float, ...] = ()
    reasons: dict[str, int] = Field(default_factory=dict)
    details: dict[str, Any] = Field(default_factory=dict)


class EverythingMetric:
    name = "all"
    version = "3"
    requires = ()
    parameters: Mapping[str, JsonValue] = {"profile": "strict"}
    result_type = Everything

    def __init__(self, result: Everything) -> None:
        self._result = result

    def score(self, task: Task | None, trajectory: Trajectory) -> Everything:
        return self._result


FULL = Everything(
    flag=True,
    count=2**53 + 1,
    ratio=0.1,
    cause=Cause.FAILED,
    parts=(0.5, 1.0),
    reasons={"parse_error": 2},
    details={"check": [1, None]},
)


def _write(
    make: Callable[[io.BytesIO, RowLayout], TableWriter],
    result: Everything,
    task_id: str = "one",
    rows: int = 1,
) -> bytes:
    metric = EverythingMetric(result)
    layout = RowLayout([metric])
    stream = io.BytesIO()
    writer = make(stream, layout)
    attempts = [Trajectory(task_id=task_id, source=Source(file="p.jsonl", line=7))] * rows
    for scored in score_trajectories(attempts, metrics=[metric]):
        writer.write(layout.values(scored))
    writer.finish()
    return stream.getvalue()


def test_json_lines_hold_every_column() -> None:
    (line,) = _write(JsonLinesWriter, FULL).splitlines()
    assert json.loads(line) == {
        "task_id": "one",
        "agent": None,
        "model": None,
        "attempt": None,
        "source": "p.jsonl:7",
        "backend": trajmeter.backend(),
        "all.version": "3",
        "all.parameters": '{"profile": "strict"}',
        "all.error": None,
        "all.flag": True,
        "all.count": 2**53 + 1,
        "all.ratio": 0.1,
        "all.cause": "failed",
        "all.parts": [0.5, 1.0],
        "all.reasons": {"parse_error": 2},
        "all.details": {"check": [1, None]},
    }


def test_json_lines_are_json_whatever_the_values() -> None:
    result = Everything(ratio=math.inf, details={"path": ["\udcff"]})
    lines = _write(JsonLinesWriter, result, task_id="\ud800é\n")
    row = json.loads(lines, parse_constant=pytest.fail)
    assert (row["all.ratio"], row["task_id"]) == ("Infinity", "\\ud800é\n")
    assert row["all.details"] == {"path": ["\\udcff"]}


def test_csv_leaves_out_lists_and_structures() -> None:
    text = _write(CsvWriter, FULL, task_id='say "a",\nb').decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["task_id"] == 'say "a",\nb'
    assert [key for key in row if key.startswith("all.")] == [
        "all.version",
        "all.parameters",
        "all.error",
        "all.flag",
        "all.count",
        "all.ratio",
        "all.cause",
    ]
    told = (row["all.flag"], row["all.count"], row["all.ratio"], row["all.cause"])
    assert told == ("true", "9007199254740993", "0.1", "failed")


def test_a_missing_value_is_an_empty_field_and_false_is_not_missing() -> None:
    (row,) = csv.DictReader(io.StringIO(_write(CsvWriter, Everything(flag=False)).decode()))
    assert (row["agent"], row["all.ratio"], row["all.flag"]) == ("", "", "false")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "'=", "''@"])
def test_csv_marks_text_that_a_spreadsheet_would_run(start: str) -> None:
    text = f"{start}cmd|'/c calc'!A1"
    (row,) = csv.DictReader(io.StringIO(_write(CsvWriter, FULL, task_id=text).decode(), newline=""))
    assert row["task_id"] == f"'{text}"
    assert from_cell(row["task_id"]) == text


def test_csv_marks_neither_numbers_nor_other_text() -> None:
    negative = Everything(ratio=-0.5)
    (row,) = csv.DictReader(io.StringIO(_write(CsvWriter, negative, task_id="'a-b").decode()))
    assert (row["all.ratio"], row["task_id"], from_cell(row["task_id"])) == ("-0.5", "'a-b", "'a-b")


def test_csv_escapes_control_characters() -> None:
    text = _write(CsvWriter, FULL, task_id="\ra\x1b[31m\x00\u202eb\tc").decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["task_id"] == "\\ra\\x1b[31m\\x00\\u202eb\tc"


def test_csv_writes_what_has_no_utf8_form() -> None:
    assert b"\\ud800" in _write(CsvWriter, FULL, task_id="\ud800")


def test_parquet_has_types_and_tells_what_made_it() -> None:
    table = parquet.read_table(pa.BufferReader(_write(ParquetWriter, FULL)))
    types = {name: table.schema.field(name).type for name in table.column_names}
    assert {key: kind for key, kind in types.items() if key.startswith("all.")} == {
        "all.version": pa.string(),
        "all.parameters": pa.string(),
        "all.error": pa.string(),
        "all.flag": pa.bool_(),
        "all.count": pa.int64(),
        "all.ratio": pa.float64(),
        "all.cause": pa.string(),
        "all.parts": pa.list_(pa.float64()),
        "all.reasons": pa.map_(pa.string(), pa.int64()),
        "all.details": pa.string(),
    }
    (row,) = table.to_pylist()
    assert (row["all.flag"], row["all.count"], row["all.ratio"]) == (True, 2**53 + 1, 0.1)
    assert (row["all.parts"], row["all.reasons"]) == ([0.5, 1.0], [("parse_error", 2)])
    assert json.loads(row["all.details"]) == {"check": [1, None]}
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert metadata["trajmeter.backend"] == trajmeter.backend()
    assert metadata["trajmeter.version"] == trajmeter.__version__
    assert json.loads(metadata["trajmeter.metrics"]) == {
        "all": {"version": "3", "parameters": {"profile": "strict"}}
    }


def test_parquet_of_no_rows_has_the_same_schema() -> None:
    empty = parquet.read_table(pa.BufferReader(_write(ParquetWriter, FULL, rows=0)))
    full = parquet.read_table(pa.BufferReader(_write(ParquetWriter, FULL)))
    assert (empty.num_rows, full.num_rows) == (0, 1)
    assert empty.schema.equals(full.schema)


def test_parquet_is_written_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajmeter.writers.arrow._ROW_GROUP", 4)
    file = parquet.ParquetFile(pa.BufferReader(_write(ParquetWriter, FULL, rows=10)))
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [4, 4, 2]


def test_parquet_writes_what_has_no_utf8_form() -> None:
    content = _write(ParquetWriter, Everything(details={"path": ["\udcff"]}), task_id="\ud800")
    (row,) = parquet.read_table(pa.BufferReader(content)).to_pylist()
    assert row["task_id"] == "\\ud800"
    assert json.loads(row["all.details"]) == {"path": ["\\udcff"]}


def test_a_row_that_parquet_refuses_costs_its_metric_alone() -> None:
    class Listed(Result):
        sizes: tuple[int, ...] = ()

    class ListedMetric(EverythingMetric):
        name = "listed"
        result_type = Listed  # type: ignore[assignment] # another than its parent's

        def score(self, task: Task | None, trajectory: Trajectory) -> Any:
            return Listed(sizes=(2**63,) if trajectory.task_id == "huge" else (1, 2))

    metrics = [ListedMetric(FULL), EverythingMetric(FULL)]
    layout = RowLayout(metrics)
    stream = io.BytesIO()
    writer = ParquetWriter(stream, layout)
    attempts = [Trajectory(task_id=task_id) for task_id in ("one", "huge", "two")]
    for scored in score_trajectories(attempts, metrics=metrics):
        writer.write(layout.values(scored))
    writer.finish()
    rows = parquet.read_table(pa.BufferReader(stream.getvalue())).to_pylist()
    assert [row["listed.sizes"] for row in rows] == [[1, 2], None, [1, 2]]
    assert rows[1]["listed.error"].startswith("gave a value that no column holds: OverflowError")
    assert [row["all.count"] for row in rows] == [2**53 + 1] * 3


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
@pytest.mark.parametrize("more", [0, 1, 2**63 - 1])
def test_tokens_beyond_64_bits_cost_their_total_alone(
    tmp_path: Path, suffix: str, more: int
) -> None:
    usages = [Usage(input_tokens=2**63 - 1, output_tokens=more), Usage(total_tokens=7)]
    attempts = [Trajectory(task_id="a", turns=(), usage=usage) for usage in usages]
    scores = trajmeter.score(attempts, metrics=["turns"])
    file = tmp_path / f"out{suffix}"
    scores.write(file)
    first, second = scores.rows
    tokens = scores.summary.overall.figures["turns.tokens.total_tokens"]
    assert second["turns.tokens.total_tokens"] == 7
    if more:
        assert first["turns.error"] is None
        assert first["turns.tokens.input_tokens"] == 2**63 - 1
        assert first["turns.tokens.total_tokens"] is None
        assert first["turns.tokens.reason"] == "total_tokens add up to more than 64 bits hold"
        assert (tokens.scored, tokens.abstained, tokens.total) == (1, 1, 2)
    else:
        assert first["turns.tokens.total_tokens"] == 2**63 - 1
        assert tokens.scored == 2
    if suffix == ".parquet":
        read = parquet.read_table(file)["turns.tokens.total_tokens"].to_pylist()
        assert read == [first["turns.tokens.total_tokens"], 7]


def test_parquet_without_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExtraMissingError, match=r"trajmeter\[data\]"):
        _write(ParquetWriter, FULL)


@pytest.fixture
def layout() -> RowLayout:
    return RowLayout([AnswerMetric()])


@pytest.fixture
def values(layout: RowLayout) -> list[object]:
    attempt = Trajectory(task_id="one", final_output="a")
    (scored,) = score_trajectories([attempt], metrics=[AnswerMetric()], tasks=[TASK])
    return layout.values(scored)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet", ".JSONL"])
def test_a_file_appears_when_it_is_complete(
    tmp_path: Path, layout: RowLayout, values: list[object], suffix: str
) -> None:
    target = tmp_path / f"out{suffix}"
    with open_table(target, layout) as table:
        table.write(values)
        assert not target.exists()
    assert target.stat().st_size > 0
    assert list(tmp_path.iterdir()) == [target]


def test_the_folder_of_a_file_is_made_when_it_is_written(
    tmp_path: Path, layout: RowLayout, values: list[object]
) -> None:
    target = tmp_path / "no" / "such" / "out.jsonl"
    check_output(target)
    assert list(tmp_path.iterdir()) == []
    with open_table(target, layout) as table:
        table.write(values)
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("failure", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_a_run_that_ends_early_leaves_the_earlier_file(
    tmp_path: Path,
    layout: RowLayout,
    values: list[object],
    suffix: str,
    failure: type[BaseException],
) -> None:
    target = tmp_path / f"out{suffix}"
    target.write_text("earlier")

    def interrupted() -> None:
        with open_table(target, layout) as table:
            table.write(values)
            raise failure

    with pytest.raises(failure):
        interrupted()
    gc.collect()  # a writer that is left open would complain, which fails the test
    assert target.read_text() == "earlier"
    assert list(tmp_path.iterdir()) == [target]


_HELD = """
import sys, pathlib
from trajmeter.writers.files import replacing
with replacing(pathlib.Path(sys.argv[1])) as stream:
    stream.write(b"half")
    stream.flush()
    print("ready", flush=True)
    sys.stdin.readline()
"""


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(
    tmp_path: Path,
) -> None:
    target = tmp_path / "rows.jsonl"
    call = [sys.executable, "-c", _HELD, str(target)]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as killed:
        assert killed.stdout is not None
        killed.stdout.readline()
        killed.kill()
    (left,) = tmp_path.iterdir()
    (tmp_path / ".rows.jsonl.7.part").touch()  # as an earlier version named them
    others = {tmp_path / ".rows.jsonl.old.7-0.part", tmp_path / ".rows.jsonl.mine.part"}
    for other in others:
        other.touch()
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as living:
        assert living.stdout is not None
        living.stdout.readline()
        assert not left.exists()
        with replacing(target) as stream:
            stream.write(b"mine")
        assert target.read_bytes() == b"mine"
        living.communicate(b"go\n")
    assert living.returncode == 0
    assert target.read_bytes() == b"half"
    assert set(tmp_path.iterdir()) == {target, *others}


def test_a_link_stays_a_link(tmp_path: Path, layout: RowLayout, values: list[object]) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "out.jsonl"
    link = tmp_path / "link.jsonl"
    link.symlink_to(target)
    with open_table(link, layout) as table:
        table.write(values)
    assert link.is_symlink()
    assert len(target.read_bytes().splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_not_replaced(
    tmp_path: Path, layout: RowLayout, values: list[object]
) -> None:
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with open_table(pipe, layout) as table:
        table.write(values)
    assert json.loads(os.read(reading, 100_000))["task_id"] == "one"
    os.close(reading)
    assert pipe.is_fifo()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("out.xlsx", r"out\.xlsx: expected a file that ends in \.csv, \.jsonl"),
        ("out", r"ends in \.csv, \.jsonl, \.parquet"),
        ("a.csv/more/out.csv", r"a\.csv is a file, expected a folder"),
        ("folder.csv", r"folder\.csv is a folder"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_beforehand(
    tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "a.csv").touch()
    with pytest.raises(ConfigurationError, match=message):
        check_output(tmp_path / name)


def test_a_file_without_permission_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _path, _mode: False)  # the suite may run as root
    with pytest.raises(ConfigurationError, match="no permission to write"):
        check_output(tmp_path / "out.csv")
