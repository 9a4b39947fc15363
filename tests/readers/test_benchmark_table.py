"""Rows of benchmarks as a table, beside the same rows as attempts."""

from __future__ import annotations

import importlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.readers.both_ways import write
from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.readers import read_trajectories
from trajmeter.readers.benchmark_table import benchmark_table

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("rust")

score_columns = importlib.import_module("trajmeter.metrics.speedup.columns").score_columns

ROW: dict[str, Any] = {
    "task_id": "t",
    "agent": "a",
    "model": "m",
    "benchmark": "b.one",
    "agent_nop": 2.0,
    "oracle_nop": 4,
    "significant": True,
}


def lines(*rows: dict[str, Any]) -> Path:
    return write("".join(f"{json.dumps(row)}\n" for row in rows).encode())


def test_columns_that_rows_fill() -> None:
    path = lines(ROW, {**ROW, "benchmark": "b.two", "note": [1], "test_failed": 0, "model": None})
    table = benchmark_table(path)
    path.unlink()
    assert table is not None
    assert table.to_pylist() == [
        {**ROW, "oracle_nop": 4.0, "test_failed": None},
        {**ROW, "benchmark": "b.two", "oracle_nop": 4.0, "test_failed": 0.0, "model": None},
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"task_id": None},
        {"task_id": 7},
        {"benchmark": None},
        {"agent_nop": "fast"},
        {"agent_nop": True},
        {"significant": 1},
        {"oracle_nop": float("nan")},
        {"turns": []},
    ],
)
def test_rows_that_are_left_to_the_record_reader(change: dict[str, Any]) -> None:
    path = lines(ROW, {**ROW, "benchmark": "b.two", **change})
    assert benchmark_table(path) is None
    path.unlink()


def test_other_files_are_left_to_the_record_reader(tmp_path: Path) -> None:
    document = tmp_path / "rows.json"
    document.write_text(json.dumps([ROW]))
    assert benchmark_table(document) is None
    assert benchmark_table(tmp_path / "absent") is None


ratios = st.none() | st.sampled_from([0, 1, 2.5, -1.0, 1e-300, 1e300, 2**70])
rows = st.lists(
    st.fixed_dictionaries(
        {
            "task_id": st.sampled_from(["t", "u"]),
            "agent": st.sampled_from(["a", "nop", "oracle"]),
            "benchmark": st.sampled_from(["m.f", "m.g", "n.h(1, 2)"]),
        },
        optional={
            "model": st.none() | st.just("x"),
            "agent_nop": ratios,
            "oracle_nop": ratios,
            "nop_seconds": ratios,
            "agent_seconds": ratios,
            "oracle_seconds": ratios,
            "significant": st.booleans(),
            "test_failed": st.none() | st.integers(0, 2) | st.just(1.5),
            "tests": st.sampled_from(["passed", "failed"]),
            "snapshot_pass_to_fail": st.integers(0, 1),
            "is_resolved": st.none() | st.booleans(),
            "trajectory_length": st.integers(0, 9),
            "unknown": st.integers(),
        },
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda row: (row["task_id"], row["agent"], row.get("model"), row["benchmark"]),
)


@given(rows, st.sampled_from([None, "fc-eval"]))
def test_same_speedups_as_attempts(given_rows: list[dict[str, Any]], profile: str | None) -> None:
    first = {**ROW, "task_id": "first"}  # by its keys the file is told
    path = lines(first, *given_rows)
    table = benchmark_table(path)
    assert table is not None
    scored = score_columns(table, profile=profile).to_pylist()
    attempts = list(read_trajectories(path))
    path.unlink()
    metric = SpeedupMetric(profile=profile)
    tasks = dict.fromkeys(attempt.task_id for attempt in attempts)
    results = {}
    for task in tasks:
        own = [attempt for attempt in attempts if attempt.task_id == task]
        for attempt, result in zip(own, metric.score_trial(None, own), strict=True):
            results[attempt.task_id, attempt.agent, attempt.model] = result
    assert len(scored) == len(results)
    for row in scored:
        result = results[row["task_id"], row["agent"], row.get("model")]
        for name in ("task_speedup", "agent_advantage_level1", "success", "num_valid_benchmarks"):
            assert row[f"speedup.{name}"] == pytest.approx(getattr(result, name), nan_ok=True)
