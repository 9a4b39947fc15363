"""Estimates of figures: the mean of a group with its interval and its bounds."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from pydantic import Field

from trajmeter.records import Record
from trajmeter.statistics.intervals import Method

__all__ = ["FEW_CLUSTERS", "Estimate", "IntervalChoice", "IntervalOptions"]

IntervalChoice: TypeAlias = Literal["auto", "t", "bootstrap", "wilson", "none"]
"""Requested method of the intervals; ``none`` for gates that only use means."""

FEW_CLUSTERS = 10
"""Number of clusters below which an interval is rough."""


class IntervalOptions(NamedTuple):
    """How intervals are computed."""

    interval: IntervalChoice = "auto"
    """Method; ``auto`` chooses by the values."""
    level: float = 0.95
    """Confidence level of the interval."""
    seed: int = 0
    """Seed of the random draws."""
    resamples: int = 9999
    """Number of bootstrap replicates to draw."""


class Estimate(Record):
    """One figure of one group of attempts."""

    figure: str
    """Column of the figure."""
    n_total: int
    """Attempts, including those required by ``--tasks`` that are missing."""
    n_scored: int
    """Attempts inside the mean."""
    n_assigned: int
    """Of these, attempts whose value a rule set."""
    n_abstained: int
    """Attempts on which the metric abstained; outside the mean."""
    n_not_scored: int
    """Attempts that could not be scored; outside the mean."""
    not_scored: dict[str, int] = Field(default_factory=dict)
    """Attempts that could not be scored, by cause."""
    n_tasks: int
    """Tasks with a scored attempt."""
    n_clusters: int
    """Clusters with a scored attempt."""
    mean: float | None
    """Mean of the scored attempts, weighted equally; ``None`` without any."""
    mean_of_tasks: float | None
    """Mean of the tasks' means, weighted equally."""
    std_error: float | None
    """Standard error of the mean, robust to clusters; ``None`` with fewer than two."""
    df: int | None
    """Degrees of freedom of the error: one less than there are clusters."""
    interval: Method | None
    """How the interval was computed; ``None`` if there is none."""
    level: float
    """Confidence level of the intervals."""
    low: float | None
    """Lower limit of the mean."""
    high: float | None
    """Upper limit of the mean."""
    bound_low: float | None
    """The mean if every attempt that could not be scored had the least possible value."""
    bound_high: float | None
    """The mean if every attempt that could not be scored had the greatest possible value."""
    micro: float | None = None
    """Ratio of the summed counts from which the figure is computed."""
    micro_low: float | None = None
    """Lower limit of this ratio."""
    micro_high: float | None = None
    """Upper limit of this ratio."""
    gmean: float | None = None
    """Geometric mean, for figures that are factors."""
    gmean_low: float | None = None
    """Lower limit of the geometric mean."""
    gmean_high: float | None = None
    """Upper limit of the geometric mean."""
    var_task: float | None = None
    """Variance between tasks."""
    var_repeat: float | None = None
    """Variance between the attempts at a task."""
    icc: float | None = None
    """Share of the variance that lies between tasks."""
    std_error_repeat: float | None = None
    """How much more attempts could reduce the standard error; the rest needs more tasks."""
    notes: tuple[str, ...] = ()
    """Caveats: ``nothing_scored``, ``one_task``, ``few_tasks``, ``no_variation``, ``too_large``,
    ``negative``, ``zero``, ``missing_stats``."""
    kind: Literal["boolean", "integer", "number"] = "number"
    """Kind of the values."""
    higher_is_better: bool | None = None
    """Direction; ``None`` if none is declared."""
    range_low: float | None = None
    """Least possible value."""
    range_high: float | None = None
    """Greatest possible value."""
    unit: str | None = None
    """Unit, if the name does not say it."""
