"""Record batches: the column path says of every attempt what its record does, with worked numbers.

That the two paths agree whatever was recorded is in ``tests/scoring/test_both_paths.py``.
"""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

import trajmeter
from tests.metrics.speedup.attempts import BAD, GOOD, SAME, attempt, oracle
from trajmeter.metrics import BatchMetric, TrialMetric
from trajmeter.metrics.speedup import SpeedupMetric, batch, fields
from trajmeter.metrics.speedup.cases import figures_of
from trajmeter.records import LARGEST_COUNT, Measurements, PytestSummary, Trajectory
from trajmeter.schemas import trajectory_batch
from trajmeter.scoring.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

PROFILES = [(), ("fc-eval",)]


def by_batch(
    attempts: Sequence[Trajectory], profiles: Sequence[str] = (), *, size: int = 1
) -> list[dict[str, Any]]:
    """Rows of a speedup table, scored from batches of a size and never from their records."""
    rows = trajectory_batch(attempts)
    batches = [rows.slice(start, size) for start in range(0, len(rows), size)]
    with mock.patch.object(Rows, "records", side_effect=AssertionError("left to the records")):
        scored = list(trajmeter.score_batches(batches, metrics=["speedup"], profiles=profiles))
    return [row for table in scored for row in table.to_pylist()]


def table(agent: float | None, oracle: float | None, name: str = "m.f") -> dict[str, Any]:
    return {name: {"agent/nop": agent, "oracle/nop": oracle}}


def test_the_metric_is_of_trials_and_of_batches() -> None:
    assert isinstance(SpeedupMetric(), BatchMetric)
    assert isinstance(SpeedupMetric(), TrialMetric)


@pytest.mark.parametrize("profiles", PROFILES)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_failed_agent_is_reverted_by_the_oracle_of_another_batch(
    profiles: Sequence[str], size: int
) -> None:
    failed = attempt("fixer", table(4.0, 2.0), pytest_summary=BAD)
    fast = attempt("other", table(4.0, 2.0))
    _, reverted, kept = by_batch([oracle(), failed, fast], profiles, size=size)
    assert reverted["speedup.outcome"] == "assigned"
    assert reverted["speedup.task_speedup"] == 1.0
    assert reverted["speedup.agent_advantage"] == 1.0 - 2.0
    assert kept["speedup.task_speedup"] == pytest.approx(4.0)
    assert kept["speedup.agent_advantage"] == pytest.approx(4.0 - 2.0)
    (benchmark,) = kept["speedup.per_benchmark_speedups"]
    assert benchmark == {
        "key": "m.f",
        "value": {
            "agent/nop": 4.0,
            "oracle/nop": 2.0,
            "advantage": 2.0,
            "significant": None,
            "fallback_to_baseline": False,
            "invalid": None,
        },
    }


@pytest.mark.parametrize("profiles", PROFILES)
def test_reverting_with_any_ratio_of_the_oracle(profiles: Sequence[str]) -> None:
    ratios = (2.0, None, nan, inf, -inf, 0.0, -1.0)
    entries = {
        name: entry
        for at, ratio in enumerate(ratios)
        for name, entry in table(4.0, ratio, f"m.f{at}").items()
    }
    (reverted,) = by_batch([attempt("fixer", entries, pytest_summary=BAD, trial=None)], profiles)
    # fc-eval takes 1 for a ratio that is missing or no finite number.
    assert reverted["speedup.num_valid_benchmarks"] == (5 if profiles else 1)


@pytest.mark.parametrize("profiles", PROFILES)
@pytest.mark.parametrize("recorded", [True, False])
def test_two_attempts_of_one_name(profiles: Sequence[str], recorded: bool) -> None:
    checks: dict[str, Any] = {"pytest_summary": GOOD, "snapshot_summary": SAME} if recorded else {}
    attempts = [
        Trajectory(
            task_id="t",
            agent="fixer",
            model=model,
            measurements=Measurements(ratios=table(ratio, 2.0)),
            **checks,
        )
        for model, ratio in ((None, 4.0), ("unknown", 3.0))
    ]
    speedups = [row["speedup.task_speedup"] for row in by_batch(attempts, profiles)]
    # fc-eval keeps one record of a name, the later one.
    assert speedups == pytest.approx([None, 3.0] if profiles else [4.0, 3.0])


@pytest.mark.parametrize("raw", ["4.0", True, [4.0]])
def test_only_numbers_are_ratios(raw: Any) -> None:
    (row,) = by_batch([attempt("fixer", {"m.f": {"agent/nop": raw, "oracle/nop": 2}})])
    assert row["speedup.num_valid_benchmarks"] == 0
    assert row["speedup.invalid_benchmarks"] == [{"key": "m.f", "value": "not_a_number"}]


@pytest.mark.parametrize("profiles", PROFILES)
def test_one_call_of_the_kernel_averages_all_tasks_of_records(profiles: Sequence[str]) -> None:
    attempts = [
        attempt(agent, table(4.0, 2.0)).model_copy(update={"task_id": task})
        for task in ("a", "b", "c", "d")
        for agent in ("fixer", "other")
    ]
    by_record = mock.patch.object(batch, "backend", return_value="python")
    with by_record, mock.patch.object(fields, "figures_of", wraps=figures_of) as called:
        assert len(by_batch(attempts, profiles, size=8)) == 8
    assert called.call_count == 1


def test_few_attempts_are_alive_at_a_time() -> None:
    attempts = [
        attempt("fixer", table(4.0, 2.0)).model_copy(update={"task_id": task}) for task in "abcde"
    ]
    with mock.patch.object(batch, "ROWS_AT_ONCE", 2):
        rows = by_batch(attempts, size=5)
    assert [row["task_id"] for row in rows] == list("abcde")
    assert [row["speedup.task_speedup"] for row in rows] == pytest.approx([4.0] * 5)


def test_a_count_that_no_column_holds_is_an_error_of_its_row_alone() -> None:
    most = PytestSummary(failed=LARGEST_COUNT, error=1)
    huge = attempt("fixer", table(4.0, 2.0), pytest_summary=most)
    error, fine = by_batch([huge, attempt("other", table(4.0, 2.0))], size=2)
    assert "pytest_summary.failed_total" in error["speedup.error"]
    assert fine["speedup.error"] is None
    assert fine["speedup.task_speedup"] == pytest.approx(4.0)


def test_no_rows_have_no_results() -> None:
    assert by_batch([]) == []
    empty = trajectory_batch([])
    (scored,) = trajmeter.score_batches([empty], metrics=["speedup"])
    assert scored.num_rows == 0
