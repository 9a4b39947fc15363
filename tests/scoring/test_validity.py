from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.scoring.strategies import any_trajectories, loose_rows
from trajmeter.errors import ReadError
from trajmeter.schemas import trajectory_batch, trajectory_from_row, trajectory_schema
from trajmeter.scoring.validity import faulty

if TYPE_CHECKING:
    from trajmeter.records import Trajectory

VIEW = {"path": "p", "extent": "lines"}


def _is_record(row: dict[str, Any]) -> bool:
    try:
        trajectory_from_row(row)
    except (ValidationError, ReadError):
        return False
    return True


@pytest.mark.parametrize(
    "bad",
    [
        {"task_id": None},
        {"turns": [{}, None]},
        {"turns": [{"tool_calls": [{"name": None}]}]},
        {"turns": [{"tool_calls": [{"name": "x", "arguments": "{"}]}]},
        {"turns": [{}, {"extra": "[]"}]},
        {"turns": [{"views": [VIEW, {**VIEW, "extent": "half"}]}]},
        {"final_views": [VIEW, {"extent": "lines"}]},
        {"sources": ["s", None]},
        {"source": {"line": 3}},
        {"metadata": "7"},
        {"unusable": [("x", None)]},
        {"measurements": {"seconds": [("b", {"reason": "tired"})]}},
        {"pytest_summary": {"problem": "other"}},
        {"run_log": {"events": [("i", None)]}},
    ],
    ids=str,
)
def test_a_row_that_is_no_record_is_told_from_the_others(bad: dict[str, Any]) -> None:
    rows = [{"task_id": "a"}, {"task_id": "b", **bad}, {"task_id": "c"}]
    batch = pa.RecordBatch.from_pylist(rows, schema=trajectory_schema())
    assert faulty(batch).tolist() == [False, True, False]
    assert faulty(batch.slice(1)).tolist() == [True, False]
    assert [_is_record(row) for row in batch.to_pylist()] == [True, False, True]


@given(st.lists(any_trajectories, max_size=4), st.integers(0, 3))
def test_no_valid_record_is_doubted(records: list[Trajectory], start: int) -> None:
    batch = trajectory_batch(records).slice(min(start, len(records)))
    assert not faulty(batch).any()


@given(st.lists(loose_rows, max_size=4), st.integers(0, 2))
def test_what_is_told_from_columns_is_what_reading_the_rows_says(
    rows: list[dict[str, Any]], start: int
) -> None:
    batch = pa.RecordBatch.from_pylist(rows, schema=trajectory_schema()).slice(
        min(start, len(rows))
    )
    assert faulty(batch).tolist() == [not _is_record(row) for row in batch.to_pylist()]
