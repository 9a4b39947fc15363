"""Programs that scoring is compared with: ``python -m benches.scale.alone NAME``.

*columns* reads the columns of a Parquet file that ``turns`` needs; *plan* plans a run over JSON
lines; *groups* counts 10^5 groups in a summary, and prints the microseconds and bytes per group.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from benches.bench_summaries import _column
from trajmeter.metrics import RowLayout, create
from trajmeter.schemas import trajectory_schema
from trajmeter.scoring.reading_options import ReadingOptions
from trajmeter.scoring.runs.planning import make_plan
from trajmeter.scoring.stream import StreamScorer
from trajmeter.summaries.summarizer import Summarizer
from trajmeter.writers.arrow import arrow_schema

_GROUPS, _ROWS = 100_000, 10_000
_PAGE = 4096


def _read_columns(file: Path) -> None:
    wanted = StreamScorer(create(["turns"])).columns
    with parquet.ParquetFile(file, pre_buffer=False) as content:
        paths = {
            each.path.replace(".list.element", ""): each.path
            for each in map(content.schema.column, range(len(content.schema)))
        }
        columns = [
            path
            for name, path in paths.items()
            if any(f"{name}.".startswith(f"{each}.") for each in wanted)
        ]
        rows = sum(batch.num_rows for batch in content.iter_batches(_ROWS, columns=columns))
        assert rows == content.metadata.num_rows


def _plan(file: Path) -> None:
    plan = make_plan([file], ReadingOptions(), identifies=True)
    assert plan.size == file.stat().st_size


def _count_groups() -> None:
    chance = np.random.default_rng(0)
    layout = RowLayout(create(["context"]))
    schema, records = arrow_schema(layout), trajectory_schema()
    scored = pa.record_batch([_column(each, _ROWS, chance) for each in schema], schema=schema)
    batches = []
    for start in range(0, _GROUPS, _ROWS):
        agents = pa.array([f"agent-{number}" for number in range(start, start + _ROWS)])
        columns = [
            agents if each.name == "agent" else pa.nulls(_ROWS, each.type) for each in records
        ]
        batches.append(pa.record_batch(columns, schema=records))
    summarizer = Summarizer(layout)
    before, began = _held(), time.process_time()
    for batch in batches:
        summarizer.add_batch(batch, scored, tasks=[None] * _ROWS, results={})
    seconds = time.process_time() - began
    about = {"microseconds": seconds / _GROUPS * 1e6, "bytes": (_held() - before) / _GROUPS}
    sys.stdout.write(json.dumps(about))


def _held() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


if __name__ == "__main__":
    name, *paths = sys.argv[1:]
    if name == "groups":
        _count_groups()
    else:
        {"columns": _read_columns, "plan": _plan}[name](Path(*paths))
