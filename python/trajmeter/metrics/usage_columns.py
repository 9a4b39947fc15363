"""Tokens and costs of record batches: recorded for each run, or else summed over its turns.

Most rows are summed as columns. A row with a figure that is unusable or too large to be summed is
left to :mod:`trajmeter.metrics.usage`, which defines the figures.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from trajmeter.arrays import field, filled, nulls, numbers, present, ragged, taken
from trajmeter.arrays.text import text_array
from trajmeter.metrics.usage import TOKENS, add_amounts, add_tokens
from trajmeter.records import LARGEST_COUNT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Float64Array, Int64Array
    from trajmeter.metrics.usage import Counts, TokensUsed

    _Counted: TypeAlias = "list[Int64Array | None]"

__all__ = ["CostColumns", "TokenColumns", "costs_of_rows", "of_turns_alone", "tokens_of_rows"]

_NONE = -1
"""Placeholder for a count that was not recorded."""
_SOURCES = (None, "run", "turns", "both")


class TokenColumns(NamedTuple):
    """Token columns, with one value per run."""

    counts: tuple[Array, ...]
    """Prompt, completion and total tokens."""
    source: Array
    """Their origin; null without tokens."""
    reason: Array
    """Which recorded count is unusable."""


class CostColumns(NamedTuple):
    """Cost columns, with one value per run."""

    value: Array
    """Cost in US dollars."""
    source: Array
    """Its origin; null without a cost."""
    reason: Array
    """Which recorded cost is unusable."""


def tokens_of_rows(rows: pa.RecordBatch) -> TokenColumns:
    """Find the tokens of every row.

    Args:
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
    """
    turns, offsets = ragged(rows.column("turns"))
    by_run, by_turn = _recorded(rows.column("usage")), _recorded(field(turns, "usage"))
    most = LARGEST_COUNT // (2 * len(turns) + 2)
    odd = _is_odd(by_run, most, len(rows)) | _is_unusable(rows)
    odd |= _any_turn(_is_odd(by_turn, most, len(turns)), offsets)
    own = _with_total(_plain(by_run))
    of_turns = _plain(by_turn)
    added = [_sums(each, offsets) for each in of_turns]
    lacks_part = _is_none(own[0], len(rows)) | _is_none(own[1], len(rows))
    counts = [np.full(len(rows), _NONE) if each is None else each.copy() for each in own]
    from_run = np.logical_or.reduce([each != _NONE for each in counts])
    from_turns = np.zeros(len(rows), np.bool_)
    for count, sums in zip(counts, added, strict=True):
        from_turns |= _fill(count, sums, lacks_part)
    # A total that not every turn has is derived from the parts, or from those of each turn.
    from_turns |= _fill(counts[2], _with_total([*counts])[2], lacks_part)
    from_turns |= _fill(counts[2], _sums(_with_total(of_turns)[2], offsets), lacks_part)
    source = from_run + 2 * from_turns
    reason: dict[int, str | None] = {}
    for row in np.flatnonzero(odd).tolist():
        used = _one(rows, row)
        for column, count in zip(counts, used.counts, strict=True):
            column[row] = _NONE if count is None else count
        source[row], reason[row] = _SOURCES.index(used.source), used.reason
    return TokenColumns(
        counts=tuple(numbers(each, each == _NONE) for each in counts),
        source=_source_texts(source),
        reason=_reasons(reason, len(rows)),
    )


def costs_of_rows(rows: pa.RecordBatch) -> CostColumns:
    """Find the cost of every row.

    Args:
        rows: Valid rows in the columns of :func:`trajmeter.schemas.trajectory_schema`.
    """
    turns, offsets = ragged(rows.column("turns"))
    by_run = field(rows.column("usage"), "cost_usd")
    by_turn = field(field(turns, "usage"), "cost_usd")
    is_unusable = _is_unusable(rows)
    if not (_has_any(by_run) or _has_any(by_turn) or is_unusable.any()):
        text = nulls(len(rows), pa.string())
        return CostColumns(nulls(len(rows), pa.float64()), text, text)
    cost, parts = filled(by_run, np.nan).copy(), filled(by_turn, np.nan)
    is_usable, is_part = _is_cost(cost), _is_cost(parts)
    is_odd = is_unusable | (present(by_run) & ~is_usable)
    is_odd |= _any_turn(present(by_turn) & ~is_part, offsets)
    is_whole = ~_any_turn(~is_part, offsets) & (np.diff(offsets) > 0)
    source = is_usable.astype(np.int64)
    reason: dict[int, str | None] = {}
    for row in np.flatnonzero(~is_usable & (is_odd | is_whole)).tolist():
        own = parts[offsets[row] : offsets[row + 1]].tolist()
        try:
            total = None if is_odd[row] else math.fsum(own)
        except OverflowError:
            total = None
        if total is not None:
            cost[row], source[row] = total, _SOURCES.index("turns")
            continue
        recorded, unusable = by_run[row].as_py(), rows.column("unusable")[row].as_py()
        of_turns = by_turn[offsets[row] : offsets[row + 1]].to_pylist()
        used = add_amounts("cost_usd", recorded, of_turns, dict(unusable or ()))
        cost[row] = np.nan if used.value is None else used.value
        source[row], reason[row] = _SOURCES.index(used.source), used.reason
    return CostColumns(
        value=numbers(cost, ~_is_cost(cost)),
        source=_source_texts(source),
        reason=_reasons(reason, len(rows)),
    )


def of_turns_alone(rows: pa.RecordBatch) -> pa.RecordBatch:
    """The rows with only what their turns recorded."""
    columns = {
        name: rows.column(name) if name == "turns" else nulls(len(rows), rows.column(name).type)
        for name in ("turns", "usage", "unusable")
    }
    return pa.record_batch(columns)


def _is_cost(costs: Float64Array) -> Booleans:
    """Whether each is finite and not negative."""
    is_cost: Booleans = (costs >= 0) & (costs < np.inf)
    return is_cost


def _has_any(column: Array) -> bool:
    return column.null_count < len(column)


def _recorded(usage: Array) -> list[Array]:
    return [field(usage, name) for name in TOKENS]


def _plain(counts: list[Array]) -> _Counted:
    """The counts of each usage; ``None`` for counts that no usage has."""
    return [filled(each, _NONE) if _has_any(each) else None for each in counts]


def _is_unusable(rows: pa.RecordBatch) -> Booleans:
    """Whether a row says why a field of it is empty."""
    unusable = rows.column("unusable")
    if not _has_any(unusable):
        return np.zeros(len(rows), np.bool_)
    is_unusable: Booleans = np.diff(ragged(unusable).offsets) > 0
    return is_unusable


def _is_odd(counts: list[Array], most: int, length: int) -> Booleans:
    """Whether any count is negative, or too large to be summed with the others."""
    is_odd = np.zeros(length, np.bool_)
    for each in filter(_has_any, counts):
        found = filled(each, 0)
        if found.min() < 0 or found.max() > most:
            is_odd |= (found < 0) | (found > most)
    return is_odd


def _is_none(counts: Int64Array | None, length: int) -> Booleans:
    return np.ones(length, np.bool_) if counts is None else counts == _NONE


def _any_turn(is_odd: Booleans, offsets: Int64Array) -> Booleans:
    if not is_odd.any():
        return np.zeros(len(offsets) - 1, np.bool_)
    before = np.concatenate([[0], np.cumsum(is_odd)])[offsets]
    any_turn: Booleans = np.diff(before) > 0
    return any_turn


def _with_total(counts: _Counted) -> _Counted:
    prompt, completion, total = counts
    if prompt is None or completion is None:
        return counts
    is_known = (prompt != _NONE) & (completion != _NONE)
    both = np.where(is_known, prompt + completion, _NONE)
    return [prompt, completion, both if total is None else np.where(total == _NONE, both, total)]


def _fill(counts: Int64Array, instead: Int64Array | None, where: Booleans) -> Booleans:
    """Replace missing counts in some rows, and return in which."""
    if instead is None:
        return np.zeros(len(counts), np.bool_)
    is_filled: Booleans = where & (counts == _NONE) & (instead != _NONE)
    counts[is_filled] = instead[is_filled]
    return is_filled


def _sums(counts: Int64Array | None, offsets: Int64Array) -> Int64Array | None:
    """The sum of each run's turns; none without turns, or if a turn lacks the count."""
    if counts is None:
        return None
    lengths = np.diff(offsets)
    is_there = counts != _NONE
    if is_there.all():
        return np.where(lengths > 0, _of_runs(counts, offsets), _NONE)
    is_whole = (_of_runs(is_there, offsets) == lengths) & (lengths > 0)
    return np.where(is_whole, _of_runs(np.where(is_there, counts, 0), offsets), _NONE)


def _of_runs(values: Int64Array | Booleans, offsets: Int64Array) -> Int64Array:
    """Sum the values by run."""
    before = np.zeros(len(values) + 1, np.int64)
    np.cumsum(values, out=before[1:])
    return np.diff(before[offsets])


def _source_texts(sources: Int64Array) -> Array:
    """Origins as texts, from their indices."""
    if not sources.any():
        return nulls(len(sources), pa.string())
    return taken(text_array(_SOURCES), numbers(sources))


def _reasons(reasons: Mapping[int, str | None], rows: int) -> Array:
    """Reasons by row."""
    if not any(reasons.values()):
        return nulls(rows, pa.string())
    return text_array(reasons.get(row) for row in range(rows))


def _one(rows: pa.RecordBatch, row: int) -> TokensUsed:
    """The tokens of one row, according to the definition."""
    usage, turns, unusable = (
        rows.column(name)[row].as_py() for name in ("usage", "turns", "unusable")
    )
    by_turn = [_counts(turn["usage"]) for turn in turns or ()]
    return add_tokens(_counts(usage), by_turn, dict(unusable or ()))


def _counts(usage: dict[str, int | None] | None) -> Counts:
    if usage is None:
        return None, None, None
    return usage["input_tokens"], usage["output_tokens"], usage["total_tokens"]
