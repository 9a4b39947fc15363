"""Computes the figures of a batch as columns, from tables read in Rust.

:mod:`trajmeter.metrics.speedup.fields` and :mod:`trajmeter.metrics.speedup.merged` define the
figures, and score the trials that this module is not certain of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa

from trajmeter.arrays import (
    booleans,
    call_function,
    concatenated,
    filled,
    flags,
    nulls,
    numbers,
    present,
    taken,
)
from trajmeter.arrays.text import (
    coded,
    filled_texts,
    is_among,
    repeated_text,
    text_array,
    text_bytes,
    text_scalar,
    texts_where,
)
from trajmeter.benchmark_tables.columns import table_arrays
from trajmeter.metrics.speedup.check_columns import (
    CheckColumns,
    check_columns,
    fields_of,
    integers,
)
from trajmeter.metrics.speedup.fields import NOTHING_MEASURED, ORACLE_FAILED
from trajmeter.metrics.speedup.levels import alphabet
from trajmeter.metrics.speedup.result import PytestFigures, SnapshotFigures
from trajmeter.metrics.speedup.row_warnings import Warnings
from trajmeter.metrics.speedup.spending_columns import spending_columns
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from trajmeter.arrays import Array
    from trajmeter.kernels import BoolArray, Int64Array
    from trajmeter.kernels._rust import SpeedupTables
    from trajmeter.metrics.speedup.profile import SpeedupProfile
    from trajmeter.metrics.speedup.trial_columns import TrialColumns

__all__ = ["FigureColumns", "figure_columns"]

_LEVELS = tuple(f"agent_advantage_level{level}" for level in range(1, 5))


class FigureColumns(NamedTuple):
    """Columns of a batch."""

    columns: dict[str, Array]
    """Every column of the result; meaningless in the rows of uncertain trials."""
    is_uncertain: BoolArray
    """Whether each trial is left to the record form."""


def figure_columns(
    rows: pa.RecordBatch, trials: TrialColumns, profile: SpeedupProfile
) -> FigureColumns:
    """Score the rows of whole trials.

    Args:
        rows: The rows.
        trials: Their trials.
        profile: The profile.
    """
    tables = _tables(rows, trials, profile)
    checks = check_columns(rows, trials, profile)
    is_uncertain = tables.uncertain | trials.has_times | trials.any(checks.is_huge)
    plan = _plan(tables, trials, checks, profile)
    if profile.scores_merged_tables:

        def of_table(counts: Int64Array) -> Int64Array:
            return np.append(counts, 0)[plan.table]

        # If no benchmark is left, fc-eval's own figures count.
        left = np.where(plan.is_reverted, of_table(tables.objects), of_table(tables.sizes))
        is_uncertain |= trials.any(left == 0) | trials.any(_discards(rows))
    warnings = Warnings()
    if not profile.scores_merged_tables:
        warnings.add(plan.measured_nothing, NOTHING_MEASURED)
        warnings.add(plan.is_reverted & trials.is_oracle, ORACLE_FAILED)
    scores = pa.record_batch(
        tables.score(plan.table, plan.is_reverted, plan.has_oracle, *alphabet(tables.names))
    )
    columns = {
        **_figures(scores, plan, profile),
        **_checks(rows, checks, profile),
        **spending_columns(rows, trials.keys, trials.key, warnings, profile),
        "key": taken(text_array(trials.keys), trials.key),
        "instance": concatenated([rows.column("instance")]),
        "trial": concatenated([rows.column("trial")]),
        "trial_resolved": nulls(len(rows), pa.bool_()),
        "warnings": warnings.column(len(rows)),
    }
    if profile.scores_merged_tables:
        columns["trial_resolved"] = _resolved(rows, trials)
    return FigureColumns(columns, is_uncertain)


def _discards(rows: pa.RecordBatch) -> BoolArray:
    """Whether each row's file discards a table of the files before it."""
    tables = fields_of(rows.column("measurements"))["discards"]
    return integers(call_function("list_value_length", [tables])) > 0


class _Plan(NamedTuple):
    """How each row is scored."""

    table: Int64Array
    is_reverted: BoolArray
    has_oracle: BoolArray
    measured_nothing: BoolArray


def _tables(rows: pa.RecordBatch, trials: TrialColumns, profile: SpeedupProfile) -> SpeedupTables:
    from trajmeter.kernels._rust import SpeedupTables

    measurements = fields_of(rows.column("measurements"))
    last = coded(measurements["last_agent"])
    # Agents that are named but have no attempt here own none of the others' benchmarks.
    keys = [*trials.keys, *last.texts]
    owner = np.where(last.codes >= 0, last.codes + len(trials.keys), -1)
    is_measured = present(rows.column("measurements"))
    return SpeedupTables(
        text_bytes(filled_texts(measurements["ratios_by_agent"], "")),
        text_bytes(filled_texts(measurements["ratios"], "")),
        table_arrays(rows),
        is_measured,
        keys,
        trials.key,
        owner,
        trials.offsets,
        trials.members,
        trials.scored,
        merged=profile.scores_merged_tables,
    )


def _plan(
    tables: SpeedupTables, trials: TrialColumns, checks: CheckColumns, profile: SpeedupProfile
) -> _Plan:
    own_table = tables.table
    has_table = own_table >= 0
    is_full = has_table & (np.append(tables.sizes, 0)[own_table] > 0)
    failed = checks.failed & ~trials.is_baseline
    in_trial = trials.trial
    if profile.scores_merged_tables:
        return _Plan(
            own_table, failed & is_full, np.ones(len(own_table), np.bool_), np.zeros_like(failed)
        )
    oracle = np.append(trials.first(trials.is_oracle & is_full), -1)[in_trial]
    of_oracle = np.append(own_table, -1)[oracle]
    table = np.where(failed & ~is_full, of_oracle, own_table)
    any_full = np.append(trials.any(is_full), values=False)[in_trial]
    return _Plan(
        table=table,
        is_reverted=failed & (is_full | (oracle >= 0)),
        has_oracle=np.append(trials.any(trials.is_oracle), values=False)[in_trial],
        measured_nothing=~has_table & any_full,
    )


def _figures(scores: pa.RecordBatch, plan: _Plan, profile: SpeedupProfile) -> dict[str, Array]:
    columns = dict(zip(scores.schema.names, scores.columns, strict=True))
    valid = integers(columns["num_valid_benchmarks"]) > 0
    is_without = flags(columns.pop("is_without_oracle"))
    has_reverted = flags(columns.pop("has_reverted"))
    has_table = integers(columns["num_benchmarks"]) > 0
    if profile.scores_merged_tables:
        return columns | _merged_outcome(columns, plan, valid)
    lacks_oracle = is_without & ~plan.has_oracle
    cause = np.full(len(valid), None, object)
    cause[lacks_oracle] = Cause.MISSING_ORACLE.value
    cause[plan.is_reverted] = Cause.REVERTED_TO_BASELINE.value
    cause[~valid] = Cause.NO_VALID_BENCHMARK.value
    cause[~valid & is_without] = Cause.MISSING_ORACLE.value
    cause[~has_table] = Cause.MISSING_MEASUREMENTS.value
    for name in _LEVELS:
        level = columns[name]
        columns[name] = numbers(filled(level, 0.0), lacks_oracle | ~present(level))
    outcome = _outcome(plan.is_reverted)
    return {
        **columns,
        "agent_advantage": columns[_LEVELS[-1]],
        "outcome": texts_where(~valid, Outcome.NOT_SCORED.value, outcome),
        "cause": text_array(cause),
        "fallback_to_baseline": booleans(plan.is_reverted),
        "already_reverted": booleans(has_reverted & ~plan.is_reverted),
    }


def _merged_outcome(columns: dict[str, Array], plan: _Plan, valid: BoolArray) -> dict[str, Array]:
    cause = np.full(len(valid), None, object)
    cause[plan.is_reverted] = Cause.REVERTED_TO_BASELINE.value
    cause[~valid] = Cause.NO_VALID_BENCHMARK.value
    levels = {name: numbers(filled(columns[name], 0.0)) for name in _LEVELS}
    return {
        **levels,
        "task_speedup": numbers(filled(columns["task_speedup"], 1.0)),
        "agent_advantage": levels[_LEVELS[-1]],
        "outcome": _outcome(plan.is_reverted | ~valid),
        "cause": text_array(cause),
        "fallback_to_baseline": booleans(plan.is_reverted),
        "already_reverted": booleans(np.zeros(len(valid), np.bool_)),
    }


def _outcome(is_assigned: BoolArray) -> Array:
    scored = repeated_text(Outcome.SCORED.value, len(is_assigned))
    return texts_where(is_assigned, Outcome.ASSIGNED.value, scored)


def _resolved(rows: pa.RecordBatch, trials: TrialColumns) -> Array:
    """Whether each row's trial is resolved, according to its last agent."""
    last = trials.members[trials.offsets[:-1] + trials.scored - 1]
    passed = flags(rows.column("passed"))
    return booleans(np.append(passed[last], values=False)[trials.trial])


def _checks(
    rows: pa.RecordBatch, checks: CheckColumns, profile: SpeedupProfile
) -> dict[str, Array]:
    tests, snapshot = rows.column("pytest_summary"), rows.column("snapshot_summary")
    counts, compared = fields_of(tests), fields_of(snapshot)
    has_tests, has_snapshot = present(tests), present(snapshot)
    not_run = is_among(counts["problem"], ["not_run"])
    if profile.scores_merged_tables:
        captured = flags(counts["captured"])
        is_uncounted = present(counts["problem"]) | (integers(counts["error"]) == 1)
        has_tests = has_tests & ~(captured & is_uncounted)
        not_run &= has_tests
    shown = _Shown(has_tests, is_merged=profile.scores_merged_tables)
    compared_shown = _Shown(has_snapshot, is_merged=profile.scores_merged_tables)
    unknown = ~checks.is_known
    failures = integers(counts["failed"]) + integers(counts["error"])
    figures = {
        f"pytest_summary.{name}": shown.counts(counts[name])
        for name in PytestFigures.model_fields
        if name in counts and name != "status"
    }
    return {
        **figures,
        "pytest_summary.failed_total": shown.counts(numbers(failures)),
        "pytest_summary.status": shown.text(counts["status"], default=None),
        **{
            f"snapshot_summary.{name}": compared_shown.counts(compared[name])
            for name in SnapshotFigures.model_fields
            if name != "status"
        },
        "snapshot_summary.status": compared_shown.text(compared["status"], default="failed"),
        "pytest_failed": booleans(checks.pytest_failed, unknown),
        "snapshot_failed": booleans(checks.snapshot_failed, unknown),
        "success": booleans(~checks.failed, unknown),
        "tests_not_run": booleans(not_run),
    }


class _Shown(NamedTuple):
    """Which summaries to show; fc-eval shows a missing one as failed."""

    is_there: BoolArray
    is_merged: bool

    def counts(self, column: Array) -> Array:
        mask = None if self.is_merged else ~self.is_there
        return numbers(np.where(self.is_there, integers(column), 0), mask)

    def text(self, column: Array, *, default: str | None) -> Array:
        if default is not None:
            column = filled_texts(column, default)
        absent = text_scalar("failed" if self.is_merged else None)
        texts: Array = call_function("if_else", [booleans(self.is_there), column, absent])
        return texts
