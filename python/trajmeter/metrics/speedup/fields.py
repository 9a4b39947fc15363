"""Computes the fields of the results of all attempts at some tasks.

For profiles that score a trial by the merge of its files, see
:mod:`trajmeter.metrics.speedup.merged`.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from trajmeter.metrics.speedup.cases import (
    Case,
    advantage_fields,
    case_fields,
    figures_of,
    spending_fields,
)
from trajmeter.metrics.speedup.failures import (
    BASELINE_AGENT,
    ORACLE_AGENT,
    allowed_failures,
    check,
)
from trajmeter.metrics.speedup.merged import merged_cases, merged_fields
from trajmeter.metrics.speedup.ownership import oracle_table, own_tables
from trajmeter.metrics.speedup.payload import is_payload, payload_fields
from trajmeter.metrics.speedup.trial import trials_of
from trajmeter.records import Cause, InvalidReason, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from trajmeter.metrics.speedup.levels import LevelFigures
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.metrics.speedup.table import SpeedupTable
    from trajmeter.metrics.speedup.trial import Trial
    from trajmeter.records import Task, Trajectory

__all__ = ["NOTHING_MEASURED", "ORACLE_FAILED", "result_fields"]

NOTHING_MEASURED = "nothing is measured under its own name; fc-eval would give it another's numbers"
"""Warning about an attempt without a table."""
ORACLE_FAILED = "the oracle itself failed and is reverted: its advantage is 0 only where it passes"
"""Warning about a reverted oracle."""

_SHOWN = 3


def result_fields(
    tasks: Iterable[tuple[Task | None, Sequence[Trajectory]]], profile: SpeedupProfile
) -> list[dict[str, Any]]:
    """Compute the result fields of every attempt, with a single kernel call for all tables.

    Args:
        tasks: Each task with all attempts at it.
        profile: The profile.
    """
    fields: list[dict[str, Any]] = []
    trials: list[tuple[list[int], Trial, list[Case]]] = []
    for task, attempts in tasks:
        start = len(fields)
        measured = []
        for position, attempt in enumerate(attempts, start):
            if is_payload(attempt):
                fields.append(payload_fields(attempt, profile))
            else:
                measured.append(position)
                fields.append({})
        for places, trial in trials_of(task, [attempts[each - start] for each in measured]):
            trials.append(([measured[place] for place in places], trial, _cases(trial, profile)))
    figures = iter(figures_of([case for *_, cases in trials for case in cases]))
    for positions, trial, cases in trials:
        of_cases = list(islice(figures, len(cases)))
        for position, each in zip(positions, _fields(trial, cases, of_cases, profile), strict=True):
            fields[position] = each
    return fields


def _cases(trial: Trial, profile: SpeedupProfile) -> list[Case]:
    if profile.scores_merged_tables:
        return merged_cases(trial, profile)
    return _own_cases(trial, profile)


def _fields(
    trial: Trial, cases: Sequence[Case], figures: Sequence[LevelFigures], profile: SpeedupProfile
) -> list[dict[str, Any]]:
    if profile.scores_merged_tables:
        return merged_fields(trial, cases, figures)
    return [
        _own_fields(case, of_case, profile) for case, of_case in zip(cases, figures, strict=True)
    ]


def _own_cases(trial: Trial, profile: SpeedupProfile) -> list[Case]:
    allowed = 0 if trial.is_alone else allowed_failures(trial.everyone)
    tables = own_tables(trial)
    oracle = oracle_table(trial, tables)
    has_oracle = oracle is not None or ORACLE_AGENT in {each.agent for each in trial.everyone}
    is_measured = any(each.measurements is not None for each in trial.everyone)
    cases = []
    for position, (attempt, key) in enumerate(zip(trial.attempts, trial.keys, strict=False)):
        own_table = tables[position]
        case = Case(attempt, key, check(attempt, profile, allowed=allowed), own_table.table)
        if own_table.contradicted:
            case.warnings.append(_contradiction(own_table.contradicted))
        if own_table.table is None and any(table.table for table in tables):
            case.warnings.append(NOTHING_MEASURED)
        if is_measured and trial.twins(position):
            case.warnings.append(
                "another agent of its trial has the same name and model; fc-eval would keep one"
            )
        if case.checks.failed and attempt.agent != BASELINE_AGENT:
            _revert(case, oracle)
        elif case.table is not None:
            case.already_reverted = any(case.table.is_reverted)
        case.lacks_oracle = not has_oracle and _lacks_oracle(case.table)
        cases.append(case)
    return cases


def _revert(case: Case, oracle: SpeedupTable | None) -> None:
    """Revert a failed agent to one that changed nothing."""
    # A failed agent without measurements is reverted too, using the oracle's benchmarks.
    table = case.table or oracle
    case.table = table.reverted() if table else None
    case.fallback = case.table is not None
    if case.fallback and case.attempt.agent == ORACLE_AGENT:
        case.warnings.append(ORACLE_FAILED)


def _lacks_oracle(table: SpeedupTable | None) -> bool:
    """Whether no entry has an oracle ratio; entries that are not objects are ignored."""
    if table is None:
        return False
    entries = [ratio for ratio, is_one in zip(table.oracle, table.is_entry, strict=True) if is_one]
    return bool(entries) and all(ratio is InvalidReason.MISSING for ratio in entries)


def _contradiction(benchmarks: tuple[str, ...]) -> str:
    shown = ", ".join(repr(name) for name in benchmarks[:_SHOWN])
    more = f" and {len(benchmarks) - _SHOWN} more" if len(benchmarks) > _SHOWN else ""
    return f"another agent's file contradicts its own, which counts: {shown}{more}"


def _own_fields(case: Case, figures: LevelFigures, profile: SpeedupProfile) -> dict[str, Any]:
    outcome, cause = _outcome(case, figures)
    fields = case_fields(case) | spending_fields(case, profile)
    fields["num_valid_benchmarks"] = figures.valid
    if outcome is not Outcome.NOT_SCORED:
        fields["task_speedup"] = figures.speedup
        if not case.lacks_oracle:
            fields |= advantage_fields(figures.advantage)
    return {"outcome": outcome, "cause": cause, **fields}


def _outcome(case: Case, figures: LevelFigures) -> tuple[Outcome, Cause | None]:
    if not case.table:  # an empty table is equivalent to a missing one
        return Outcome.NOT_SCORED, Cause.MISSING_MEASUREMENTS
    if not figures.valid:
        no_oracle = _lacks_oracle(case.table)
        cause = Cause.MISSING_ORACLE if no_oracle else Cause.NO_VALID_BENCHMARK
        return Outcome.NOT_SCORED, cause
    if case.fallback:
        return Outcome.ASSIGNED, Cause.REVERTED_TO_BASELINE
    return Outcome.SCORED, Cause.MISSING_ORACLE if case.lacks_oracle else None
