"""Tokens and costs of record batches: those of each run, else the sums of its turns.

Most rows are added up as columns. A row with a figure that cannot be used, or is too large to be
added up, goes through :mod:`trajmeter.metrics.usage`, which defines the figures.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.arrays import entries, filled, flags, nulls, ragged
from trajmeter.metrics.usage import TOKENS, add_amounts, add_tokens
from trajmeter.records import LARGEST_COUNT

if TYPE_CHECKING:
    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.usage import Counts, TokensUsed

__all__ = ["CostColumns", "TokenColumns", "costs_of_rows", "of_turns_alone", "tokens_of_rows"]

_NONE = -1
"""Stands for a count that was not recorded."""
_SOURCES = np.array([None, "run", "turns", "both"], object)


class TokenColumns(NamedTuple):
    """Columns of tokens, one value a run."""

    counts: tuple[Array, ...]
    """Prompt, completion and total tokens."""
    source: Array
    """Where they come from; null without tokens."""
    reason: Array
    """Which recorded count could not be used."""


class CostColumns(NamedTuple):
    """Columns of costs, one value a run."""

    value: Array
    """Cost in US dollars."""
    source: Array
    """Where it comes from; null without a cost."""
    reason: Array
    """Which recorded cost could not be used."""


def tokens_of_rows(rows: pa.RecordBatch) -> TokenColumns:
    """Find the tokens of every row.

    Args:
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
    """
    turns, offsets = ragged(rows.column("turns"))
    by_run, by_turn = _recorded(rows.column("usage")), _recorded(pc.struct_field(turns, "usage"))
    most = LARGEST_COUNT // (2 * len(turns) + 2)
    odd = _is_odd(by_run, most)
    odd |= _any_turn(_is_odd(by_turn, most), offsets)
    odd |= np.diff(entries(cast("Any", rows.column("unusable"))).offsets) > 0
    own = _with_total(_plain(by_run))
    added = _sums(_with_total(_plain(by_turn)), offsets)
    lacks_part = (own[0] == _NONE) | (own[1] == _NONE)
    added = [np.where(lacks_part, each, _NONE) for each in added]
    counts = [np.where(run == _NONE, sums, run) for run, sums in zip(own, added, strict=True)]
    from_run = np.logical_or.reduce([each != _NONE for each in own])
    from_turns = np.logical_or.reduce(
        [(run == _NONE) & (sums != _NONE) for run, sums in zip(own, added, strict=True)]
    )
    source = _SOURCES[from_run + 2 * from_turns]
    reason = np.full(len(rows), None, object)
    for row in np.flatnonzero(odd).tolist():
        used = _one(rows, row)
        for column, count in zip(counts, used.counts, strict=True):
            column[row] = _NONE if count is None else count
        source[row], reason[row] = used.source, used.reason
    return TokenColumns(
        counts=tuple(pa.array(each, mask=each == _NONE) for each in counts),
        source=pa.array(source, pa.string()),
        reason=pa.array(reason, pa.string()),
    )


def costs_of_rows(rows: pa.RecordBatch) -> CostColumns:
    """Find the cost of every row.

    Args:
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
    """
    turns, offsets = ragged(rows.column("turns"))
    by_run = pc.struct_field(rows.column("usage"), "cost_usd")
    by_turn = pc.struct_field(pc.struct_field(turns, "usage"), "cost_usd")
    cost, parts = filled(by_run, np.nan).copy(), filled(by_turn, np.nan)
    is_usable, is_part = _is_cost(cost), _is_cost(parts)
    is_odd = flags(by_run.is_valid()) & ~is_usable
    is_odd |= _any_turn(flags(by_turn.is_valid()) & ~is_part, offsets)
    is_odd |= np.diff(entries(cast("Any", rows.column("unusable"))).offsets) > 0
    is_whole = ~_any_turn(~is_part, offsets) & (np.diff(offsets) > 0)
    source = _SOURCES[is_usable.astype(np.int64)]
    reason = np.full(len(rows), None, object)
    for row in np.flatnonzero(~is_usable & (is_odd | is_whole)).tolist():
        own = parts[offsets[row] : offsets[row + 1]].tolist()
        try:
            total = None if is_odd[row] else math.fsum(own)
        except OverflowError:
            total = None
        if total is not None:
            cost[row], source[row] = total, "turns"
            continue
        recorded, unusable = by_run[row].as_py(), rows.column("unusable")[row].as_py()
        of_turns = by_turn[offsets[row] : offsets[row + 1]].to_pylist()
        used = add_amounts("cost_usd", recorded, of_turns, dict(unusable or ()))
        cost[row] = np.nan if used.value is None else used.value
        source[row], reason[row] = used.source, used.reason
    return CostColumns(
        value=pa.array(cost, mask=~_is_cost(cost)),
        source=pa.array(source, pa.string()),
        reason=pa.array(reason, pa.string()),
    )


def of_turns_alone(rows: pa.RecordBatch) -> pa.RecordBatch:
    """The rows with what their turns recorded, without what was recorded of the runs themselves."""
    columns = {
        name: rows.column(name) if name == "turns" else nulls(len(rows), rows.column(name).type)
        for name in ("turns", "usage", "unusable")
    }
    return pa.record_batch(columns)


def _is_cost(costs: Float64Array) -> Booleans:
    """Whether each is finite and not negative."""
    is_cost: Booleans = (costs >= 0) & (costs < np.inf)
    return is_cost


def _recorded(usage: Array) -> list[Array]:
    return [pc.struct_field(usage, name) for name in TOKENS]


def _plain(counts: list[Array]) -> list[Int64Array]:
    return [filled(each, _NONE) for each in counts]


def _is_odd(counts: list[Array], most: int) -> Booleans:
    """Whether any count is negative, or too large to be added up with the others."""
    found = [filled(each, 0) for each in counts]
    is_odd: Booleans = np.logical_or.reduce([(each < 0) | (each > most) for each in found])
    return is_odd


def _any_turn(is_odd: Booleans, offsets: Int64Array) -> Booleans:
    before = np.concatenate([[0], np.cumsum(is_odd)])[offsets]
    return np.diff(before) > 0


def _with_total(counts: list[Int64Array]) -> list[Int64Array]:
    prompt, completion, total = counts
    is_known = (prompt != _NONE) & (completion != _NONE)
    both = np.where(is_known, prompt + completion, _NONE)
    return [prompt, completion, np.where(total == _NONE, both, total)]


def _sums(counts: list[Int64Array], offsets: Int64Array) -> list[Int64Array]:
    """The sum of each run's turns; none if a turn lacks its part, or without turns."""
    sums = []
    for each in counts:
        is_there = each != _NONE
        known = np.diff(np.concatenate([[0], np.cumsum(is_there)])[offsets])
        total = np.diff(np.concatenate([[0], np.cumsum(np.where(is_there, each, 0))])[offsets])
        is_whole = (known == np.diff(offsets)) & (known > 0)
        sums.append(np.where(is_whole, total, _NONE))
    return sums


def _one(rows: pa.RecordBatch, row: int) -> TokensUsed:
    """The tokens of one row, by the definition."""
    usage, turns, unusable = (
        rows.column(name)[row].as_py() for name in ("usage", "turns", "unusable")
    )
    by_turn = [_counts(turn["usage"]) for turn in turns or ()]
    return add_tokens(_counts(usage), by_turn, dict(unusable or ()))


def _counts(usage: dict[str, int | None] | None) -> Counts:
    if usage is None:
        return None, None, None
    return usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]
