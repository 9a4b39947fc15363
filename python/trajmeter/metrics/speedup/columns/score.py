"""Speedup of a flat table of benchmarks, without an object for each of its rows.

The figures are those that the same rows give as records. Tasks that hold something uncommon are
scored as records: an attempt that measured nothing, or a benchmark that an attempt names twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trajmeter import kernels
from trajmeter.errors import ReadError
from trajmeter.metrics.speedup.columns.plan import SOURCE, plan_attempts
from trajmeter.metrics.speedup.columns.table import BenchmarkTable
from trajmeter.metrics.speedup.levels import alphabet
from trajmeter.metrics.speedup.metric import SpeedupMetric
from trajmeter.readers.benchmark_rows import AttemptIdentity, attempts_of
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pydantic import JsonValue

    from trajmeter.kernels import Kernels, LevelArrays
    from trajmeter.metrics.speedup.columns.plan import Plan
    from trajmeter.records import ReadProblem, Source

__all__ = ["score_columns"]

_ADVANTAGES = ("agent_advantage", *(f"agent_advantage_level{level}" for level in range(1, 5)))
_FIGURES: dict[str, pa.DataType] = {
    "outcome": pa.string(),
    "cause": pa.string(),
    "task_speedup": pa.float64(),
    **dict.fromkeys(_ADVANTAGES, pa.float64()),
    "num_benchmarks": pa.int64(),
    "num_valid_benchmarks": pa.int64(),
    "pytest_failed": pa.bool_(),
    "snapshot_failed": pa.bool_(),
    "success": pa.bool_(),
    "fallback_to_baseline": pa.bool_(),
}


def score_columns(
    rows: pa.Table,
    *,
    profile: str | None = None,
    on_problem: Callable[[ReadProblem], None] | None = None,
    backend: Kernels | None = None,
) -> pa.Table:
    """Score a table of benchmarks.

    The columns are those of flat files: ``task_id``, ``agent``, ``model``, ``benchmark``,
    ``agent_nop``, ``oracle_nop`` and so on. Texts may be encoded as dictionaries. The rows of an
    attempt need not stand together, but that is fastest.

    Args:
        rows: One row for each task, agent, model and benchmark.
        profile: ``fc-eval``, or ``None`` for the default.
        on_problem: Called with every row that is left out; without it the first one raises.
        backend: Kernels to compute with; ``None`` for those of this process.

    Returns:
        One row for each attempt, in the order in which they first occur: ``task_id``, ``agent``,
        ``model``, ``attempt`` and the figures, named ``speedup.task_speedup`` and so on.

    Raises:
        ConfigurationError: The table lacks a column.
        ReadError: Without ``on_problem``: a row cannot be used.
        UnknownNameError: There is no such profile.
    """
    metric = SpeedupMetric(profile=profile)
    table = BenchmarkTable.of(rows)
    plan = plan_attempts(table, as_fceval=profile is not None)
    figures = _figures(table, plan, backend or kernels.active(), as_fceval=profile is not None)
    for positions in plan.uncommon:
        _score_as_records(table, positions, figures, metric, on_problem or _refuse)
    identity = {
        name: pa.array([getattr(each, name) for each in table.identities], pa.string())
        for name in AttemptIdentity._fields
    }
    scored = {f"speedup.{name}": pa.array(figures[name], kind) for name, kind in _FIGURES.items()}
    return pa.table({**identity, **scored})


def _figures(
    table: BenchmarkTable, plan: Plan, backend: Kernels, *, as_fceval: bool
) -> dict[str, list[Any]]:
    """Every figure of every attempt."""
    valid, speedup, *levels = _averages(table, plan, backend, as_fceval=as_fceval)
    counts: list[int] = valid.tolist()
    leads = [_leads(level.tolist(), counts, plan, as_fceval=as_fceval) for level in levels]
    outcomes = list(_outcomes(table, plan, counts, as_fceval=as_fceval))
    nothing = 1.0 if as_fceval else None
    return {
        "outcome": [outcome.value for outcome, _ in outcomes],
        "cause": [cause.value if cause else None for _, cause in outcomes],
        "task_speedup": [
            mean if count else nothing for mean, count in zip(speedup.tolist(), counts, strict=True)
        ],
        **dict(zip(_ADVANTAGES, (leads[3], *leads), strict=True)),
        "num_benchmarks": np.diff(table.offsets).tolist(),
        "num_valid_benchmarks": counts,
        "pytest_failed": [verdict.pytest_failed for verdict in plan.verdicts],
        "snapshot_failed": [verdict.snapshot_failed for verdict in plan.verdicts],
        "success": [verdict.success for verdict in plan.verdicts],
        "fallback_to_baseline": plan.reverted.tolist(),
    }


def _averages(
    table: BenchmarkTable, plan: Plan, backend: Kernels, *, as_fceval: bool
) -> LevelArrays:
    agent, oracle = table.agent, table.oracle
    lengths = np.diff(table.offsets)
    if plan.reverted.any():
        is_reverted = np.repeat(plan.reverted, lengths)
        agent = np.where(is_reverted, 1.0, agent)
        if as_fceval:
            oracle = np.where(is_reverted & ~np.isfinite(oracle), 1.0, oracle)
    if plan.lacks_oracle.any():
        oracle = np.where(np.repeat(plan.lacks_oracle, lengths), agent, oracle)
    text, name_offsets, codes = table.names
    if table.is_uncommon.any():  # these figures are replaced, but each code has to have a name
        codes = np.where(codes < 0, len(name_offsets) - 1, codes)
        name_offsets = np.append(name_offsets, name_offsets[-1])
    return backend.level_advantages(
        text, name_offsets, *alphabet(text), codes, agent, oracle, table.offsets
    )


def _leads(
    level: list[float], counts: list[int], plan: Plan, *, as_fceval: bool
) -> list[float | None]:
    nothing = 0.0 if as_fceval else None
    return [
        nothing if not count else None if is_alone else lead
        for lead, count, is_alone in zip(level, counts, plan.lacks_oracle.tolist(), strict=True)
    ]


def _outcomes(
    table: BenchmarkTable, plan: Plan, counts: list[int], *, as_fceval: bool
) -> Iterator[tuple[Outcome, Cause | None]]:
    columns = (
        counts,
        table.lacks_ratios.tolist(),
        plan.lacks_oracle.tolist(),
        plan.reverted.tolist(),
    )
    for valid, lacks_ratios, lacks_oracle, is_reverted in zip(*columns, strict=True):
        if not valid and as_fceval:
            yield Outcome.ASSIGNED, Cause.NO_VALID_BENCHMARK
        elif not valid:
            missing = Cause.MISSING_ORACLE if lacks_ratios else Cause.NO_VALID_BENCHMARK
            yield Outcome.NOT_SCORED, missing
        elif is_reverted:
            yield Outcome.ASSIGNED, Cause.REVERTED_TO_BASELINE
        else:
            yield Outcome.SCORED, Cause.MISSING_ORACLE if lacks_oracle else None


def _score_as_records(
    table: BenchmarkTable,
    positions: Sequence[int],
    figures: dict[str, list[Any]],
    metric: SpeedupMetric,
    report: Callable[[ReadProblem], None],
) -> None:
    """Score the attempts of one task as records, and put their figures in their places."""
    rows: list[tuple[Source, JsonValue | ReadError]] = []
    for position in positions:
        begin, end = table.offsets[position : position + 2].tolist()
        records = table.rows.slice(begin, end - begin).to_pylist()
        rows += [
            (SOURCE.model_copy(update={"record": f"[{row}]"}), record)
            for row, record in enumerate(records, start=begin)
        ]
    attempts = list(attempts_of(rows, report))
    for position, result in zip(positions, metric.score_trial(None, attempts), strict=True):
        for name, column in figures.items():
            value = getattr(result, name)
            column[position] = value.value if isinstance(value, (Outcome, Cause)) else value


def _refuse(problem: ReadProblem) -> None:
    raise ReadError(str(problem))
