"""What becomes of each attempt of a flat table, before any figure: who is reverted, and why."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from trajmeter.metrics.speedup.columns.arrays import column, first_values
from trajmeter.metrics.speedup.failures import (
    BASELINE_AGENT,
    ORACLE_AGENT,
    Checks,
    allowed_failures,
    check,
)
from trajmeter.metrics.speedup.trial import trials_of
from trajmeter.readers.benchmark_rows import AttemptIdentity, AttemptRows
from trajmeter.records import Source
from trajmeter.records.measurements import agent_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics.arrays import Booleans
    from trajmeter.metrics.speedup.columns.table import BenchmarkTable
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.records import Trajectory

__all__ = ["Plan", "plan_attempts"]

SOURCE = Source(file="rows")

_OF_A_ROW = frozenset(
    (
        *AttemptIdentity._fields,
        "benchmark",
        "agent_nop",
        "oracle_nop",
        "significant",
        "nop_seconds",
        "agent_seconds",
        "oracle_seconds",
    )
)


@dataclass
class Plan:
    """What becomes of each attempt."""

    checks: list[Checks]
    """Whether each failed."""
    reverted: Booleans
    """Whether each counts as if it had changed nothing."""
    lacks_oracle: Booleans
    """Whether each has no oracle to be compared with."""
    uncommon: list[list[int]] = field(default_factory=list)
    """Attempts of each task that has to be scored as records."""


def plan_attempts(table: BenchmarkTable, profile: SpeedupProfile) -> Plan:
    """Decide for every attempt, beside those of its trial, whether it is reverted."""
    count = len(table.offsets) - 1
    plan = Plan([Checks()] * count, np.zeros(count, np.bool_), np.zeros(count, np.bool_))
    about = [name for name in table.rows.column_names if name not in _OF_A_ROW]
    is_merged = profile.scores_merged_tables
    is_plain = not about and not table.is_uncommon.any()
    if is_plain and (_are_named_apart(table) if is_merged else not table.lacks_ratios.any()):
        return plan
    attempts = _attempts(table, about)
    tasks: dict[str, list[int]] = {}
    for position, identity in enumerate(table.identities):
        tasks.setdefault(identity.task_id, []).append(position)
    for positions in tasks.values():
        trials = list(trials_of(None, [attempts[position] for position in positions]))
        shares_names = any(len(set(trial.keys)) < len(trial.keys) for _, trial in trials)
        if table.is_uncommon[positions].any() or (is_merged and shares_names):
            plan.uncommon.append(positions)
            continue
        for places, trial in trials:
            allowed = allowed_failures(trial.everyone)
            has_oracle = ORACLE_AGENT in {attempt.agent for attempt in trial.everyone}
            for place, attempt in zip(places, trial.attempts, strict=True):
                position = positions[place]
                checks = check(attempt, profile, allowed=allowed)
                plan.checks[position] = checks
                plan.reverted[position] = checks.failed and attempt.agent != BASELINE_AGENT
                plan.lacks_oracle[position] = not (is_merged or has_oracle)
    plan.lacks_oracle &= table.lacks_ratios
    return plan


def _are_named_apart(table: BenchmarkTable) -> bool:
    keys = {
        (each.task_id, each.attempt, agent_key(each.agent, each.model)) for each in table.identities
    }
    return len(keys) == len(table.identities)


def _attempts(table: BenchmarkTable, about: Sequence[str]) -> list[Trajectory]:
    """The attempts without their benchmarks."""
    columns = {name: column(table.rows, name) for name in about}
    starts, ends = table.offsets[:-1], table.offsets[1:]
    values = {
        name: first_values(values, starts, ends)
        for name, values in columns.items()
        if values is not None
    }
    return [
        AttemptRows(
            SOURCE,
            about={
                name: found[position]
                for name, found in values.items()
                if found[position] is not None
            },
        ).trajectory(identity)
        for position, identity in enumerate(table.identities)
    ]
