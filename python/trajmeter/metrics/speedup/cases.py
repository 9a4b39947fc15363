"""A case: one attempt prepared for scoring, and the result fields computed from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from trajmeter.metrics.speedup.costs import cost, length, refused_tokens, tokens_spent
from trajmeter.metrics.speedup.levels import LevelFigures, level_figures
from trajmeter.metrics.speedup.result import PytestFigures, SnapshotFigures
from trajmeter.metrics.speedup.table import SpeedupTable
from trajmeter.records import InvalidReason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.metrics.speedup.failures import Checks
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.metrics.speedup.result import BenchmarkSpeedup
    from trajmeter.records import PytestSummary, SnapshotSummary, Trajectory

__all__ = ["ADVANTAGES", "Case", "advantage_fields", "case_fields", "figures_of", "spending_fields"]

ADVANTAGES = ("agent_advantage", *(f"agent_advantage_level{level}" for level in range(1, 5)))
"""Names of the advantages in a result: overall, then by level."""


@dataclass(slots=True)
class Case:
    """One attempt with the table that it is scored by."""

    attempt: Trajectory
    """The attempt."""
    key: str
    """``agent:model``."""
    checks: Checks
    """Whether it failed."""
    table: SpeedupTable | None
    """Its benchmarks, reverted if it failed; ``None`` without any."""
    fallback: bool = False
    """Whether the table was reverted."""
    already_reverted: bool = False
    """Whether the recorded table was already reverted, although the attempt did not fail."""
    lacks_oracle: bool = False
    """Whether the oracle is missing, so only the agent's ratios count."""
    warnings: list[str] = field(default_factory=list)
    """Warnings about its data."""
    parsed: dict[str, Any] = field(default_factory=dict)
    """Figures computed by fc-eval's parser, the fallback of its merge."""


def figures_of(cases: Sequence[Case]) -> list[LevelFigures]:
    """Compute the figures of every case's table; a missing table counts as empty."""
    tables = []
    for case in cases:
        table = case.table or SpeedupTable()
        tables.append(table.without_oracle() if case.lacks_oracle else table)
    return level_figures(tables)


def case_fields(case: Case) -> dict[str, Any]:
    """Fields of a result other than its figures."""
    checks, tests = case.checks, case.attempt.pytest_summary
    return {
        **_table_fields(case),
        "key": case.key,
        "instance": case.attempt.instance,
        "trial": case.attempt.trial,
        "num_benchmarks": len(case.table) if case.table else 0,
        "pytest_failed": checks.pytest_failed,
        "snapshot_failed": checks.snapshot_failed,
        "success": checks.success,
        "tests_not_run": tests is not None and tests.problem == "not_run",
        "fallback_to_baseline": case.fallback,
        "already_reverted": case.already_reverted,
        "pytest_summary": _pytest_figures(tests),
        "snapshot_summary": _snapshot_figures(case.attempt.snapshot_summary),
    }


def spending_fields(case: Case, profile: SpeedupProfile) -> dict[str, Any]:
    """Fields of a result about tokens, cost and length.

    Args:
        case: The case.
        profile: Decides which costs count, and whether usage of turns does.
    """
    attempt = case.attempt
    used = tokens_spent(attempt, profile)
    spent = cost(attempt, used, case.warnings, profile)
    usd = spent.get("task_cost_usd")
    return {
        **spent,
        **length(attempt),
        "input_tokens": used.prompt,
        "output_tokens": used.completion,
        "tokens_source": used.source,
        "costs_by_agent_model": {} if usd is None else {case.key: usd},
        "warnings": (
            *case.warnings,
            *refused_tokens(attempt),
            *([used.reason] if used.reason else ()),
            *(attempt.run_log.problems if attempt.run_log else ()),
        ),
    }


def advantage_fields(advantage: tuple[float, float, float, float]) -> dict[str, float]:
    """Advantages by their names in a result."""
    levels = {f"agent_advantage_level{level}": lead for level, lead in enumerate(advantage, 1)}
    return {"agent_advantage": advantage[3], **levels}


def _table_fields(case: Case) -> dict[str, Any]:
    """Fields of a result about each benchmark."""
    table = case.table or SpeedupTable()
    if {*map(type, table.agent), *map(type, table.oracle)} == {float}:
        return _plain_table_fields(table, reverted=case.fallback)
    rows: dict[str, BenchmarkSpeedup] = {}
    invalid: dict[str, InvalidReason] = {}
    worst: tuple[float, str] | None = None
    regressions = 0
    for benchmark, agent, oracle, significant in zip(
        table.benchmarks, table.agent, table.oracle, table.significant, strict=True
    ):
        faster = agent if isinstance(agent, float) else None
        best = oracle if isinstance(oracle, float) else None
        fault = agent if isinstance(agent, InvalidReason) else None
        if fault is None and isinstance(oracle, InvalidReason) and not case.lacks_oracle:
            fault = oracle
        rows[benchmark] = {
            "agent/nop": faster,
            "oracle/nop": best,
            "advantage": None if faster is None or best is None else faster - best,
            "significant": significant,
            "fallback_to_baseline": case.fallback and faster is not None,
            "invalid": fault,
        }
        if fault is not None:
            invalid[benchmark] = fault
        elif faster is not None:
            regressions += faster < 1.0
            worst = min(worst or (faster, benchmark), (faster, benchmark))
    return {
        "per_benchmark_speedups": rows,
        "invalid_benchmarks": invalid,
        "worst_speedup": worst[0] if worst else None,
        "worst_benchmark": worst[1] if worst else None,
        "num_regressions": regressions if worst else None,
    }


def _plain_table_fields(table: SpeedupTable, *, reverted: bool) -> dict[str, Any]:
    """The same for a table whose benchmarks all count, which is the usual case."""
    agent: list[Any] = table.agent
    least = min(agent)
    return {
        "per_benchmark_speedups": {
            benchmark: {
                "agent/nop": faster,
                "oracle/nop": best,
                "advantage": faster - best,
                "significant": significant,
                "fallback_to_baseline": reverted,
                "invalid": None,
            }
            for benchmark, faster, best, significant in zip(
                table.benchmarks, agent, table.oracle, table.significant, strict=True
            )
        },
        "invalid_benchmarks": {},
        "worst_speedup": least,
        "worst_benchmark": min(
            [name for name, ratio in zip(table.benchmarks, agent, strict=True) if ratio == least]
        ),
        "num_regressions": sum([ratio < 1.0 for ratio in agent]),
    }


def _pytest_figures(tests: PytestSummary | None) -> PytestFigures:
    if tests is None:
        return PytestFigures()
    return PytestFigures(
        passed=tests.passed,
        failed=tests.failed,
        error=tests.error,
        skipped=tests.skipped,
        total=tests.total,
        failed_total=tests.failed + tests.error,
        status=tests.status,
    )


def _snapshot_figures(snapshot: SnapshotSummary | None) -> SnapshotFigures:
    if snapshot is None:
        return SnapshotFigures()
    return SnapshotFigures(
        passed=snapshot.passed,
        failed=snapshot.failed,
        skipped=snapshot.skipped,
        total=snapshot.total,
        pass_to_fail=snapshot.pass_to_fail,
        status=snapshot.status,
    )
