"""Counts of tests that add up beyond 64 bits cost the score of their attempt, and nothing else."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

import trajmeter
from tests.metrics.speedup.attempts import SAME, WORKED, attempt, oracle
from trajmeter.metrics.speedup import SpeedupMetric
from trajmeter.records import LARGEST_COUNT, PytestSummary, RunLog

if TYPE_CHECKING:
    from pathlib import Path

    from trajmeter.records import Trajectory

parquet = pytest.importorskip("pyarrow.parquet")

# 2**63 - 1 failed tests and one error are 2**63.
BEYOND = PytestSummary(failed=LARGEST_COUNT, error=1)
REFUSED = f"speedup.pytest_summary.failed_total is {2**63}, expected an integer of 64 bits"
COLUMNS = ("speedup.outcome", "speedup.cause", "speedup.error")
PROFILES = pytest.mark.parametrize("profile", [None, "fc-eval"])


def attempts() -> list[Trajectory]:
    return [oracle(), attempt("fixer", WORKED, pytest_summary=BEYOND), attempt("other", WORKED)]


def format_exception(rows: list[dict[str, Any]]) -> list[tuple[str | None, ...]]:
    """Outcome, cause and error of each row; CSV has nothing for what is missing."""
    return [tuple(row[name] or None for name in COLUMNS) for row in rows]


EXPECTED = [
    ("scored", None, None),
    ("not_scored", "metric_error", REFUSED),
    ("scored", None, None),
]


@PROFILES
@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_the_other_rows_of_a_file_are_kept(
    tmp_path: Path, suffix: str, profile: str | None
) -> None:
    scores = trajmeter.score(attempts(), metrics=[SpeedupMetric(profile=profile)])
    file = tmp_path / f"out{suffix}"
    scores.write(file)
    rows: list[dict[str, Any]]
    if suffix == ".parquet":
        rows = parquet.read_table(file).to_pylist()
    else:
        text = file.read_text()
        lines = text.splitlines()
        rows = list(csv.DictReader(lines)) if suffix == ".csv" else list(map(json.loads, lines))
    assert format_exception(rows) == format_exception(scores.rows) == EXPECTED
    speedup = scores.summary.overall.figures["speedup.task_speedup"]
    assert (speedup.scored, speedup.not_scored) == (2, {"metric_error": 1})


@PROFILES
def test_the_other_rows_of_a_batch_are_kept(profile: str | None) -> None:
    from trajmeter.schemas import trajectory_batch

    metric = SpeedupMetric(profile=profile)
    (batch,) = trajmeter.score_batches([trajectory_batch(attempts())], metrics=[metric])
    assert format_exception(batch.to_pylist()) == EXPECTED


def test_a_sum_that_fits_64_bits_is_a_count() -> None:
    most = PytestSummary(failed=LARGEST_COUNT - 1, error=1)
    scores = trajmeter.score(
        [attempt("fixer", WORKED, pytest_summary=most, snapshot_summary=SAME)], metrics=["speedup"]
    )
    assert scores.rows[0]["speedup.pytest_summary.failed_total"] == 2**63 - 1
    assert scores.rows[0]["speedup.pytest_failed"] is True


def test_a_length_beyond_53_bits_leaves_the_means_of_others_exact() -> None:
    # Floats hold every integer up to 2**53. Each of two agents made one attempt.
    lengths = {"long": LARGEST_COUNT - 1, "other": 139_438_814_189}
    records = [
        attempt(agent, WORKED, run_log=RunLog(trajectory_length=length))
        for agent, length in lengths.items()
    ]
    groups = trajmeter.score(records, metrics=[SpeedupMetric(profile="fc-eval")]).summary.groups
    found = {
        group.agent: group.aggregates["speedup"]["mean_trajectory_length"]["value"]
        for group in groups
    }
    assert found == {agent: float(length) for agent, length in lengths.items()}
