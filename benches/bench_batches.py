"""Scoring record batches: from columns, from records made of columns, and from rows one by one.

The attempts are those of a shell agent: 10 turns of one call each, whose arguments differ, a
third of the turns failed, and a view every turn. *records* is the same call with a metric that has
no batch form; *rows* is what a data set costs without either: each row read as a record, validated,
and scored.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import trajmeter
from benches.contest import Built, Case, Entry, entries
from trajmeter.metrics.turns import TurnsMetric, TurnsResult
from trajmeter.records import Extent, Failure, Source, ToolCall, Trajectory, Turn, Usage, View
from trajmeter.schemas import trajectory_batch, trajectory_from_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from pydantic import JsonValue
    from pytest_benchmark.fixture import BenchmarkFixture

    from trajmeter.metrics import AnyMetric
    from trajmeter.records import Task

_TURNS = 10
_REASONS = ("parse_error", "eval_error", "timeout")
_FIGURES = ("parse_failure_rate", "recovered_errors", "repeated_tool_calls", "run.turn_count")


class _WithoutBatches:
    """Turn analysis of single attempts alone."""

    name = "turns"
    version = TurnsMetric.version
    requires = TurnsMetric.requires
    result_type = TurnsResult
    parameters: Mapping[str, JsonValue] = {"profile": None}

    def __init__(self) -> None:
        self._metric = TurnsMetric()

    def score(self, task: Task | None, trajectory: Trajectory) -> TurnsResult:
        return self._metric.score(task, trajectory)


@cache
def _batch(size: int) -> pa.RecordBatch:
    random = np.random.default_rng(0)
    failures = random.integers(0, 3 * len(_REASONS), (size, _TURNS)).tolist()
    return trajectory_batch(_attempt(number, failed) for number, failed in enumerate(failures))


def _attempt(number: int, failures: Sequence[int]) -> Trajectory:
    return Trajectory(
        task_id=f"task-{number // 8}",
        agent="owl",
        model="m",
        source=Source(file="runs.jsonl", line=number + 1),
        turns=tuple(_turn(number, at, failure) for at, failure in enumerate(failures)),
        usage=Usage(input_tokens=5_000, output_tokens=700),
        passed=number % 3 == 0,
    )


def _turn(number: int, at: int, failure: int) -> Turn:
    path = f"src/module_{(number + at) % 50}.py"
    failed = failure < len(_REASONS)
    error = Failure(reason=_REASONS[failure], message=f"at {path}") if failed else None
    command = f"sed -n '{at * 20 + 1},{number + 40}p' {path}"
    return Turn(
        number=at + 1,
        program=command,
        success=not failed,
        error=error,
        tool_calls=(ToolCall(name="bash", arguments={"command": command}, success=not failed),),
        views=(View(path=path, extent=Extent.LINES, start=at * 20 + 1, end=number % 400),),
    )


def _figures(batch: pa.RecordBatch, metric: AnyMetric) -> list[list[Any]]:
    (scored,) = trajmeter.score_batches([batch], metrics=[metric])
    return [scored[f"turns.{name}"].to_pylist() for name in _FIGURES]


def _from_rows(batch: pa.RecordBatch) -> list[list[Any]]:
    records = [trajectory_from_row(row) for row in batch.to_pylist()]
    rows = trajmeter.score(records, metrics=["turns"]).rows
    return [[row[f"turns.{name}"] for row in rows] for name in _FIGURES]


def _build(size: int) -> Built:
    batch = _batch(size)
    return Built(
        {
            "columns": partial(_figures, batch, TurnsMetric()),
            "records": partial(_figures, batch, _WithoutBatches()),
            "rows": partial(_from_rows, batch),
        },
        _from_rows(batch),
    )


def _equal(answer: object, expected: object) -> bool:
    return answer == expected


CASES = [
    Case(
        kernel="score_batches",
        workload="turns of 5,000 shell agents",
        size=5_000,
        unit="attempt",
        build=_build,
        contenders=("columns", "records", "rows"),
        same=_equal,
        prepared="one Arrow batch",
        bars={"rows": 10.0},
    )
]


@pytest.mark.parametrize("entry", entries(CASES), ids=str)
def bench_batches(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
