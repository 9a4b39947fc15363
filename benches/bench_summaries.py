"""Summaries of scored batches: exact sums, counts and causes for every figure and agent.

Results of *turns* are divided among ten agents, as in a comparison, and among as many agents as
attempts, which is the largest possible summary. polars computes only the mean of each figure for
each agent: no causes, no figures of the run, and no exact sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from benches.contest import Built, Case, Entry, entries
from trajmeter.metrics import RowLayout
from trajmeter.metrics.turns import TurnsMetric
from trajmeter.schemas import trajectory_schema
from trajmeter.summaries.summarizer import Summarizer
from trajmeter.writers.arrow import arrow_schema

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

_ROWS = 10_000
_FIGURE = "turns.parse_failure_rate"


def _column(field: pa.Field[Any], rows: int, random: np.random.Generator) -> pa.Array[Any]:
    """Return realistic values: one row in twenty has none, and one group in ten is not scored."""
    absent = random.random(rows) < 0.05
    if pa.types.is_integer(field.type):
        return pa.array(random.integers(0, 1000, rows), mask=absent)
    if pa.types.is_floating(field.type):
        return pa.array(random.integers(0, 40, rows) / random.integers(1, 40, rows), mask=absent)
    if pa.types.is_boolean(field.type):
        return pa.array(random.random(rows) < 0.5)
    if field.name.endswith(".outcome"):
        return pa.array(np.where(random.random(rows) < 0.1, "not_scored", "scored"))
    nothing: pa.Array[Any] = pa.nulls(rows, field.type)
    return nothing


def _batches(attempts: int, agents: int) -> list[tuple[pa.RecordBatch, pa.RecordBatch]]:
    random = np.random.default_rng(0)
    schema = arrow_schema(RowLayout([TurnsMetric()]))
    batches = []
    for start in range(0, attempts, _ROWS):
        rows = min(_ROWS, attempts - start)
        own = [f"agent-{number % agents}" for number in range(start, start + rows)]
        records = [
            pa.array(own) if field.name == "agent" else pa.nulls(rows, field.type)
            for field in trajectory_schema()
        ]
        scored = [_column(field, rows, random) for field in schema]
        batches.append(
            (
                pa.record_batch(records, schema=trajectory_schema()),
                pa.record_batch(scored, schema=schema),
            )
        )
    return batches


def _built(attempts: int, agents: int) -> Built:
    batches = _batches(attempts, agents)

    def summarizer() -> float:
        summarizer = Summarizer(RowLayout([TurnsMetric()]))
        for rows, scored in batches:
            summarizer.add_batch(rows, scored, tasks=[None] * len(rows), results={})
        macro = summarizer.summary().overall.figures[_FIGURE].macro
        assert macro is not None
        return macro

    table: Any = pl.concat(
        pl.DataFrame(pl.from_arrow(scored)).with_columns(agent=pl.Series(rows["agent"].to_pylist()))
        for rows, scored in batches
    )
    numbers = [name for name, kind in table.schema.items() if kind.is_numeric()]

    def polars() -> object:
        inside = pl.col("turns.outcome") == "scored"
        table.group_by("agent").agg(pl.col(name).filter(inside).mean() for name in numbers)
        return table.select(pl.col(_FIGURE).filter(inside).mean()).item()

    return Built({"add_batch": summarizer, "polars means": polars}, polars())


def _close(answer: object, expected: object) -> bool:
    return isinstance(answer, float) and answer == pytest.approx(expected, rel=1e-12)


_CASES = (
    Case(
        kernel="summary",
        workload="attempts of 10 agents",
        size=200_000,
        unit="attempt",
        build=lambda size: _built(size, 10),
        contenders=("add_batch", "polars means"),
        same=_close,
        prepared="Arrow batches; for polars one table",
    ),
    Case(
        kernel="summary",
        workload="agents of one attempt each, of whom no summary is made",
        size=100_000,
        unit="agent",
        build=lambda size: _built(size, size),
        contenders=("add_batch", "polars means"),
        same=_close,
        prepared="Arrow batches; for polars one table",
        least_rate=20_000,  # 50 µs an agent
    ),
)


@pytest.mark.parametrize("entry", entries(_CASES), ids=str)
def bench_summaries(benchmark: BenchmarkFixture, entry: Entry) -> None:
    entry.run(benchmark)
