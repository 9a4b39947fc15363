"""Who failed, and who did not: by tests, by the snapshot, or by what else is recorded."""

from __future__ import annotations

import pytest

from tests.metrics.speedup.attempts import BAD, GOOD, SAME, WORKED, attempt, oracle, score
from trajmeter.records import Cause, Failure, Outcome


def test_as_many_failures_as_the_oracle_are_tolerated() -> None:
    two = GOOD.model_copy(update={"failed": 1, "error": 1})
    three = GOOD.model_copy(update={"failed": 3})
    same, more = (
        score(attempt(entries=WORKED, pytest_summary=tests), oracle(pytest_summary=two))[0]
        for tests in (two, three)
    )
    assert (same.pytest_failed, same.fallback_to_baseline) == (False, False)
    assert (more.pytest_failed, more.fallback_to_baseline) == (True, True)


@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_it_is_the_first_oracle_whose_failures_are_tolerated(profile: str | None) -> None:
    two, one = (GOOD.model_copy(update={"failed": count}) for count in (2, 1))
    fixer = attempt(entries=WORKED, pytest_summary=two)
    first, second = oracle(pytest_summary=two), oracle(pytest_summary=one)
    second = second.model_copy(update={"model": "other"})
    assert score(fixer, first, second, profile=profile)[0].pytest_failed is False
    assert score(fixer, second, first, profile=profile)[0].pytest_failed is True


@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_no_failure_is_tolerated_in_captured_tests(profile: str | None) -> None:
    captured = BAD.model_copy(update={"captured": True})
    result, _ = score(
        attempt(entries=WORKED, pytest_summary=captured),
        oracle(pytest_summary=captured),
        profile=profile,
    )
    assert (result.pytest_failed, result.task_speedup) == (True, 1.0)


@pytest.mark.parametrize("profile", [None, "fc-eval"])
def test_a_status_is_read_in_any_case(profile: str | None) -> None:
    shouted = SAME.model_copy(update={"status": "PASSED"})
    result = score(attempt(entries=WORKED, snapshot_summary=shouted), profile=profile)[0]
    assert (result.snapshot_failed, result.success) == (False, True)


def test_a_recorded_failure_decides_without_tests_and_snapshot() -> None:
    crashed = attempt(
        entries=WORKED,
        pytest_summary=None,
        snapshot_summary=None,
        failure=Failure(reason="agent_timeout"),
    )
    result = score(crashed, oracle())[0]
    assert (result.success, result.cause) == (False, Cause.REVERTED_TO_BASELINE)


def test_without_any_record_of_failure_no_agent_is_reverted() -> None:
    result = score(attempt(entries=WORKED, pytest_summary=None, snapshot_summary=None), oracle())[0]
    assert (result.outcome, result.success, result.pytest_failed) == (Outcome.SCORED, None, None)
    tests_only = score(attempt(entries=WORKED, snapshot_summary=None), oracle())[0]
    assert tests_only.success
