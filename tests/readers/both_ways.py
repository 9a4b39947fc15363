"""Reading a file as columns and as records, for tests that compare the two."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trajmeter import json_input
from trajmeter.benchmark_tables import BENCHMARK_TABLES
from trajmeter.benchmark_tables.columns import as_measurements
from trajmeter.readers import read_trajectories
from trajmeter.readers.batches import IDENTITY, TrajectoryBatches
from trajmeter.schemas import trajectory_batch, trajectory_schema
from trajmeter.shapes import Shape, trajectory_shape

if TYPE_CHECKING:
    from collections.abc import Collection

    from trajmeter.records import ReadProblem


@dataclass(frozen=True)
class Read:
    """The result of reading a file."""

    rows: list[Any]
    problems: list[ReadProblem]


def as_records(
    path: Path, columns: Collection[str] | None = None, profiles: Collection[str] = ()
) -> Read:
    if columns is not None:
        columns = {*columns, *IDENTITY}
    problems: list[ReadProblem] = []
    rows: list[Any] = []
    for record in read_trajectories(path, on_problem=problems.append, profiles=profiles):
        rows += trajectory_batch([record], columns=columns).to_pylist()
    return Read(compared(rows), problems)


def as_batches(
    path: Path,
    columns: Collection[str] | None = None,
    block_bytes: int = 1 << 20,
    profiles: Collection[str] = (),
) -> tuple[Read, int]:
    """Return the result, and how many lines were read as records."""
    problems: list[ReadProblem] = []
    batches = TrajectoryBatches(
        path,
        columns=columns,
        on_problem=problems.append,
        block_bytes=block_bytes,
        profiles=profiles,
    )
    rows = []
    for batch in batches:
        batch.validate(full=True)
        assert batch.schema.equals(trajectory_schema(), check_metadata=True)
        rows += batch.to_pylist()
    assert batches.rows == len(rows)
    return Read(compared(rows), problems), batches.lines_as_records


def as_tables(path: Path) -> tuple[Read, int]:
    """Return the result with tables of benchmarks as columns, and how many rows have such a table.

    The tables are moved back to the measurements.
    """
    problems: list[ReadProblem] = []
    columns = [*trajectory_schema().names, BENCHMARK_TABLES]
    rows, count = [], 0
    for batch in TrajectoryBatches(path, columns=columns, on_problem=problems.append):
        batch.validate(full=True)
        tables = batch.column(BENCHMARK_TABLES)
        count += len(tables) - tables.null_count
        whole = as_measurements(batch)
        assert whole.schema.equals(trajectory_schema(), check_metadata=True)
        rows += whole.to_pylist()
    return Read(compared(rows), problems), count


def compared(rows: list[Any]) -> list[Any]:
    """Return rows with JSON texts parsed, as text that distinguishes 1, 1.0 and true."""

    def plain(value: Any, shape: Shape) -> Any:
        if value is None:
            return None
        if shape.kind == "json":
            return json_input.parse(value.encode())
        if shape.kind == "list" and shape.item is not None:
            return [plain(item, shape.item) for item in value]
        if shape.kind == "mapping" and shape.item is not None:
            return {key: plain(item, shape.item) for key, item in value}
        if shape.kind == "record":
            return {m.name: plain(value[m.name], m.shape) for m in shape.members}
        return value

    return [repr(plain(row, trajectory_shape())) for row in rows]


def write(content: bytes) -> Path:
    with tempfile.NamedTemporaryFile(suffix=".jsonl", delete=False) as file:
        file.write(content)
    return Path(file.name)


def same(content: bytes, block_bytes: int = 1 << 20) -> int:
    """Check that both readers agree; return how many lines were read as records."""
    path = write(content)
    try:
        read, as_record = as_batches(path, block_bytes=block_bytes)
        assert read == as_records(path)
    finally:
        path.unlink()
    return as_record
