"""Turn analysis of record batches: computes result columns from columns of turns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from trajmeter.arrays import (
    booleans,
    call_function,
    concatenated,
    field,
    filled,
    nulls,
    numbers,
    present,
    ragged,
    taken,
)
from trajmeter.arrays.text import coded, repeated_text, text_array, text_scalar
from trajmeter.kernels import NO_NUMBER
from trajmeter.metrics.turns.columns import analyse_columns, turn_columns
from trajmeter.metrics.turns.result import BUDGET_REASONS
from trajmeter.metrics.usage import TOKENS
from trajmeter.metrics.usage_columns import costs_of_rows, tokens_of_rows
from trajmeter.records import Cause, Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.turns.columns import TurnTable
    from trajmeter.metrics.turns.profile import TurnsProfile

__all__ = ["score_batch"]

_COUNTS = {
    "recorded_turns": "turns",
    "parse_failures": "parse_failures",
    "no_code_turns": "no_code_turns",
    "multi_code_block_turns": "multi_code_block_turns",
    "followed_failures": "followed_failures",
    "recovered_failures": "recovered_failures",
    "repeated_failures": "repeated_failures",
    "recorded_calls": "calls",
    "repeated_calls": "repeated_calls",
    "successful_calls": "successful_calls",
    "known_calls": "known_calls",
}
"""Figures that are counts, with their names in the kernel."""

_SCORED, _NOT_SCORED = Outcome.SCORED.value, Outcome.NOT_SCORED.value
_INVALID = text_scalar(Cause.INVALID_INPUT.value)

_SHARES_OF_TURNS = ("parse_failure_rate", "no_code_rate", "multi_code_block_rate")


def score_batch(
    rows: pa.RecordBatch, profile: TurnsProfile, *, has_turns: bool = True
) -> Mapping[str, Array]:
    """Compute every figure of every row, as :func:`score` does for one record.

    Args:
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
        profile: How missing values count.
        has_turns: Whether to include the figures that are computed from turns.

    Returns:
        The columns of :class:`TurnsResult` by dotted path.
    """
    turns = rows.column("turns")
    recorded = np.diff(ragged(turns).offsets)
    if profile.unrecorded_turns_are_none:
        is_missing, turn_count = np.zeros(len(rows), np.bool_), numbers(recorded)
    else:
        is_missing, counted = ~present(turns), rows.column("turn_count")
        turn_count = numbers(
            np.where(is_missing, filled(counted, 0), recorded), is_missing & ~present(counted)
        )
    groups = {**_run(rows, turn_count), **_tokens(rows, profile), **_cost(rows)}
    if not has_turns:
        return groups
    table = analyse_columns(turn_columns(turns))
    return {
        **_outcome(is_missing, Cause.MISSING_TURNS),
        **_figures(table, is_missing, profile),
        "error_turns": _mapping(table, table.carried, is_missing),
        "error_breakdown": _mapping(table, table.failed, is_missing),
        "dropped_calls": concatenated([numbers(filled(rows.column("dropped_calls"), 0))]),
        **groups,
    }


def _figures(table: TurnTable, absent: Booleans, profile: TurnsProfile) -> dict[str, Array]:
    counts = table.counts
    rates = dict(table.rates)
    empty = profile.empty_rate
    if empty is not None:
        rates |= {name: np.nan_to_num(rates[name], nan=empty) for name in _SHARES_OF_TURNS}
    valid = counts["first_program" if profile.stored_program_is_valid else "first_turn_valid"]
    first_call = counts["first_recorded_call" if profile.failed_call_is_first else "first_call"]
    dominant = numbers(counts["dominant_error"], absent | (counts["dominant_error"] < 0))
    return {
        **{name: numbers(counts[count], absent) for name, count in _COUNTS.items()},
        **{name: numbers(rate, absent | np.isnan(rate)) for name, rate in rates.items()},
        "first_turn_valid": booleans(valid > 0, absent | (valid < 0)),
        "dominant_error": taken(_names(table), dominant),
        "has_failed_turn": booleans(counts["failed_turns"] > 0, absent),
        "turns_to_first_tool_call": numbers(first_call, absent | (first_call == NO_NUMBER)),
    }


def _run(rows: pa.RecordBatch, turn_count: Array) -> dict[str, Array]:
    reasons, codes = coded(field(rows.column("failure"), "reason"))
    of_budget = [code for code, reason in enumerate(reasons) if reason in BUDGET_REASONS]
    return {
        **_outcome(~present(turn_count), Cause.MISSING_TURNS, prefix="run."),
        "run.turn_count": turn_count,
        "run.budget_exhausted": booleans(np.isin(codes, of_budget)),
        "run.passed": concatenated([rows.column("passed")]),
    }


def _tokens(rows: pa.RecordBatch, profile: TurnsProfile) -> dict[str, Array]:
    if profile.missing_is_zero:
        usage = rows.column("usage")
        counts = [numbers(filled(field(usage, name), 0)) for name in TOKENS]
        return {
            **_outcome(np.zeros(len(rows), np.bool_), Cause.MISSING_USAGE, prefix="tokens."),
            **{f"tokens.{name}": each for name, each in zip(TOKENS, counts, strict=True)},
            "tokens.source": nulls(len(rows), pa.string()),
            "tokens.reason": nulls(len(rows), pa.string()),
        }
    used = tokens_of_rows(rows)
    return {
        **_usage_group(used.source, used.reason, prefix="tokens."),
        **{f"tokens.{name}": each for name, each in zip(TOKENS, used.counts, strict=True)},
    }


def _cost(rows: pa.RecordBatch) -> dict[str, Array]:
    used = costs_of_rows(rows)
    return {**_usage_group(used.source, used.reason, prefix="cost."), "cost.cost_usd": used.value}


def _usage_group(source: Array, reason: Array, *, prefix: str) -> dict[str, Array]:
    """Columns of a group of usage, except its figures."""
    group = _outcome(~present(source), Cause.MISSING_USAGE, prefix=prefix)
    group |= {f"{prefix}source": source, f"{prefix}reason": reason}
    if reason.null_count < len(reason):
        cause = f"{prefix}cause"
        is_unusable = booleans(~present(source) & present(reason))
        group[cause] = call_function("if_else", [is_unusable, _INVALID, group[cause]])
    return group


def _outcome(unscored: Booleans, cause: Cause, *, prefix: str = "") -> dict[str, Array]:
    """Outcome and cause of a group that is scored in all rows except ``unscored``."""
    count = len(unscored)
    outcome: Array
    causes: Array
    if not unscored.any():
        outcome, causes = repeated_text(_SCORED, count), nulls(count, pa.string())
    elif unscored.all():
        outcome, causes = (repeated_text(each, count) for each in (_NOT_SCORED, cause.value))
    else:
        places = numbers(unscored.astype(np.int8))
        outcome = taken(text_array([_SCORED, _NOT_SCORED]), places)
        causes = taken(text_array([None, cause.value]), places)
    return {f"{prefix}outcome": outcome, f"{prefix}cause": causes}


def _mapping(table: TurnTable, turns: Int64Array, absent: Booleans) -> Array:
    """Turns by reason; reasons without turns are omitted."""
    kept = turns > 0
    offsets = np.concatenate([[0], np.cumsum(kept)])[table.reason_offsets].astype(np.int32)
    # A null offset marks a null list; the stubs require 64 bits, Arrow 32.
    starts: Any = numbers(offsets, np.append(absent, False))
    keys: Any = taken(_names(table), numbers(table.reason[kept]))
    counts = numbers(turns[kept])
    mapping: Array = pa.MapArray.from_arrays(starts, keys, counts)
    return mapping


def _names(table: TurnTable) -> Array:
    return text_array(table.reasons)
