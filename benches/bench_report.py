"""The page of a report: all results of all attempts, compressed in one file.

Two agents attempt a tenth as many tasks as there are attempts, with all columns of *context* and
*turns*. For comparison, the same rows are written as uncompressed JSON without any summary: the
cost of a page that embeds its rows unchanged. From JSON lines, which hold lists and mappings too,
``json.loads`` parses each line without using the result.
"""

from __future__ import annotations

import json
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest

import trajmeter
from benches.bench_summaries import _column
from benches.contest import Built, Case, Entry, Folder, entries
from trajmeter.metrics import RowLayout
from trajmeter.metrics.context import ContextMetric
from trajmeter.metrics.turns import TurnsMetric
from trajmeter.writers.arrow import arrow_schema

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

_DIRECTORY = re.compile(r'id="attempts-directory">([^<]*)<')


def _table(attempts: int) -> pa.Table:
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
    return pa.table(columns)


def _listed(source: object) -> object:
    """Return the number of attempts that a report lists."""
    (directory,) = _DIRECTORY.findall(trajmeter.report(source).html())
    return json.loads(directory)["rows"]


def _built(attempts: int) -> Built:
    table = _table(attempts)

    def rows() -> object:
        return sum(1 for row in table.to_pylist() if json.dumps(row))

    return Built({"report": partial(_listed, table), "json of rows": rows}, attempts)


def _built_lines(attempts: int) -> Built:
    folder = Folder()
    path = folder.path / "scores.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, row in enumerate(_table(attempts).to_pylist()):
            row["context.trajectory.line.coverage"] = [number % 7 / 7, number % 97 / 97]
            row["turns.error_breakdown"] = {"timeout": number % 3}
            file.write(f"{json.dumps(row)}\n")

    def loads() -> object:
        with (folder.path / "scores.jsonl").open("rb") as file:
            return sum(1 for line in file if json.loads(line))

    return Built({"report": partial(_listed, str(path)), "json.loads": loads}, attempts)


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
    Case(
        kernel="report",
        workload="attempts of two agents in JSON lines",
        size=20_000,
        unit="attempt",
        build=_built_lines,
        contenders=("report", "json.loads"),
        same=_same,
        prepared="one file",
    ),
)


@pytest.mark.parametrize("entry", entries(_CASES), ids=str)
def bench_report(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
