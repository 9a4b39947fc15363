from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tests.scoring.strategies import any_trajectories
from trajmeter.metrics.row_records import records_of
from trajmeter.records import Extent, InvalidReason, Measurements, Trajectory, View
from trajmeter.schemas import trajectory_batch, trajectory_from_row, trajectory_schema


@given(st.lists(any_trajectories, max_size=4), st.integers(0, 3))
def test_records_are_those_of_the_rows(records: list[Trajectory], start: int) -> None:
    start = min(start, len(records))
    assert records_of(trajectory_batch(records).slice(start)) == records[start:]


def test_a_null_is_the_default_of_its_field() -> None:
    rows: list[dict[str, Any]] = [
        {"task_id": "a", "turns": [{}], "final_views": [{"path": "p"}]},
        {"task_id": "b", "unusable": [("x", "y")], "dropped_calls": 2},
    ]
    batch = pa.RecordBatch.from_pylist(rows, schema=trajectory_schema())
    records = records_of(batch)
    assert records == [trajectory_from_row(row) for row in batch.to_pylist()]
    assert records[0].final_views == (View(path="p"),)
    assert records[0].final_views[0].extent is Extent.UNKNOWN
    assert records[0].dropped_calls == 0


def test_a_measurement_is_read_as_its_model_reads_it() -> None:
    seconds = [("a", {"value": 2.0}), ("b", {"value": -1.0})]
    rows = [{"task_id": "a", "measurements": {"seconds": seconds}}]
    (record,) = records_of(pa.RecordBatch.from_pylist(rows, schema=trajectory_schema()))
    assert isinstance(record.measurements, Measurements)
    measured = record.measurements.seconds or {}
    assert (measured["a"].value, measured["a"].reason) == (2.0, None)
    assert (measured["b"].value, measured["b"].reason) == (None, InvalidReason.NOT_POSITIVE)


def test_no_two_records_share_what_a_metric_could_change() -> None:
    first, second = records_of(trajectory_batch([Trajectory(task_id="a")] * 2))
    assert first.metadata == second.metadata == {}
    assert first.metadata is not second.metadata


def test_rows_keep_which_tables_a_file_discards() -> None:
    discarding = Measurements(ratios={}, discards=("ratios_by_agent",))
    (record,) = records_of(trajectory_batch([Trajectory(task_id="a", measurements=discarding)]))
    assert record.measurements == discarding
