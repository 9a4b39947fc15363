"""Tables in Parquet: types, metadata, pages and row groups."""

from __future__ import annotations

import gc
import importlib
import io
import json
import sys
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import trajmeter
from tests.writers.tables import FULL, Everything, EverythingMetric, write_table
from trajmeter.arrays import concatenated_batches
from trajmeter.errors import ExtraMissingError
from trajmeter.metrics import Result, RowLayout, score_trajectories
from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.metrics.turns import TurnsMetric
from trajmeter.records import Task, Trajectory
from trajmeter.system.background import Background
from trajmeter.writers import (
    ParquetWriter,
)
from trajmeter.writers.arrow import arrow_schema, loaded, rows_batch, stored, stored_schema

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("nulls", [0, 700])
def test_pages_of_mappings_do_not_depend_on_batches(
    monkeypatch: pytest.MonkeyPatch, nulls: int
) -> None:
    """Rows of 200 and 201 benchmarks: a ratio of 8 bytes or null, and a name of 5 of each."""
    least = 1_024 * 401 * 13 // 2 - nulls * 401 * 8 // 2
    monkeypatch.setattr("trajmeter.writers.parquet._TEXT_BYTES", least)
    layout = RowLayout([SpeedupMetric()])
    schema = arrow_schema(layout)
    name, rows = "speedup.per_benchmark_speedups", 1_500
    offsets = np.cumsum([0, *[200, 201] * (rows // 2)], dtype=np.int32)
    ratios = np.arange(offsets[-1]) / 7
    kind: Any = schema.field(name).type
    members = [
        pa.array(ratios, mask=np.arange(len(ratios)) < offsets[nulls])
        if each.name == "agent/nop"
        else pa.nulls(len(ratios), each.type)
        for each in kind.item_type
    ]
    values: Any = pa.StructArray.from_arrays(members, fields=[*kind.item_type])
    starts: Any = pa.array(offsets)  # the stubs ask for 64 bits, Arrow for 32
    benchmarks = pa.MapArray.from_arrays(
        starts,
        pa.array([f"m.{at % 200:03}" for at in range(len(ratios))]),
        values,
    )
    columns = [benchmarks if each.name == name else pa.nulls(rows, each.type) for each in schema]
    whole = pa.record_batch(columns, schema=schema)
    written = set()
    for size in (100, 131, 512, 700, rows):
        stream = io.BytesIO()
        writer = ParquetWriter(stream, layout)
        for start in range(0, rows, size):
            writer.write_batch(whole.slice(start, size))
        writer.finish()
        written.add(stream.getvalue())
    (content,) = written
    file = parquet.ParquetFile(pa.BufferReader(content))
    assert loaded(file.read().combine_chunks().to_batches()[0], schema) == whole
    groups = [file.metadata.row_group(i) for i in range(file.num_row_groups)]
    assert [each.num_rows for each in groups] == [1_024, 476]
    found = map(groups[0].column, range(groups[0].num_columns))
    leaves = {each.path_in_schema.removeprefix(name): each for each in found}
    key, ratio = leaves[".list.element.key"], leaves[".list.element.value.agent/nop"]
    assert "RLE_DICTIONARY" in key.encodings
    assert "RLE_DICTIONARY" not in ratio.encodings
    assert (key.compression, ratio.compression) == ("ZSTD", "SNAPPY")


def test_an_interrupted_writer_is_abandoned_after_its_row_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    may_encode, has_encoded = Event(), Event()

    def encode(_: ParquetWriter, __: pa.Table) -> None:
        may_encode.wait()
        has_encoded.set()

    def interrupt(_: Background) -> None:
        raise KeyboardInterrupt

    start = Background.start

    def interrupted_later(background: Background, function: Callable[[], None]) -> None:
        start(background, function)
        patched.setattr(Background, "result", interrupt)

    monkeypatch.setattr(ParquetWriter, "_encode", encode)
    layout = RowLayout([SpeedupMetric()])
    writer = ParquetWriter(io.BytesIO(), layout)
    schema = arrow_schema(layout)
    columns = [pa.nulls(1, field.type) for field in schema]
    writer.write_batch(pa.record_batch(columns, schema=schema))
    with monkeypatch.context() as patched:
        patched.setattr(Background, "start", interrupted_later)
        with pytest.raises(KeyboardInterrupt):
            writer.finish()
    may_encode.set()
    writer.abandon()
    assert has_encoded.is_set()


def test_parquet_has_types_and_records_its_origin() -> None:
    table = parquet.read_table(pa.BufferReader(write_table(ParquetWriter, FULL)))
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
    empty = parquet.read_table(pa.BufferReader(write_table(ParquetWriter, FULL, rows=0)))
    full = parquet.read_table(pa.BufferReader(write_table(ParquetWriter, FULL)))
    assert (empty.num_rows, full.num_rows) == (0, 1)
    assert empty.schema.equals(full.schema)


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
    file = parquet.ParquetFile(pa.BufferReader(write_table(ParquetWriter, FULL, rows=10)))
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [4, 4, 2]


def test_parquet_has_the_same_bytes_whichever_module_of_pyarrow_writes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = write_table(ParquetWriter, FULL, rows=10)
    monkeypatch.setitem(sys.modules, "pyarrow._parquet", None)
    with pytest.raises(ImportError):
        importlib.import_module("pyarrow._parquet")
    assert write_table(ParquetWriter, FULL, rows=10) == found


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
    content = write_table(ParquetWriter, Everything(details={"path": ["\udcff"]}), task_id="\ud800")
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


def test_parquet_without_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ExtraMissingError, match=r"trajmeter\[data\]"):
        write_table(ParquetWriter, FULL)


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
