"""Checks of the arguments of kernels on spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.kernels import _checks

if TYPE_CHECKING:
    from trajmeter.kernels._arrays import Int64Array

__all__ = ["of_file", "rows", "two_batches", "two_sets"]


def rows(start: Int64Array, end: Int64Array, offsets: Int64Array) -> None:
    """Check rows of spans."""
    _checks.spans(start, end)
    _checks.offsets(offsets, len(start), of="spans")


def two_sets(
    start: Int64Array, end: Int64Array, other_start: Int64Array, other_end: Int64Array
) -> None:
    """Check two sets of spans."""
    _checks.spans(start, end)
    _checks.named_spans(other_start, other_end, "other_")


def two_batches(
    start: Int64Array,
    end: Int64Array,
    offsets: Int64Array,
    other_start: Int64Array,
    other_end: Int64Array,
    other_offsets: Int64Array,
) -> None:
    """Check two batches with the same number of rows of spans."""
    rows(start, end, offsets)
    _checks.named_spans(other_start, other_end, "other_")
    _checks.offsets(other_offsets, len(other_start), "other_offsets", "spans")
    _checks.same_length(offsets, "offsets", other_offsets, "other_offsets")


def of_file(line_starts: Int64Array, size: int, start: Int64Array, end: Int64Array) -> None:
    """Check spans of one file, and its lines."""
    _checks.integers(line_starts, "line_starts")
    _checks.size(size)
    _checks.spans(start, end)
