"""Scores a trial by the merge of its files, as fc-eval does, including its surprising effects.

An agent without its own table gets that of another model of the same agent, or the merge of all
agents' tables, and its record then replaces that model's. Agents whose names form the same key
share one record, that of the last: its checks apply to the merged table, and those of the others
are lost. Missing figures count as speedup 1 and advantage 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trajmeter.metrics.speedup.cases import (
    ADVANTAGES,
    Case,
    advantage_fields,
    case_fields,
)
from trajmeter.metrics.speedup.costs import recorded_cost, tokens
from trajmeter.metrics.speedup.failures import BASELINE_AGENT, allowed_failures, check
from trajmeter.metrics.speedup.ownership import own_tables
from trajmeter.metrics.speedup.table import SpeedupTable, read_table
from trajmeter.records import (
    Cause,
    InvalidReason,
    Outcome,
    PytestSummary,
    RunLog,
    SnapshotSummary,
)
from trajmeter.records.measurements import finite
from trajmeter.trials import merge_measurements, resolve

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from trajmeter.metrics.speedup.levels import LevelFigures
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.metrics.speedup.trial import Trial
    from trajmeter.records import Trajectory

__all__ = ["booked_costs", "merged_cases", "merged_fields"]


def merged_fields(
    trial: Trial, cases: Sequence[Case], figures: Sequence[LevelFigures]
) -> list[dict[str, Any]]:
    """Fields of each attempt's result, in order; an attempt whose record is replaced has none."""
    records: dict[str, tuple[int, Case]] = {}
    for position, case in enumerate(cases):
        records[case.key] = position, case
    owners = dict(zip(trial.keys, range(len(trial.attempts)), strict=False))
    results: list[dict[str, Any] | None] = [None] * len(trial.attempts)
    for key, (position, case) in records.items():
        results[owners.get(key, position)] = _fields(case, figures[position])
    resolved = trial.attempts[-1].passed is True
    keys = trial.keys
    return [
        (result or _replaced(attempt, key, is_shared=keys.count(key) > 1))
        | {"costs_by_agent_model": _booked(attempt, key), "trial_resolved": resolved}
        for result, attempt, key in zip(results, trial.attempts, keys, strict=False)
    ]


def merged_cases(trial: Trial, profile: SpeedupProfile) -> list[Case]:
    """Each attempt with its table, in order."""
    merged = merge_measurements(attempt.measurements for attempt in trial.everyone)
    allowed = 0 if trial.is_alone else allowed_failures(trial.everyone)
    by_agent = _object(merged.get("ratios_by_agent"))
    tables = own_tables(trial)
    cases = []
    for position, (attempt, key) in enumerate(zip(trial.attempts, trial.keys, strict=False)):
        resolved = resolve(key, by_agent)
        table = tables[position].table
        if attempt.measurements is None or attempt.measurements.seconds is None or table is None:
            entries = by_agent.get(resolved)
            if not isinstance(entries, dict):
                entries = _object(merged.get("ratios"))
            table = read_table(entries, booleans_are_numbers=True)
        case = Case(attempt, resolved, check(attempt, profile, allowed=allowed), table)
        if len(table) and attempt.agent != BASELINE_AGENT and case.checks.failed:
            case.table = _reverted(table)
            case.fallback = True
        if not case.table:
            case.parsed = _object(_object(merged.get("advantages_by_agent")).get(resolved))
        cases.append(case)
    return cases


def _reverted(table: SpeedupTable) -> SpeedupTable:
    """Revert a table: non-objects are dropped, and a missing ratio of the oracle becomes 1."""
    reverted = SpeedupTable()
    for benchmark, oracle, significant, is_entry in zip(
        table.benchmarks, table.oracle, table.significant, table.is_entry, strict=True
    ):
        if is_entry:
            usable = isinstance(oracle, float) or oracle is InvalidReason.NOT_POSITIVE
            reverted.add(
                benchmark,
                1.0,
                oracle if usable else 1.0,
                significant=significant,
                is_reverted=True,
            )
    return reverted


def _fields(case: Case, figures: LevelFigures) -> dict[str, Any]:
    fields = case_fields(replace(case, attempt=_shown(case.attempt)))
    fields |= _spending(case.attempt)
    fields["num_valid_benchmarks"] = figures.valid
    if figures.valid:
        fields["task_speedup"] = figures.speedup
        fields |= advantage_fields(figures.advantage)
        outcome, cause = Outcome.SCORED, None
        if case.fallback:
            outcome, cause = Outcome.ASSIGNED, Cause.REVERTED_TO_BASELINE
        return {"outcome": outcome, "cause": cause, **fields}
    fields["task_speedup"] = 1.0
    fields |= dict.fromkeys(ADVANTAGES, 0.0)
    if not case.table:
        parsed = case.parsed
        fields |= {name: _number(parsed[name]) for name in ADVANTAGES if name in parsed}
        for name, parsed_name in (
            ("num_valid_benchmarks", "num_valid_benchmarks"),
            ("num_benchmarks", "total_benchmarks"),
        ):
            if parsed_name in parsed:
                fields[name] = int(_number(parsed[parsed_name]))
    return {"outcome": Outcome.ASSIGNED, "cause": Cause.NO_VALID_BENCHMARK, **fields}


def _replaced(attempt: Trajectory, key: str, *, is_shared: bool) -> dict[str, Any]:
    why = (
        "a later agent of its trial has the same key, and fc-eval keeps that one's record alone"
        if is_shared
        else "its record stands under another name, or was replaced by another's"
    )
    return {
        "outcome": Outcome.NOT_SCORED,
        "cause": Cause.REPLACED,
        "key": key,
        "instance": attempt.instance,
        "trial": attempt.trial,
        "warnings": (why,),
    }


def _shown(attempt: Trajectory) -> Trajectory:
    """The attempt with the summaries that fc-eval shows: a missing one as failed."""
    tests, snapshot = attempt.pytest_summary, attempt.snapshot_summary
    # The parser fails captured tests with exactly one error, and tests not run, without a count.
    is_uncounted = tests is not None and tests.captured and (tests.problem or tests.error == 1)
    if tests is None or is_uncounted:
        tests = PytestSummary(status="failed")
    snapshot = snapshot or SnapshotSummary(status="failed")
    return attempt.model_copy(update={"pytest_summary": tests, "snapshot_summary": snapshot})


def _spending(attempt: Trajectory) -> dict[str, Any]:
    """Tokens, cost and length; missing values are 0, and any event counts as an interaction."""
    log = attempt.run_log or RunLog()
    if log.tokens_before_bad_entry:
        attempt = attempt.model_copy(
            update={"run_log": log.model_copy(update={"input_tokens": None, "output_tokens": None})}
        )
    prompt, completion = tokens(attempt) or (0, 0)
    length, source = 0, "none"
    if log.trajectory_length is not None:
        length, source = log.trajectory_length, "recorded"
    elif log.entries:
        length, source = log.entries, "json"
    elif log.events is not None:
        length, source = log.events_after_first_line if log.recording_is_utf8 else 0, "cast"
    return {
        "task_cost_usd": recorded_cost(attempt) or 0.0,
        "cost_source": "recorded" if recorded_cost(attempt) is not None else "none",
        "input_tokens": prompt,
        "output_tokens": completion,
        "trajectory_length": length,
        "trajectory_length_source": source,
        "events_by_code": log.events or {},
        "warnings": log.problems,
    }


def _booked(attempt: Trajectory, key: str) -> dict[str, float]:
    """Costs in an attempt's own file, which fc-eval adds up whoever's record replaces its own."""
    log = attempt.run_log or RunLog()
    booked = log.costs_by_agent_model
    if booked is None:
        booked = {key: log.total_cost_usd if log.total_cost_usd is not None else 0.0}
    return booked_costs(booked)


def booked_costs(booked: Mapping[str, object]) -> dict[str, float]:
    """Costs by ``agent:model``; values that are not numbers count as 0."""
    return {name: _number(cost) for name, cost in booked.items()}


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: object) -> float:
    """A number, with true as 1, or 0.0 for anything else."""
    return finite(int(value) if isinstance(value, bool) else value) or 0.0
