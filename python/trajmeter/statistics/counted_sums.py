"""Counts and sums columns of numbers by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trajmeter import kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trajmeter.kernels import BoolArray, Float64Array, Int64Array
    from trajmeter.statistics.exact_sums import ExactSums
    from trajmeter.statistics.group_counts import GroupCounts

__all__ = ["CountedColumn", "count_columns"]


class CountedColumn(NamedTuple):
    """A column in which some rows count."""

    values: Float64Array
    """A number for each row."""
    counted: BoolArray
    """Which rows count."""
    rest: Float64Array | None = None
    """What to add to the values; ``None`` for nothing."""


def count_columns(
    columns: Sequence[CountedColumn],
    rows: Int64Array,
    numbers: Int64Array,
    *,
    counts: GroupCounts,
    sums: ExactSums,
) -> None:
    """Count the rows of each column by group, and sum their values.

    Args:
        columns: The columns.
        rows: Group of each row, as an index into ``numbers``.
        numbers: The groups, each once.
        counts: Where to add the counts; each group has one count per column.
        sums: Where to add the sums; each group has one sum per column.
    """
    if not columns:
        return
    groups, width = len(numbers), len(columns)
    if kernels.backend() == "rust":
        from trajmeter.kernels import _rust  # the Python twin follows

        plain = []
        for index, (values, counted, _) in enumerate(columns):
            finite = np.isfinite(values)
            if not finite.all():
                odd = counted & ~finite
                sums.add(values[odd], rows[odd] * width + index, numbers)
                values = np.where(finite, values, 0.0)  # noqa: PLW2901 - for Rust
            plain.append((np.ascontiguousarray(values), counted))
        found, places = _rust.counted_sums(plain, rows, groups)
        sums.add_places(places, numbers)
    else:
        found = _counts(columns, rows, groups)
        kept = [(each.values[each.counted], each.counted) for each in columns]
        values = np.concatenate([values for values, _ in kept])
        slots = np.concatenate([rows[each] * width + at for at, (_, each) in enumerate(kept)])
        sums.add(values, slots, numbers)
    counts.add(found.reshape(groups, width), numbers)
    for index, (_, counted, rest) in enumerate(columns):
        if rest is not None:
            sums.add(rest[counted], rows[counted] * width + index, numbers)


def _counts(columns: Sequence[CountedColumn], rows: Int64Array, groups: int) -> Int64Array:
    by_column = [np.bincount(rows[each.counted], minlength=groups) for each in columns]
    return np.stack(by_column, axis=1).astype(np.int64)
