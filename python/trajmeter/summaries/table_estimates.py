"""Summary of results tables: estimates of every figure of every group, and what gates found."""

from __future__ import annotations

from typing import Any

from trajmeter.lazy import shown_by
from trajmeter.records import Record
from trajmeter.summaries.estimates import Estimate, IntervalChoice, IntervalOptions
from trajmeter.summaries.gates import GateCheck
from trajmeter.summaries.repeat_estimates import RepeatEstimate

__all__ = ["Estimates", "GroupEstimates", "SummaryOptions"]


class SummaryOptions(Record):
    """Options of a summary."""

    figures: tuple[str, ...] | None
    """Names and patterns of the figures; ``None`` for all with a direction."""
    by: tuple[str, ...]
    """Columns of the groups."""
    interval: IntervalChoice
    """Method of the intervals."""
    level: float
    """Confidence level of the intervals."""
    cluster: str
    """Column of the clusters."""
    seed: int
    """Seed of the random draws."""
    resamples: int
    """Number of bootstrap replicates drawn."""
    success: str | None
    """Definition of a success; ``None`` without repeats."""
    min_tasks: int
    """Clusters that a gate on an interval needs."""

    @property
    def intervals(self) -> IntervalOptions:
        """How intervals are computed."""
        return IntervalOptions(self.interval, self.level, self.seed, self.resamples)


class GroupEstimates(Record):
    """Attempts that are counted together."""

    group: dict[str, str | None]
    """Values that they share, by column."""
    attempts: int
    """Number of attempts."""
    figures: tuple[Estimate, ...]
    """Every figure in their tables."""
    repeats: tuple[RepeatEstimate, ...] = ()
    """What k attempts at a task achieve."""


class Estimates(Record):
    """Summary of results tables."""

    trajmeter_version: str
    """Version of this package."""
    options: SummaryOptions
    """The options."""
    groups: tuple[GroupEstimates, ...]
    """The groups, in the order of their keys."""
    gates: tuple[GateCheck, ...] = ()
    """What each gate found for each group and figure."""

    _repr_html_ = shown_by("summary_html")

    @property
    def rows(self) -> list[dict[str, Any]]:
        """One flat row for each group and figure, ready for polars and pandas."""
        return [
            {**group.group, **figure.model_dump(mode="json")}
            for group in self.groups
            for figure in group.figures
        ]
