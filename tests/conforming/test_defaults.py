"""Columns that a file lacks have the types of the schema, and no value."""

from __future__ import annotations

import pytest

pa = pytest.importorskip("pyarrow")

from trajmeter.conforming.defaults import absent_columns, with_defaults  # noqa: E402 - needs pyarrow
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


@pytest.mark.parametrize("rows", [1, 64, 65, 1 << 14, (1 << 14) + 1])
def test_a_column_of_nulls_becomes_one_of_defaults(rows: int) -> None:
    batch = pa.RecordBatch.from_arrays(absent_columns(rows), schema=trajectory_schema())
    filled = with_defaults(batch, {"dropped_calls", "unusable"})
    filled.validate(full=True)
    assert filled.schema == batch.schema
    assert filled.column("dropped_calls").to_pylist() == [0] * rows
    assert filled.column("unusable").to_pylist() == [[]] * rows
    assert with_defaults(batch, {"unusable"}).column("dropped_calls").null_count == rows


def test_a_null_beside_values_becomes_the_default() -> None:
    batch = pa.RecordBatch.from_arrays(absent_columns(3), schema=trajectory_schema())
    name = "dropped_calls"
    index = batch.schema.names.index(name)
    batch = batch.set_column(index, batch.schema.field(index), pa.array([4, None, 5]))
    assert with_defaults(batch, {name}).column(name).to_pylist() == [4, 0, 5]
