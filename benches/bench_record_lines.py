"""Writing of trajectories as JSON lines: in Rust, by the Python twin, and with ``json.dumps``.

The attempts have 10 turns with a call each. *json.dumps* writes what ``to_pylist`` returns, with
all defaults: what a user of pyarrow would do.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest

from benches.bench_batches import _attempt
from benches.contest import Built, Case, Entry, entries
from trajmeter.schemas import trajectory_batch
from trajmeter.writers import record_lines as writer

if TYPE_CHECKING:
    import pyarrow as pa
    from pytest_benchmark.fixture import BenchmarkFixture


def _write(batch: pa.RecordBatch, backend: str) -> int:
    with patch.object(writer, "backend", lambda: backend):
        return sum(lines.count(b"\n") for lines in writer.record_lines(batch))


def _dump(batch: pa.RecordBatch) -> int:
    return len([json.dumps(row).encode() for row in batch.to_pylist()])


def _build(size: int) -> Built:
    fails = np.random.default_rng(0).integers(0, 9, (size, 10)).tolist()
    batch = trajectory_batch(_attempt(number, fails[number]) for number in range(size))
    functions = {name: partial(_write, batch, name) for name in ("rust", "python")}
    return Built({**functions, "json.dumps": partial(_dump, batch)}, size)


CASES = [
    Case(
        kernel="record_lines",
        workload="10,000 attempts of 10 turns",
        size=10_000,
        unit="attempt",
        build=_build,
        contenders=("rust", "python", "json.dumps"),
        same=lambda answer, expected: answer == expected,
        prepared="record batch",
    )
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_record_lines(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
