"""Parquet files with columns whose names are not UTF-8."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.readers.both_ways import as_batches, as_records
from trajmeter.errors import ReadError
from trajmeter.readers import read_tasks, read_trajectories
from trajmeter.readers.batches import TrajectoryBatches
from trajmeter.readers.column_types import check_column_types
from trajmeter.readers.results import open_results
from trajmeter.snapshots import open_snapshots

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["agent_nop", "split", "turns"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with a column whose name is not UTF-8, or one that has a member of that name."""
    values = pa.array([1])
    named: dict[str, pa.Array[Any]] = {"xXY": values}
    if request.param == "turns":
        named = {"turns": pa.array([[{"xXY": 1}]])}
    if request.param == "agent_nop":
        named = {"agent_nop": values, "benchmark": pa.array(["b"]), "xXY": values}
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"task_id": ["a"], **named}), file)
    file.write_bytes(file.read_bytes().replace(b"xXY", b"x\xffY"))
    return file


EXPECTED = (
    r"invalid Parquet: the name of a column is not UTF-8: b'(turns\.list\.element\.)?x\\xffY'"
)


def test_it_is_one_problem_of_the_file(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_column_types([path])
        read, _ = as_batches(path)
        assert read == as_records(path)
    (problem,) = read.problems
    assert (problem.file, problem.record, read.rows) == (str(path), None, [])
    with pytest.raises(ReadError, match=EXPECTED):
        raise ReadError(problem.message)


@pytest.mark.parametrize(
    "settings", [{"mapping": {"turns": "x"}}, {"input_format": "benchmark-rows"}]
)
def test_whatever_it_is_read_as(path: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(ReadError, match=EXPECTED):
        [*read_trajectories(path, **settings)]
    with pytest.raises(ReadError, match=EXPECTED):
        [*TrajectoryBatches(path, **settings)]


def test_as_tasks_results_and_snapshots(path: Path) -> None:
    with pytest.raises(ReadError, match=EXPECTED):
        [*read_tasks(path)]
    with pytest.raises(ReadError, match=r"rows\.parquet: "):
        open_snapshots(path)
    with pytest.raises(ReadError, match=r"rows\.parquet: "):
        open_results(path)
