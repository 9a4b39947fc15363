"""Speedup of a flat table of benchmarks, without an object for each of its rows.

The figures are those that the same rows give as records. Tasks that hold something uncommon are
scored as records: an attempt that measured nothing, or a benchmark that an attempt names twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from trajmeter.errors import ExtraMissingError, ReadError

try:
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise ExtraMissingError("tables of columns need pyarrow; install trajmeter[data]") from error

from trajmeter import kernels
from trajmeter.metrics.profile import find_profile
from trajmeter.metrics.speedup.cases import ADVANTAGES
from trajmeter.metrics.speedup.columns.arrays import column, missing
from trajmeter.metrics.speedup.columns.plan import SOURCE, plan_attempts
from trajmeter.metrics.speedup.columns.table import BenchmarkTable
from trajmeter.metrics.speedup.levels import alphabet
from trajmeter.metrics.speedup.profile import PROFILES
from trajmeter.metrics.speedup.score import SpeedupMetric
from trajmeter.readers.benchmark_rows import attempts_of
from trajmeter.records import Cause, Outcome, ReadProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    from pydantic import JsonValue

    from trajmeter.kernels import Kernels, LevelArrays
    from trajmeter.metrics.arrays import Array, Booleans
    from trajmeter.metrics.speedup.columns.plan import Plan
    from trajmeter.records import Source

__all__ = ["score_columns"]


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
    report = on_problem or _refuse
    table = BenchmarkTable.of(_of_tasks(rows, report))
    chosen = find_profile("speedup", profile, PROFILES)
    plan = plan_attempts(table, chosen)
    columns = _columns(
        table, plan, backend or kernels.active(), is_merged=chosen.scores_merged_tables
    )
    if plan.uncommon:
        figures = {name: column.to_pylist() for name, column in columns.items()}
        for positions in plan.uncommon:
            _score_as_records(table, positions, figures, metric, report)
        columns = {name: pa.array(figures[name], column.type) for name, column in columns.items()}
    scored = {f"speedup.{name}": column for name, column in columns.items()}
    return pa.table({**table.identity, **scored})


def _of_tasks(rows: pa.Table, report: Callable[[ReadProblem], None]) -> pa.Table:
    """The rows that name a task."""
    tasks = column(rows, "task_id")
    if tasks is None or not tasks.null_count:
        return rows
    for row in np.flatnonzero(missing(tasks, len(rows))).tolist():
        report(ReadProblem(file="rows", record=f"[{row}]", message="task_id is missing"))
    return rows.filter(tasks.is_valid())


def _columns(
    table: BenchmarkTable, plan: Plan, backend: Kernels, *, is_merged: bool
) -> dict[str, Array]:
    """Every figure of every attempt."""
    valid, speedup, *levels = _averages(table, plan, backend, is_merged=is_merged)
    has_valid = valid > 0
    if is_merged:  # what is missing counts as no change, and as no lead
        speedup = np.where(has_valid, speedup, 1.0)
        levels = [np.where(has_valid, level, 0.0) for level in levels]
    is_known = np.ones(len(valid), np.bool_) if is_merged else has_valid
    is_compared = is_known & ~plan.lacks_oracle
    leads = [pa.array(level, mask=~is_compared) for level in levels]
    outcome, cause = _outcomes(table, plan, has_valid, is_merged=is_merged)
    checks = plan.checks
    return {
        "outcome": pa.array(outcome, pa.string()),
        "cause": pa.array(cause, pa.string()),
        "task_speedup": pa.array(speedup, mask=~is_known),
        **dict(zip(ADVANTAGES, (leads[3], *leads), strict=True)),
        "num_benchmarks": pa.array(np.diff(table.offsets)),
        "num_valid_benchmarks": pa.array(valid),
        "pytest_failed": pa.array([each.pytest_failed for each in checks], pa.bool_()),
        "snapshot_failed": pa.array([each.snapshot_failed for each in checks], pa.bool_()),
        "success": pa.array([each.success for each in checks], pa.bool_()),
        "fallback_to_baseline": pa.array(plan.reverted),
    }


def _averages(
    table: BenchmarkTable, plan: Plan, backend: Kernels, *, is_merged: bool
) -> LevelArrays:
    agent, oracle = table.agent, table.oracle
    lengths = np.diff(table.offsets)
    if plan.reverted.any():
        is_reverted = np.repeat(plan.reverted, lengths)
        agent = np.where(is_reverted, 1.0, agent)
        if is_merged:
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


def _outcomes(
    table: BenchmarkTable, plan: Plan, has_valid: Booleans, *, is_merged: bool
) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.object_]]:
    """What became of each attempt, and why."""
    nothing = Outcome.ASSIGNED if is_merged else Outcome.NOT_SCORED
    unscored = Cause.NO_VALID_BENCHMARK.value
    missing = unscored if is_merged else Cause.MISSING_ORACLE.value
    outcome = np.where(plan.reverted, Outcome.ASSIGNED.value, Outcome.SCORED.value)
    cause = np.full(len(has_valid), None, np.object_)
    cause[plan.lacks_oracle] = Cause.MISSING_ORACLE.value
    cause[plan.reverted] = Cause.REVERTED_TO_BASELINE.value
    return (
        np.where(has_valid, outcome, nothing.value).astype(np.object_),
        np.where(has_valid, cause, np.where(table.lacks_ratios, missing, unscored)),
    )


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
        for name, values in figures.items():
            value = getattr(result, name)
            values[position] = value.value if isinstance(value, (Outcome, Cause)) else value


def _refuse(problem: ReadProblem) -> None:
    raise ReadError(str(problem))
