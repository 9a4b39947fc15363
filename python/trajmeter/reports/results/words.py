"""Formats values, intervals and counts for reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trajmeter.metrics.figure_names import short_name
from trajmeter.reports.cells import NOTHING, Cell, amount, counts
from trajmeter.reports.estimates import limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trajmeter.summaries.estimates import Estimate

__all__ = ["axis_name", "cause_name", "causes", "estimate_cell", "scored"]

_OUTCOMES = {"no_attempt": "not attempted"}


def cause_name(cause: str) -> str:
    """A cause as words."""
    return _OUTCOMES.get(cause, cause.replace("_", " "))


def causes(found: Mapping[str, int]) -> str:
    """Counts by cause, the most frequent first."""
    ordered = sorted(found.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{cause_name(cause)} {count:,}" for cause, count in ordered)


def axis_name(figure: str, unit: str | None = None) -> str:
    """Short name of a figure with its unit."""
    return f"{short_name(figure)} ({unit})" if unit else short_name(figure)


def scored(estimate: Estimate) -> str:
    """Number of attempts with a figure, of all attempts."""
    return counts(estimate.n_scored, estimate.n_total)


def estimate_cell(estimate: Estimate | None) -> Cell:
    """A mean with its interval, and the number of scored attempts if any are missing."""
    if estimate is None or estimate.mean is None:
        return Cell(NOTHING)
    text = str(amount(estimate.mean))
    if estimate.low is not None:
        text += f" ({limits(estimate.low, estimate.high)})"
    if estimate.n_scored < estimate.n_total:
        text += f" {scored(estimate)}"
    return Cell(text, estimate.mean)
