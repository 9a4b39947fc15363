"""Results of fc-eval's trials: of one agent, or merged over all agents of a trial."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trajmeter.readers._checks import pytest_summary, snapshot_summary
from trajmeter.readers._logs.sessions import known_only
from trajmeter.readers._logs.values import (
    as_count,
    as_object,
    as_text,
    epoch_seconds,
    seconds_between,
)
from trajmeter.readers.fceval.config import Agent
from trajmeter.records import (
    Failure,
    Measurements,
    RunLog,
    Source,
    Trajectory,
    Turn,
    Usage,
)
from trajmeter.records.measurements import finite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "agent_of_result",
    "is_trial",
    "measurements",
    "read_agent",
    "read_merged",
]

_MEASUREMENTS = {
    "per_benchmark_speedups": "ratios",
    "per_benchmark_speedups_by_agent": "ratios_by_agent",
    "agent_advantages_by_agent": "advantages_by_agent",
}
_TESTS = ("test_passed", "test_failed", "test_error", "test_skipped", "test_total", "tests")
_SNAPSHOT = (
    "snapshot_passed",
    "snapshot_failed",
    "snapshot_skipped",
    "snapshot_total",
    "snapshot_pass_to_fail",
    "snapshot_status",
)
_NO_FAILURE = (None, "none", "unset")
_BUDGET = "budget_exhausted"
_EXHAUSTED = ("agent_timeout", "context_length_exceeded", "output_length_exceeded")


def is_trial(record: Mapping[str, object]) -> bool:
    """Whether a JSON object is the result of a trial."""
    return "trial_name" in record and "failure_mode" in record


def agent_of_result(result: Mapping[str, Any]) -> Agent | None:
    """The agent that a result names, if it names one."""
    metrics = as_object(result.get("parser_extra_metrics")) or {}
    key = as_text(metrics.get("last_agent")) or as_text(metrics.get("agent_model_key"))
    return Agent.of_key(key) if key else None


def read_agent(
    result: Mapping[str, Any],
    source: Source,
    *,
    agent: Agent | None,
    trial: str | None,
    attempt: str | None,
    task_id: str,
    logs: Mapping[str, Any],
    turns: tuple[Turn, ...] | None,
    unusable: Mapping[str, str],
) -> Trajectory:
    """Read the result of one agent.

    Args:
        result: The JSON object.
        source: Its location.
        agent: The agent, if known.
        trial: Name of the trial.
        attempt: Name that distinguishes this attempt from others of the same agent.
        task_id: The task, if the result does not name it.
        logs: Fields of the run log, from logs next to the result.
        turns: Turns, from files next to the result.
        unusable: Reasons why parts of these could not be read.
    """
    metrics = as_object(result.get("parser_extra_metrics"))
    known = metrics or {}
    return Trajectory(
        task_id=as_text(result.get("task_id")) or task_id,
        agent=agent.name if agent else None,
        model=agent.model if agent else None,
        attempt=attempt,
        source=source,
        trial=trial,
        turns=turns,
        unusable=dict(unusable),
        usage=_usage(result),
        duration_seconds=_agent_seconds(result),
        failure=_failure(result),
        metadata=known_only(exit_status=as_text(result.get("failure_mode"))),
        passed=result.get("is_resolved") is True,
        measurements=None if metrics is None else measurements(metrics),
        pytest_summary=pytest_summary(known) if _has_checks(known) else None,
        snapshot_summary=snapshot_summary(known) if _has_checks(known) else None,
        run_log=_run_log(result, known, agent, logs),
    )


def read_merged(
    result: Mapping[str, Any],
    source: Source,
    *,
    trial: str | None,
    attempt: str | None,
    task_id: str,
) -> Iterator[Trajectory]:
    """Read the figures that fc-eval computed for each agent of a merged result.

    Yields:
        One attempt per agent; none if the result contains no such figures.
    """
    metrics = as_object(result.get("parser_extra_metrics")) or {}
    payloads = as_object(metrics.get("agent_metrics_by_agent")) or {}
    for key, found in payloads.items():
        payload = as_object(found) or {}
        agent = Agent.of_key(key)
        tests = as_object(payload.get("pytest_summary"))
        snapshot = as_object(payload.get("snapshot_summary"))
        yield Trajectory(
            task_id=as_text(result.get("task_id")) or task_id,
            agent=agent.name,
            model=agent.model,
            attempt=attempt,
            source=Source(file=source.file, record=key),
            trial=trial,
            passed=payload.get("success") is True,
            measurements=Measurements(
                ratios=as_object(payload.get("per_benchmark_speedups")),
                last_agent=key,
                payload=payload | {"is_resolved": result.get("is_resolved") is True},
            ),
            pytest_summary=pytest_summary(tests, prefix="", status="status") if tests else None,
            snapshot_summary=snapshot_summary(snapshot, prefix="") if snapshot else None,
            run_log=RunLog(
                trajectory_length=as_count(payload.get("trajectory_length")),
                task_cost_usd=finite(payload.get("task_cost_usd")),
            ),
        )


def _has_checks(metrics: Mapping[str, Any]) -> bool:
    return any(key in metrics for key in (*_TESTS, *_SNAPSHOT))


def measurements(metrics: Mapping[str, Any]) -> Measurements:
    """Read benchmark tables.

    A table that is not an object is ``None``, as an absent one is, but fc-eval's merge
    distinguishes the two.
    """
    fields: dict[str, Any] = {
        name: as_object(metrics[key]) for key, name in _MEASUREMENTS.items() if key in metrics
    }
    fields["discards"] = tuple([name for name, table in fields.items() if table is None])
    return Measurements(last_agent=as_text(metrics.get("last_agent")), **fields)


def _usage(result: Mapping[str, Any]) -> Usage | None:
    usage = Usage(
        input_tokens=as_count(result.get("total_input_tokens")),
        output_tokens=as_count(result.get("total_output_tokens")),
        cost_usd=finite(result.get("total_cost")),
    )
    return None if usage == Usage() else usage


def _failure(result: Mapping[str, Any]) -> Failure | None:
    mode = result.get("failure_mode")
    if mode in _NO_FAILURE:
        return None
    return Failure(reason=_BUDGET if mode in _EXHAUSTED else str(mode))


def _agent_seconds(result: Mapping[str, Any]) -> float | None:
    start, end = (epoch_seconds(result.get(f"agent_{edge}_at")) for edge in ("started", "ended"))
    return seconds_between(start, end)


def _run_log(
    result: Mapping[str, Any],
    metrics: Mapping[str, Any],
    agent: Agent | None,
    logs: Mapping[str, Any],
) -> RunLog:
    return RunLog(
        **logs,
        trajectory_length=as_count(metrics.get("trajectory_length")),
        task_cost_usd=finite(metrics.get("task_cost_usd")),
        total_cost_usd=finite(result.get("total_cost")),
        costs_by_agent_model=as_object(result.get("costs_by_agent_model")),
        model_name=agent.model_name if agent else None,
        started_at=as_text(result.get("trial_started_at")),
    )
