"""Tokens of record batches: those of each run, else the sums of its turns.

Most rows are added up as columns. A row with a count that cannot be used, or too large to add up in
64 bits, goes through :func:`trajmeter.metrics.usage.add_tokens`, which defines the figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trajmeter.arrays import entries, filled, ragged
from trajmeter.metrics.usage import TOKENS, add_tokens
from trajmeter.records import LARGEST_COUNT

if TYPE_CHECKING:
    from trajmeter.arrays import Array, Booleans
    from trajmeter.kernels import Int64Array
    from trajmeter.metrics.usage import Counts, TokensUsed

__all__ = ["TokenColumns", "tokens_of_rows"]

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
