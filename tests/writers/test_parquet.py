"""Pages and row groups of Parquet."""

from __future__ import annotations

import io
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from trajmeter.metrics import RowLayout
from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.system.background import Background
from trajmeter.writers import ParquetWriter
from trajmeter.writers.arrow import arrow_schema, loaded


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

    monkeypatch.setattr(ParquetWriter, "_encode", encode)
    layout = RowLayout([SpeedupMetric()])
    writer = ParquetWriter(io.BytesIO(), layout)
    schema = arrow_schema(layout)
    columns = [pa.nulls(1, field.type) for field in schema]
    writer.write_batch(pa.record_batch(columns, schema=schema))
    with monkeypatch.context() as patched:
        patched.setattr(Background, "result", interrupt)
        with pytest.raises(KeyboardInterrupt):
            writer.finish()
    may_encode.set()
    writer.abandon()
    assert has_encoded.is_set()
