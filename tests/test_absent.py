"""Columns that a file lacks have the types of the schema, and no value."""

from __future__ import annotations

import pytest

pa = pytest.importorskip("pyarrow")

from trajmeter.absent import absent_columns  # noqa: E402 - needs pyarrow
from trajmeter.schemas import trajectory_schema  # noqa: E402 - likewise


@pytest.mark.parametrize("rows", [0, 1, 64, 65, 1 << 14, (1 << 14) + 1])
def test_absent_columns_are_those_of_the_schema(rows: int) -> None:
    batch = pa.RecordBatch.from_arrays(absent_columns(rows), schema=trajectory_schema())
    batch.validate(full=True)
    assert batch.num_rows == rows
    assert all(column.null_count == rows for column in batch.columns)


def test_those_of_few_rows_are_not_made_again() -> None:
    def places(rows: int) -> list[int | None]:
        held = [buffer for column in absent_columns(rows) for buffer in column.buffers()]
        return [None if buffer is None else buffer.address for buffer in held]

    assert places(10) == places(60)
