"""The page of a report: everything that is known of every attempt, compressed in one file.

Two agents at a tenth as many tasks as there are attempts, with all columns of *context* and
*turns*. Writing the same rows as JSON, without any figure of them and uncompressed, is the pace of
a page that holds its rows as they are.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import trajmeter
from benches.contest import Built, Case, Entry, entries
from trajmeter.metrics import RowLayout
from trajmeter.metrics.context import ContextMetric
from trajmeter.metrics.turns import TurnsMetric
from trajmeter.writers.arrow import arrow_schema

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

_DIRECTORY = re.compile(r'id="attempts-directory">([^<]*)<')


def _column(field: pa.Field[Any], rows: int, random: np.random.Generator) -> pa.Array[Any]:
    """Values as they come: one row in twenty has none, one group in ten is not scored."""
    absent = random.random(rows) < 0.05
    if pa.types.is_floating(field.type):
        return pa.array(random.integers(0, 40, rows) / 40.0, mask=absent)
    if pa.types.is_integer(field.type):
        return pa.array(random.integers(0, 1000, rows), mask=absent)
    if pa.types.is_boolean(field.type):
        return pa.array(random.random(rows) < 0.5)
    if field.name.endswith(".outcome"):
        return pa.array(np.where(random.random(rows) < 0.1, "not_scored", "scored"))
    nothing: pa.Array[Any] = pa.nulls(rows, field.type)
    return nothing


def _built(attempts: int) -> Built:
    random = np.random.default_rng(0)
    numbers = range(attempts)
    columns: dict[str, pa.Array[Any]] = {
        "task_id": pa.array([f"repository__task-{number // 10}" for number in numbers]),
        "agent": pa.array([f"agent-{number % 2}" for number in numbers]),
        "attempt": pa.array([str(number % 10) for number in numbers]),
    }
    for metric in (ContextMetric(), TurnsMetric()):
        schema = arrow_schema(RowLayout([metric]))
        columns |= {
            field.name: _column(field, attempts, random)
            for field in schema
            if field.name not in columns
        }
    table = pa.table(columns)

    def page() -> object:
        (directory,) = _DIRECTORY.findall(trajmeter.report(table).html())
        return json.loads(directory)["rows"]

    def rows() -> object:
        return sum(1 for row in table.to_pylist() if json.dumps(row))

    return Built({"report": page, "json of rows": rows}, attempts)


def _same(answer: object, expected: object) -> bool:
    return answer == expected


_CASES = (
    Case(
        kernel="report",
        workload="attempts of two agents",
        size=20_000,
        unit="attempt",
        build=_built,
        contenders=("report", "json of rows"),
        same=_same,
        prepared="one Arrow table",
        bars={"json of rows": 0.3},
    ),
)


@pytest.mark.parametrize("entry", entries(_CASES), ids=str)
def bench_report(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
