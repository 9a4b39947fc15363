"""Estimates of figures: the mean of a group with its interval and its bounds."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from pydantic import Field

from trajmeter.records import Record
from trajmeter.statistics.intervals import Method

__all__ = ["FEW_CLUSTERS", "Estimate", "IntervalChoice", "IntervalOptions"]

IntervalChoice: TypeAlias = Literal["auto", "t", "bootstrap", "wilson", "none"]
"""Requested method of the intervals; ``none`` for gates that read only means."""

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
    """Attempts, including those of ``--tasks`` that were not made."""
    n_scored: int
    """Attempts inside the mean."""
    n_assigned: int
    """Of these, attempts whose value a rule set."""
    n_abstained: int
    """Attempts that gave the metric nothing to act on; outside the mean."""
    n_not_scored: int
    """Attempts that could not be scored; outside the mean."""
    not_scored: dict[str, int] = Field(default_factory=dict)
    """These by cause."""
    n_tasks: int
    """Tasks with a scored attempt."""
    n_clusters: int
    """Clusters with a scored attempt."""
    mean: float | None
    """Mean of the scored attempts, each counting the same; ``None`` without any."""
    mean_of_tasks: float | None
    """Mean of the tasks' means, each task counting the same."""
    std_error: float | None
    """Standard error of the mean, robust to clusters; ``None`` with fewer than two."""
    df: int | None
    """Degrees of freedom of the error: one less than there are clusters."""
    interval: Method | None
    """How the interval was computed; ``None`` where there is none."""
    level: float
    """Confidence level of the intervals."""
    low: float | None
    """Lower limit of the mean."""
    high: float | None
    """Upper limit of the mean."""
    bound_low: float | None
    """The mean if everything that could not be scored were as small as possible."""
    bound_high: float | None
    """The mean if it were as large as possible."""
    micro: float | None = None
    """Ratio of the summed counts that the figure is made of."""
    micro_low: float | None = None
    """Lower limit of this ratio."""
    micro_high: float | None = None
    """Upper limit of this ratio."""
    gmean: float | None = None
    """Geometric mean, of figures that are factors."""
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
    """What more attempts could remove of the standard error; the rest needs more tasks."""
    notes: tuple[str, ...] = ()
    """What to bear in mind: ``nothing_scored``, ``one_task``, ``few_tasks``, ``no_variation``,
    ``too_large``, ``negative``, ``zero``, ``missing_stats``."""
    kind: Literal["boolean", "integer", "number"] = "number"
    """What the values are."""
    higher_is_better: bool | None = None
    """Direction; ``None`` if none is declared."""
    range_low: float | None = None
    """Least possible value."""
    range_high: float | None = None
    """Greatest possible value."""
    unit: str | None = None
    """Unit where the name does not say it."""
