from __future__ import annotations

import csv
import gc
import importlib
import io
import json
import math
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from pydantic import Field

import trajmeter
from trajmeter.arrays import concatenated_batches
from trajmeter.errors import ExtraMissingError
from trajmeter.metrics import Result, RowLayout, score_trajectories
from trajmeter.metrics.turns import TurnsMetric
from trajmeter.records import Cause, Source, Task, Trajectory, Usage
from trajmeter.text import from_cell
from trajmeter.writers import (
    CsvWriter,
    JsonLinesWriter,
    ParquetWriter,
    TableWriter,
)
from trajmeter.writers.arrow import arrow_schema, loaded, rows_batch, stored, stored_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
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


def test_json_lines_are_valid_json_for_any_values() -> None:
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


def test_csv_does_not_mark_numbers_and_other_text() -> None:
    negative = Everything(ratio=-0.5)
    (row,) = csv.DictReader(io.StringIO(_write(CsvWriter, negative, task_id="'a-b").decode()))
    assert (row["all.ratio"], row["task_id"], from_cell(row["task_id"])) == ("-0.5", "'a-b", "'a-b")


def test_csv_escapes_control_characters() -> None:
    text = _write(CsvWriter, FULL, task_id="\ra\x1b[31m\x00\u202eb\tc").decode()
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["task_id"] == "\\ra\\x1b[31m\\x00\\u202eb\tc"


def test_csv_writes_text_without_a_utf8_form() -> None:
    assert b"\\ud800" in _write(CsvWriter, FULL, task_id="\ud800")


def test_parquet_has_types_and_records_its_origin() -> None:
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
        "all.reasons": pa.list_(pa.struct([("key", pa.string()), ("value", pa.int64())])),
        "all.details": pa.string(),
    }
    (row,) = table.to_pylist()
    assert (row["all.flag"], row["all.count"], row["all.ratio"]) == (True, 2**53 + 1, 0.1)
    assert row["all.parts"] == [0.5, 1.0]
    assert row["all.reasons"] == [{"key": "parse_error", "value": 2}]
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


def _written(make: Callable[[io.BytesIO, RowLayout], TableWriter], sizes: Sequence[int]) -> bytes:
    """What is written in parts: batches of so many rows, or row by row where it is negative."""
    metric = EverythingMetric(FULL)
    layout = RowLayout([metric])
    attempts = [Trajectory(task_id=f"task {n}") for n in range(sum(map(abs, sizes)))]
    rows = [layout.values(each) for each in score_trajectories(attempts, metrics=[metric])]
    schema = arrow_schema(layout)
    stream = io.BytesIO()
    writer = make(stream, layout)
    start = 0
    for size in sizes:
        part = rows[start : start + abs(size)]
        start += abs(size)
        if size < 0:
            for row in part:
                writer.write(row)
        else:
            writer.write_batch(rows_batch(layout, part, schema))
    writer.finish()
    return stream.getvalue()


@pytest.mark.parametrize("make", [CsvWriter, JsonLinesWriter, ParquetWriter])
@pytest.mark.parametrize("sizes", [(11,), (0, 3, 8), (1,) * 11, (-2, 4, 0, -1, 4)])
def test_rows_are_the_same_bytes_however_they_arrive(
    make: Callable[[io.BytesIO, RowLayout], TableWriter],
    sizes: Sequence[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trajmeter.writers.parquet._ROW_GROUP", 4)
    assert _written(make, sizes) == _written(make, [-11])


def test_pages_of_parquet_do_not_depend_on_batches() -> None:
    """Texts that fill several pages of a row group."""
    metric = EverythingMetric(FULL.model_copy(update={"details": {"log": "x" * 100}}))
    layout = RowLayout([metric])
    attempts = [Trajectory(task_id=str(n) * 50) for n in range(20_000)]
    rows = [layout.values(each) for each in score_trajectories(attempts, metrics=[metric])]
    half = rows_batch(layout, rows, arrow_schema(layout))
    whole = concatenated_batches([half, half])
    written = set()
    for size in (100, 977, 1_300, 32_768, 40_000):
        stream = io.BytesIO()
        writer = ParquetWriter(stream, layout)
        for start in range(0, len(whole), size):
            writer.write_batch(whole.slice(start, size))
        writer.finish()
        written.add(stream.getvalue())
    (content,) = written
    file = parquet.ParquetFile(pa.BufferReader(content)).metadata
    assert [file.row_group(i).num_rows for i in range(file.num_row_groups)] == [32_768, 7_232]


def test_row_groups_with_much_text_end_early_for_any_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows have some 60 bytes of text, so that two chunks of 10 rows reach 1,000."""
    monkeypatch.setattr("trajmeter.writers.parquet._CHUNK", 10)
    monkeypatch.setattr("trajmeter.writers.parquet._TEXT_BYTES", 300)
    layout = RowLayout([TurnsMetric()])
    attempts = [Trajectory(task_id=f"{n:05}") for n in range(50)]
    scored = score_trajectories(attempts, metrics=[TurnsMetric()])
    whole = rows_batch(layout, [layout.values(each) for each in scored], arrow_schema(layout))
    texts = [value for value in whole.slice(0, 1).to_pylist()[0].values() if isinstance(value, str)]
    monkeypatch.setattr("trajmeter.writers.parquet._TEXT_BYTES", 15 * len("".join(texts).encode()))
    monkeypatch.setattr("trajmeter.writers.parquet._CHUNK", 10)
    for sizes in ([50], [7] * 8, [1] * 50, [15, 30, 5]):
        stream, start = io.BytesIO(), 0
        writer = ParquetWriter(stream, layout)
        for size in sizes:
            writer.write_batch(whole.slice(start, size))
            start += size
        writer.finish()
        file = parquet.ParquetFile(stream)
        groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        assert groups == [20, 20, 10]
        assert file.read().to_batches()[0].column("task_id").to_pylist() == [
            each.task_id for each in attempts
        ]


def test_parquet_is_written_in_row_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajmeter.writers.parquet._ROW_GROUP", 4)
    file = parquet.ParquetFile(pa.BufferReader(_write(ParquetWriter, FULL, rows=10)))
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [4, 4, 2]


def test_parquet_has_the_same_bytes_whichever_module_of_pyarrow_writes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = _write(ParquetWriter, FULL, rows=10)
    monkeypatch.setitem(sys.modules, "pyarrow._parquet", None)
    with pytest.raises(ImportError):
        importlib.import_module("pyarrow._parquet")
    assert _write(ParquetWriter, FULL, rows=10) == found


@pytest.mark.parametrize("is_internal", [True, False])
def test_parquet_that_is_abandoned_is_not_finished(
    monkeypatch: pytest.MonkeyPatch, *, is_internal: bool
) -> None:
    if not is_internal:
        monkeypatch.setitem(sys.modules, "pyarrow._parquet", None)
    stream = io.BytesIO()
    writer = ParquetWriter(stream, RowLayout([TurnsMetric()]))
    stream.close()
    writer.abandon()
    del writer
    gc.collect()  # pytest makes an error of what a destructor raises


def test_parquet_writes_text_without_a_utf8_form() -> None:
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
            return Listed(sizes=(1, 2))

    metrics = [ListedMetric(FULL), EverythingMetric(FULL)]
    layout = RowLayout(metrics)
    stream = io.BytesIO()
    writer = ParquetWriter(stream, layout)
    attempts = [Trajectory(task_id=task_id) for task_id in ("one", "huge", "two")]
    for scored in score_trajectories(attempts, metrics=metrics):
        values = list(layout.values(scored))
        if scored.trajectory.task_id == "huge":  # which no metric can give
            values[layout.names.index("listed.sizes")] = (2**63,)
        writer.write(values)
    writer.finish()
    rows = parquet.read_table(pa.BufferReader(stream.getvalue())).to_pylist()
    assert [row["listed.sizes"] for row in rows] == [[1, 2], None, [1, 2]]
    assert rows[1]["listed.error"].startswith("returned a value that fits no column: OverflowError")
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
        assert first["turns.tokens.reason"] == "total_tokens add up to more than 64 bits can hold"
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


def test_mappings_are_stored_as_lists_of_keys_and_values() -> None:
    maps: pa.Array[Any] = pa.array(
        [[("a", 1), ("b", None)], None, [], [("c", 3)]], pa.map_(pa.string(), pa.int64())
    )
    for part in (maps, maps.slice(1), maps.slice(1, 2), maps.slice(4)):
        batch = pa.record_batch([part, pa.nulls(len(part), pa.string())], ["map", "other"])
        kept = stored(batch, stored_schema(batch.schema))
        assert kept.schema.field("map").type == pa.list_(
            pa.struct([("key", pa.string()), ("value", pa.int64())])
        )
        back = loaded(kept, batch.schema)
        back.validate(full=True)
        assert back.to_pylist() == batch.to_pylist()
        assert kept["map"].to_pylist() == [
            None if row is None else [{"key": key, "value": value} for key, value in row]
            for row in part.to_pylist()
        ]
