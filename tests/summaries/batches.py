"""Summaries of the same attempts in two ways: one by one, and in batches."""

from __future__ import annotations

from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from trajmeter.metrics import RowLayout, TaskIndex, score_trajectories
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.runs.states import read_state, write_state
from trajmeter.summaries.summarizer import Summarizer
from trajmeter.writers.arrow import arrow_schema, family_arrays

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.metrics import AnyMetric, Scored
    from trajmeter.records import Task, Trajectory

__all__ = ["by_batch", "by_record", "restored", "results_table", "scored_attempts"]


def scored_attempts(
    metrics: Sequence[AnyMetric], attempts: Iterable[Trajectory], tasks: Iterable[Task] = ()
) -> list[Scored]:
    layout = RowLayout(metrics)
    index = TaskIndex(tasks)
    scored = score_trajectories(attempts, metrics=metrics, tasks=index)
    return [layout.fitted(each)[0] for each in scored]


def by_record(
    metrics: Sequence[AnyMetric], attempts: Iterable[Scored], *, quantiles: bool = False
) -> Summarizer:
    layout = RowLayout(metrics)
    summarizer = Summarizer(layout, quantiles=quantiles)
    for scored in attempts:
        summarizer.add(scored, layout.values(scored))
    return summarizer


def by_batch(
    metrics: Sequence[AnyMetric],
    attempts: Sequence[Scored],
    *,
    given: Iterable[str] = (),
    rows: int = 1000,
    quantiles: bool = False,
) -> Summarizer:
    """Summarize in batches of some rows; results of the named families are passed as objects."""
    layout = RowLayout(metrics)
    summarizer = Summarizer(layout, quantiles=quantiles)
    for start in range(0, len(attempts), rows):
        part = attempts[start : start + rows]
        summarizer.add_batch(
            trajectory_batch([scored.trajectory for scored in part]),
            results_table(layout, part),
            tasks=[scored.task for scored in part],
            results={
                family.name: [scored.results[index] for scored in part]
                for index, family in enumerate(layout.families)
                if family.name in set(given)
            },
        )
    return summarizer


def restored(
    metrics: Sequence[AnyMetric], summarizer: Summarizer, *, quantiles: bool = False
) -> Summarizer:
    """Restore a summarizer's state from a file, as another process would."""
    with NamedTemporaryFile(suffix=".parquet") as file:
        write_state(summarizer.state(), file)  # type: ignore[arg-type]  # a file all the same
        file.flush()
        state = read_state(Path(file.name))
    other = Summarizer(RowLayout(metrics), quantiles=quantiles)
    other.restore(state)
    return other


def results_table(layout: RowLayout, attempts: Sequence[Scored]) -> pa.RecordBatch:
    """Rows of the results table."""
    schema = arrow_schema(layout)
    types = {field.name: field.type for field in schema}
    values = [layout.values(scored) for scored in attempts]
    arrays: list[pa.Array[Any]] = [
        pa.array([row[index] for row in values], schema.field(index).type)
        for index in range(layout.families[0].offset)
    ]
    for family in layout.families:
        stop = family.offset + len(family.columns)
        arrays += family_arrays(family, [row[family.offset : stop] for row in values], types)
    return pa.record_batch(arrays, schema=schema)
